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
    for (const std::string &remark : importer.remarks)
      emitRemark(file) << remark;
  return module;
}

std::vector<std::string> checkOnnx(StringRef path, const ImportOptions &options, MLIRContext &context) {
  auto model = readModel(path);
  if (!model)
    return {llvm::toString(model.takeError())};
  Importer importer(**model, path, options, /*checking=*/true, context);
  importer.run();
  return importer.reasons;
}

} // namespace dlc::onnx
