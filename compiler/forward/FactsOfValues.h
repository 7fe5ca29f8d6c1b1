//===- FactsOfValues.h - what is known of all values of a function ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FORWARD_FACTSOFVALUES_H
#define DLC_COMPILER_FORWARD_FACTSOFVALUES_H

#include "compiler/forward/ValueFacts.h"
#include "dialects/train/Train.h"
#include "llvm/ADT/DenseMap.h"

namespace dlc::forward {

/// The facts of all values of a function's body.
class FactsOfValues {
public:
  explicit FactsOfValues(train::FunctionOp function);
  const ValueFacts &of(mlir::Value value) const;

private:
  ValueFacts derive(mlir::Operation *op, unsigned result) const;
  ValueFacts read(train::ReadOp op) const;
  ValueFacts product(nn::MatMulOp op) const;
  ValueFacts quotient(nn::DivOp op) const;
  ValueFacts moved(mlir::Operation *op) const;

  llvm::DenseMap<mlir::Value, ValueFacts> facts;
};

/// Where an axis of its operand is in the result of an operation that moves elements (a reshape, a transpose,
/// a slice ...); nothing where it is not there as a whole.
std::optional<int64_t> axisAfterMove(mlir::Operation *move, int64_t axis);

} // namespace dlc::forward

#endif // DLC_COMPILER_FORWARD_FACTSOFVALUES_H
