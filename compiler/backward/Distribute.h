//===- Distribute.h - samples that meet across ranks -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_BACKWARD_DISTRIBUTE_H
#define DLC_COMPILER_BACKWARD_DISTRIBUTE_H

#include "compiler/backward/Functions.h"
#include "dialects/nn/Expr.h"
#include "dialects/train/Custom.h"

namespace dlc::backward {

/// Makes a forward pass that works on a rank's rows compute what that of the whole batch does: behind each sum
/// over the batch stands the sum over all ranks, and means divide by the rows of all. Named dims still have
/// their names.
class Distributor {
public:
  explicit Distributor(train::ProgramOp program);

  /// `ownLoss` (may be null) stays the loss of a rank's rows. An error where samples meet in another way than
  /// in sums.
  mlir::LogicalResult run(train::FunctionOp function, mlir::Operation *ownLoss);

  /// How many elements of so many sizes the whole batch has.
  nn::Expr countOfAll(mlir::ImplicitLocOpBuilder &builder, const nn::Dim &elements, mlir::Type elementType);
  /// The sum of what all ranks have.
  nn::Expr sumOverRanks(nn::Expr value);

  /// The state with the number of rows of all ranks; null where nothing has asked for it.
  train::StateOp rowsOfAll() const { return wholeRows; }

private:
  mlir::LogicalResult rewrite(mlir::Operation *op, mlir::Operation *ownLoss);
  void rewriteBatchNorm(nn::BatchNormOp op);
  void rewriteMean(nn::MeanOp op);
  void rewriteLoss(mlir::Operation *op);
  void sumResult(mlir::Operation *op);
  /// How often the name of the batch stands in a type.
  int64_t timesNamed(mlir::Type type) const;
  mlir::LogicalResult refuse(mlir::Operation *op);
  train::CustomFunctionOp declareSum(mlir::Type element);

  train::ProgramOp program;
  nn::Dim batch;
  train::FunctionOp function;
  train::StateOp wholeRows;
  llvm::SmallDenseMap<mlir::Type, train::CustomFunctionOp> sums; ///< by the type of their elements
};

} // namespace dlc::backward

#endif // DLC_COMPILER_BACKWARD_DISTRIBUTE_H
