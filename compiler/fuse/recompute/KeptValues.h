//===- KeptValues.h - what the backward pass gets from the forward pass ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value of the forward pass that the backward pass reads is kept until then, or it is computed once more
// from values that are kept. Keeping it takes memory; computing it takes time, and what it is made of has to
// be there. Given the price of a byte in operations, the cheapest choice for all values together is a cut of
// least cost through a network (docs/rationale/memory.md).
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_RECOMPUTE_KEPTVALUES_H
#define DLC_COMPILER_FUSE_RECOMPUTE_KEPTVALUES_H

#include "compiler/fuse/Costs.h"

namespace dlc::fuse {

/// The forward and the backward pass of a function that computes a loss (or a batch part's share of it) and
/// gradients. The forward pass ends with the operation that computes the loss.
class ForwardBackward {
public:
  explicit ForwardBackward(train::FunctionOp function);

  bool hasLoss() const { return last != nullptr; }
  /// Whether the loss depends on the results of `op`.
  bool leadsToLoss(Operation *op) const { return leading.contains(op); }
  bool isForward(Operation *op) const { return !isBackward(op); }
  bool isBackward(Operation *op) const { return index.lookup(op) > index.lookup(last); }
  /// The fraction of the forward pass that is still to come after `op`: 1 at its beginning, 0 at its end.
  double isToCome(Operation *op) const {
    return 1 - double(index.lookup(op)) / double(index.lookup(last) + 1);
  }
  unsigned indexOf(Operation *op) const { return index.lookup(op); }
  Operation *lastForward() const { return last; }

private:
  llvm::DenseMap<Operation *, unsigned> index; ///< in program order
  llvm::SmallPtrSet<Operation *, 32> leading;  ///< to the loss
  Operation *last = nullptr;
};

/// The tensor that a value is a view of; the value itself where it is no view.
Value withoutViews(Value value);
/// Calls `visit` for each use of `tensor` and of its views; a view itself is no use.
void forEachUse(Value tensor, llvm::function_ref<void(OpOperand &)> visit);

struct RecomputePrices {
  int64_t perByte = 0; ///< operations that it may take to keep one byte less; 0: see KeptValues.cpp
  int64_t layers = 1;  ///< the last one's values have a lower price the later they are made
  MemoryCosts memory;
};

/// The operations of the forward pass that are rematerialized for the backward pass, in program order
/// (KeptValues.cpp has the algorithm, with an example).
SmallVector<GenericOp> chooseRecomputed(const ForwardBackward &passes, mlir::Block &block,
                                        RecomputePrices prices);

/// Products whose operands the backward pass rematerializes anyway, such as probabilities * values of an
/// attention, with the producers of these operands and the operations that move the results. They are
/// rematerialized even without a memory budget, as they take a small fraction of a training step's
/// operations.
SmallVector<GenericOp> chooseProductsAgain(const ForwardBackward &passes, mlir::Block &block,
                                           RecomputePrices prices);

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_RECOMPUTE_KEPTVALUES_H
