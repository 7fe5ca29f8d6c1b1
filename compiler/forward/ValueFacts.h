//===- ValueFacts.h - what is known of the numbers in a value --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loss takes scores, probabilities or logarithms of probabilities. Types do not tell them apart; the
// operations that a value went through often do: after a sigmoid all numbers lie in [0, 1], after a linear
// layer there is no limit.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FORWARD_VALUEFACTS_H
#define DLC_COMPILER_FORWARD_VALUEFACTS_H

#include "dialects/train/Train.h"
#include "llvm/ADT/DenseMap.h"
#include <limits>
#include <optional>

namespace dlc::forward {

/// True for all inputs and parameters; without knowledge, the default, which says nothing.
struct ValueFacts {
  /// Every number lies in [low, high].
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  /// There are inputs and parameters for which a number comes as close to `low` as one likes, and to `high`.
  bool reached = false;
  /// Its numbers grow beyond all limits in both directions when a trained parameter does, also averaged.
  bool linear = false;
  /// A trained parameter, perhaps moved about.
  bool parameter = false;
  /// Known at compile time.
  bool constant = false;
  /// The numbers along this axis are not negative and sum to one: probabilities.
  std::optional<int64_t> sumsToOne;
  /// The same holds for their exponentials: logarithms of probabilities.
  std::optional<int64_t> expSumsToOne;
  /// The axis along which a linear layer's features lie.
  std::optional<int64_t> features;

  bool isWithin(double from, double to) const { return from <= low && high <= to; }
};

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

#endif // DLC_COMPILER_FORWARD_VALUEFACTS_H
