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

/// Numbers its files in the order in which they are written.
class DumpFolder {
public:
  /// Makes the folder and writes the imported program; reports the first file that cannot be written as an
  /// error at the module's location.
  DumpFolder(std::string folder, mlir::ModuleOp module);

  void write(llvm::StringRef name, llvm::StringRef suffix, llvm::StringRef text);
  /// Whether all files are there so far.
  bool isWhole() const { return !hasFailed; }
  /// Large constants are left out: the files are for reading.
  void write(llvm::StringRef name, mlir::Operation *op);

private:
  std::string folder;
  mlir::ModuleOp module;
  unsigned count = 0;
  bool hasFailed = false;
};

/// Writes `NN.<stage>.<pass>.mlir` after each pass that changed something, `NN.<stage>.mlir` at the end of
/// each stage; where `target` is not empty, with it before the suffix.
class Dump : public mlir::PassInstrumentation {
public:
  /// `first`: the stage that the first pass belongs to.
  Dump(DumpFolder &folder, mlir::ModuleOp module, Stage first, llvm::StringRef target = "");

  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;

private:
  DumpFolder &folder;
  mlir::ModuleOp module;
  Stage stage;
  std::string target; ///< with a dot before it
  std::optional<mlir::OperationFingerPrint> before;
};

} // namespace dlc::pipeline

#endif // DLC_COMPILER_PIPELINE_DUMP_H
