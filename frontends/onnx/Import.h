//===- Import.h - ONNX models as train programs ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a .onnx file into a module with one `train.program`: inputs, predictions, parameters, buffers and
// the function `forward`, without loss. Nothing in the file is trusted.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_IMPORT_H
#define DLC_FRONTENDS_ONNX_IMPORT_H

#include "frontends/common/Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace dlc::onnx {

/// Operator set versions of the domain ai.onnx that are read.
constexpr int64_t minOpset = 6, maxOpset = 25;

/// The variance of a batch: the sum of squares divided by n - 1 or by n.
enum class RunningVariance { Unbiased, Population };

struct ImportOptions : frontend::ImportOptions {
  /// Parameters that are shared stay shared, also where only their initial values were equal.
  bool keepTies = false;
  /// The variance that a batch norm's running one follows; not given: what the file's producer means.
  std::optional<RunningVariance> runningVariance;
  /// How often the body of a loop runs at most, where data say how often it does; 0: not given, an error.
  int64_t maxTrips = 0;
  /// A file with operations that the user brings (docs/custom-ops.md); empty: none.
  std::string customOps;
  /// Inputs of one row were given an open batch: constants 1 in the model's shapes may stand for it. Set by
  /// importOnnx and checkOnnx, where `batch` is given and the file has a batch of one.
  bool opensBatchOfOne = false;
};

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
