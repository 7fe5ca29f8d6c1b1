//===- Diagnostics.h - messages as compilers print them --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PIPELINE_DIAGNOSTICS_H
#define DLC_COMPILER_PIPELINE_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace dlc::pipeline {

/// Of a file or a target: no place in the model is to blame.
mlir::LogicalResult report(mlir::MLIRContext *context, llvm::Error error);

/// Prints the context's diagnostics while it lives: `model.onnx: error: node 'Gemm_3': ...`, or
/// `model.mlir:4:8: error: ...`.
class Diagnostics : public mlir::ScopedDiagnosticHandler {
public:
  /// `file` stands where a location names none. Remarks say what a user should know, such as that a model
  /// which was exported for inference will train; without `remarks` only errors and warnings are printed.
  Diagnostics(mlir::MLIRContext &context, std::string file, bool remarks,
              llvm::raw_ostream &out = llvm::errs());

private:
  void print(mlir::Diagnostic &diagnostic);
  std::string file;
  llvm::raw_ostream &out;
};

} // namespace dlc::pipeline

#endif // DLC_COMPILER_PIPELINE_DIAGNOSTICS_H
