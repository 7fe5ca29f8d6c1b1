//===- Dump.h - the IR after each stage and pass, as files -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PIPELINE_DUMP_H
#define DLC_COMPILER_PIPELINE_DUMP_H

#include "compiler/pipeline/Stage.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace dlc::pipeline {

/// Writes `NN.<stage>.<pass>.mlir` after each pass that changed something, `NN.<stage>.mlir` at the end of
/// each stage. Large constants are left out: the files are for reading.
class Dump : public mlir::PassInstrumentation {
public:
  /// Makes the folder; reports what cannot be written as errors at the module's location.
  Dump(std::string folder, mlir::ModuleOp module);

  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;
  /// Text of a later stage.
  void write(llvm::StringRef stage, llvm::StringRef suffix, llvm::StringRef text);

private:
  void write(llvm::StringRef name, mlir::Operation *op);

  std::string folder;
  mlir::ModuleOp module;
  unsigned count = 0;
  Stage stage = Stage::Forward;
  std::optional<mlir::OperationFingerPrint> before;
};

} // namespace dlc::pipeline

#endif // DLC_COMPILER_PIPELINE_DUMP_H
