//===- Import.h - ONNX models as train programs ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a .onnx file into a module with one `train.program`: inputs, predictions, parameters, buffers and
// the function `forward`, without loss. Nothing in the file is trusted.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_IMPORT_H
#define DLC_FRONTENDS_ONNX_IMPORT_H

#include "frontends/onnx/ImportOptions.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace dlc::onnx {

/// The program, or null after errors: one for each thing that dlc cannot import, at the file's location.
/// Remarks say where training is not what the file says: it was exported for inference.
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(llvm::StringRef path, const ImportOptions &options,
                                             mlir::MLIRContext &context);

/// Everything that stops the import, in the words of importOnnx's errors; empty if nothing does. A batch
/// without a given size is no reason: it has one row then. Where nothing stops the import, the program goes
/// to `*module` if there is one, with the warnings and remarks of importOnnx.
std::vector<std::string> checkOnnx(llvm::StringRef path, const ImportOptions &options,
                                   mlir::MLIRContext &context,
                                   mlir::OwningOpRef<mlir::ModuleOp> *module = nullptr);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_IMPORT_H
