//===- ProgramBuilder.h - the program that an import makes ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the program and its function `forward` while they grow: inputs, outputs, dims and random numbers are
// declared here, and every operation of the function is checked when it is made, so that an error belongs to
// the node that is imported.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_PROGRAMBUILDER_H
#define DLC_FRONTENDS_COMMON_PROGRAMBUILDER_H

#include "dialects/train/Train.h"
#include "frontends/common/Diagnostics.h"
#include "frontends/common/DimNames.h"
#include "frontends/common/ProgramSymbols.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OwningOpRef.h"

namespace dlc::frontend {

class ProgramBuilder : private mlir::OpBuilder::Listener {
public:
  /// `checking`: a symbolic batch needs no size. `batchName`: what the batch is called in the program; empty:
  /// as in the model.
  ProgramBuilder(const ImportOptions &options, bool checking, mlir::MLIRContext &context,
                 llvm::StringRef batchName, Diagnostics &diagnostics);
  ~ProgramBuilder() override;

  /// Begins the program, under the name of the options, or else that of the file.
  void begin(llvm::StringRef path);
  /// Whether `name` can be that of a state in files; reports where not. `what`: "initializer".
  bool checkStateName(llvm::StringRef what, llvm::StringRef name);
  mlir::Location locationOf(llvm::StringRef name);

  /// An input, as a value; null after an error.
  mlir::Value declareInput(const InputDims &dims, mlir::Type element);
  /// After all inputs: the program's dims. `howToOpen`: what the file's author can do for an open batch.
  void declareDims(bool hasInputs, llvm::StringRef howToOpen);
  /// A state that starts as `initial`; its symbol comes back.
  std::string declareState(train::StateKind kind, llvm::StringRef name, bool frozen,
                           mlir::RankedTensorType type,
                           llvm::function_ref<mlir::ElementsAttr(llvm::StringRef symbol)> initial);
  void writeOutput(llvm::StringRef name, mlir::Value value);
  /// The state of the random numbers.
  mlir::Value rng();
  /// A number for each place that draws random numbers.
  int64_t nextStream() { return streams++; }

  const ImportOptions &options;
  mlir::MLIRContext &context;
  ProgramSymbols symbols;
  DimNames dimNames;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  train::ProgramOp op;
  train::FunctionOp forward;
  mlir::OpBuilder declarations;    ///< before the function
  mlir::ImplicitLocOpBuilder body; ///< in it

private:
  void notifyOperationInserted(mlir::Operation *op, mlir::OpBuilder::InsertPoint) override;

  Diagnostics &diagnostics;
  mlir::Value rngValue;
  int64_t streams = 0;
};

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_PROGRAMBUILDER_H
