//===- Import.cpp - ONNX models as train programs
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Import.h"
#include "frontends/onnx/Importer.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/ModelFile.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace dlc::onnx {

/// "nodes 'bn1', 'bn2', 'bn3' and 50 more (BatchNormalization): ..."
static std::string sentenceAbout(StringRef op, StringRef sentence, ArrayRef<std::string> nodes) {
  constexpr size_t most = 3; // a deep network has the same to say of many nodes
  if (nodes.empty())
    return sentence.str();
  std::string text = nodes.size() == 1 ? "node " : "nodes ";
  for (auto [i, name] : llvm::enumerate(nodes.take_front(most)))
    text += (i == 0 ? "'" : i + 1 == nodes.size() ? " and '" : ", '") + name + "'";
  if (nodes.size() > most)
    text += " and " + std::to_string(nodes.size() - most) + " more";
  return (text + " (" + op + "): " + sentence).str();
}

/// What is said of a model that is imported.
static void tell(const Importer &importer, const ImportOptions &options, Location file) {
  for (const std::string &warning : importer.warnings)
    emitWarning(file) << warning;
  for (const auto &[about, nodes] : importer.remarks)
    emitRemark(file) << sentenceAbout(about.first, about.second, nodes);
  if (options.verbose)
    for (const auto &[about, nodes] : importer.notes)
      emitRemark(file) << sentenceAbout(about.first, about.second, nodes);
}

OwningOpRef<ModuleOp> importOnnx(StringRef path, const ImportOptions &options, MLIRContext &context) {
  Location file = FileLineColLoc::get(&context, path, 0, 0);
  auto model = readModel(path);
  if (!model) {
    emitError(file) << llvm::toString(model.takeError());
    return {};
  }
  Importer importer(**model, path, options, /*checking=*/false, context);
  OwningOpRef<ModuleOp> module = importer.run();
  for (const std::string &reason : importer.reasons)
    emitError(file) << reason;
  if (module)
    tell(importer, options, file);
  return module;
}

std::vector<std::string> checkOnnx(StringRef path, const ImportOptions &options, MLIRContext &context,
                                   OwningOpRef<ModuleOp> *module) {
  auto model = readModel(path);
  if (!model)
    return {llvm::toString(model.takeError())};
  Importer importer(**model, path, options, /*checking=*/true, context);
  OwningOpRef<ModuleOp> imported = importer.run();
  if (imported && module) {
    tell(importer, options, FileLineColLoc::get(&context, path, 0, 0));
    *module = std::move(imported);
  }
  return importer.reasons;
}

} // namespace dlc::onnx
