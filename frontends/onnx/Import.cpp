//===- Import.cpp - ONNX models as train programs
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Import.h"
#include "frontends/onnx/Importer.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/ModelFile.h"
#include "frontends/onnx/Rebatch.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace dlc::onnx {

using frontend::Imported;

/// Where the file has a batch of one row and another is asked for: the program with that batch, if the rows
/// do not see each other. Else none, and why.
static Imported importWithOtherBatch(const ModelFile &file, StringRef path, ImportOptions options,
                                     bool checking, MLIRContext &context, bool tells) {
  options.opensBatchOfOne = true;
  Importer importer(file, path, options, checking, context);
  Imported result = importer.run();
  if (!result.module)
    return result;
  auto program = *result.module->getOps<train::ProgramOp>().begin();
  train::DimOp batch = *program.getBody().getOps<train::DimOp>().begin();
  for (auto function : program.getBody().getOps<train::FunctionOp>())
    if (std::string problem = whereRowsMix(function, batch.getSymName()); !problem.empty()) {
      result.reasons.push_back(problem);
      result.module = nullptr;
      return result;
    }
  if (tells) {
    emitRemark(FileLineColLoc::get(&context, path, 0, 0))
        << "the file has a batch of 1, as that of the example it was exported with; no operation "
           "lets rows see each other, so it is compiled with a batch of "
        << options.batch << " (constants 1 in its shapes are read as the batch)";
    importer.tell();
  }
  return result;
}

static llvm::Expected<ModelFile> read(StringRef path, const ImportOptions &options) {
  return options.contents ? ModelFile::parse(*options.contents, path)
                          : ModelFile::read(path, options.staysMapped);
}

/// `tells`: says what there is to know of a model that is imported.
static Imported import(StringRef path, const ImportOptions &options, bool checking, MLIRContext &context,
                       bool tells) {
  constexpr const char *noEffect = "--batch has no effect";
  auto file = read(path, options);
  if (!file)
    return {{}, {llvm::toString(file.takeError())}};
  std::string problem;
  if (options.batch > 1 && openBatchOfOne(file->model(), "batch")) {
    Imported result = importWithOtherBatch(*file, path, options, checking, context, tells);
    if (result.module)
      return result;
    problem = result.reasons.empty() ? "" : result.reasons.front();
    if (file = read(path, options); !file) // the import has changed it
      return {{}, {llvm::toString(file.takeError())}};
  }
  Importer importer(*file, path, options, checking, context);
  Imported result = importer.run();
  file->unload();
  for (std::string &reason : result.reasons)
    if (!problem.empty() && StringRef(reason).starts_with(noEffect))
      reason += "; the one row of this file cannot be made " + std::to_string(options.batch) + ": " + problem;
  if (result.module && tells)
    importer.tell();
  return result;
}

OwningOpRef<ModuleOp> importOnnx(StringRef path, const ImportOptions &options, MLIRContext &context) {
  return frontend::moduleOrErrors(import(path, options, /*checking=*/false, context, /*tells=*/true), path,
                                  context);
}

std::vector<std::string> checkOnnx(StringRef path, const ImportOptions &options, MLIRContext &context,
                                   OwningOpRef<ModuleOp> *module) {
  return frontend::reasonsAgainst(import(path, options, /*checking=*/true, context, module != nullptr),
                                  module);
}

} // namespace dlc::onnx
