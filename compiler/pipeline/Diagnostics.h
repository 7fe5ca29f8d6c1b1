//===- Diagnostics.h - messages as compilers print them --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PIPELINE_DIAGNOSTICS_H
#define DLC_COMPILER_PIPELINE_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <string>

namespace dlc::pipeline {

/// Reports an error about a file or a target: no place in the model is to blame. Success where there is none.
mlir::LogicalResult report(mlir::MLIRContext *context, llvm::Error error);

/// What one diagnostic comes to: "model.onnx", "at 'Gemm_3': ..."; or "model.mlir:4:8" and so on.
struct Message {
  mlir::DiagnosticSeverity severity;
  std::string place, text;
};

/// Hands on the context's diagnostics while it lives, each with its notes behind it.
class Diagnostics : public mlir::ScopedDiagnosticHandler {
public:
  using Sink = std::function<void(const Message &)>;

  /// `file` stands where a location names none. Remarks say what a user should know, such as that a model
  /// which was exported for inference will train; without `remarks` there are errors and warnings only.
  Diagnostics(mlir::MLIRContext &context, std::string file, bool remarks, Sink sink);
  /// Prints them.
  Diagnostics(mlir::MLIRContext &context, std::string file, bool remarks,
              llvm::raw_ostream &out = llvm::errs());

private:
  void tell(mlir::Diagnostic &diagnostic);
  std::string file;
  Sink sink;
};

/// A sink that prints as compilers do: `model.onnx: error: node 'Gemm_3': ...`.
Diagnostics::Sink printTo(llvm::raw_ostream &out);

} // namespace dlc::pipeline

#endif // DLC_COMPILER_PIPELINE_DIAGNOSTICS_H
