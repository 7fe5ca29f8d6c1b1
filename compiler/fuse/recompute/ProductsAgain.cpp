//===- ProductsAgain.cpp - products of what is made again anyway -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The backward pass of an attention makes the probabilities again (RecomputeHanded.cpp). The attention's result is
// their product with the values, which the gradient reads as well: one product more in a kernel that has all
// operands at hand, against a tensor that would wait in memory for the gradient of the weight behind it.
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Costs.h"
#include "compiler/fuse/recompute/KeptValues.h"

namespace dlc::fuse {

namespace {

// All such products together take at most this fraction of a training step's operations.
constexpr int64_t smallPart = 50;

class ProductAgain {
public:
  ProductAgain(const ForwardBackward &passes, RecomputePrices prices) : passes(passes), prices(prices) {}

  /// Whether the backward pass reads the result in products alone, and could compute it from what it has.
  bool isWorthIt(GenericOp product) {
    ops.clear();
    if (!isContraction(product) || !capturedTensors(product).empty() ||
        !prices.memory.isNotable(bytesOf(product.getResult(0))) || !addReaders(product) ||
        !prices.memory.isFar(keptAfter(product)))
      return false;
    ops.insert(product);
    int64_t operations = 0, bytes = 0;
    for (Value input : product.getInputs())
      if (bytesOf(input) > bytesOf(product.getResult(0))) {
        bytes += bytesOf(input);
        if (!prices.memory.isFar(bytesOf(input)) || !isReadBehind(input) ||
            !addMakers(input, product, operations))
          return false;
      } else if (!isActivation(input) || !isReadBehind(input)) {
        return false;
      }
    return bytes > 0 && operations <= prices.memory.toKeep(bytes);
  }

  /// The product, the producers of its large operand, and the operations that move its result.
  llvm::SetVector<GenericOp> ops;

private:
  bool isReadBehind(Value value) const {
    bool isRead = false;
    forEachUse(withoutViews(value), [&](OpOperand &use) {
      isRead |= passes.isBackward(use.getOwner()) && !mlir::isa<train::WriteOp>(use.getOwner());
    });
    return isRead;
  }

  /// Bytes that the forward pass computes later and the backward pass reads.
  int64_t keptAfter(GenericOp product) const {
    int64_t bytes = 0;
    for (Operation *op = product->getNextNode(); op && passes.isForward(op); op = op->getNextNode())
      if (auto later = mlir::dyn_cast<GenericOp>(op))
        for (Value result : later->getResults())
          bytes += isReadBehind(result) ? bytesOf(result) : 0;
    return bytes;
  }

  bool isActivation(Value value) const {
    Operation *maker = withoutViews(value).getDefiningOp();
    return mlir::isa<GenericOp, train::JoinOp>(maker) && passes.isForward(maker);
  }

  /// Adds the operations that move the result to where the backward pass reads it. False where the backward
  /// pass does not read it, or where something else of the forward pass keeps it.
  bool addReaders(GenericOp maker) {
    bool isRead = false, isAll = true;
    forEachUse(maker.getResult(0), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      auto move = mlir::dyn_cast<GenericOp>(user);
      if (mlir::isa<train::JoinOp, train::WriteOp>(user))
        isAll = false; // it has a place of its own
      else if (passes.isBackward(user))
        isRead = true;
      else if (move && isMove(move) && addReaders(move)) {
        ops.insert(move);
        isRead = true;
      }
    });
    return isRead && isAll;
  }

  /// Adds the producers of `value`, back to what is in memory anyway. False where something else is needed.
  bool addMakers(Value value, GenericOp product, int64_t &operations) {
    auto op = value.getDefiningOp<GenericOp>();
    if (!op || !passes.isForward(op) || op.getNumResults() != 1 || !capturedTensors(op).empty() ||
        analysis::scatterOf(op))
      return false;
    if (!ops.insert(op))
      return true;
    operations += workOf(op);
    return llvm::all_of(op.getInputs(), [&](Value input) {
      return bytesOf(input) > bytesOf(product.getResult(0)) ? addMakers(input, product, operations)
                                                            : addPositions(input) || isKeptFor(input, op);
    });
  }

  /// Adds what makes a tensor of positions alone, such as a mask: who reads it has to see how (LeaveOutMasked.cpp).
  /// False where it is made of something else.
  bool addPositions(Value value) {
    auto op = value.getDefiningOp<GenericOp>();
    if (!op || !isElementwise(op) || !capturedTensors(op).empty() ||
        !llvm::all_of(op.getInputs(), [&](Value input) { return addPositions(input); }))
      return false;
    ops.insert(op);
    return true;
  }

  /// Whether the tensor is in memory anyway: it is small, such as the maximum of each row, or the backward
  /// pass reads it.
  bool isKeptFor(Value input, GenericOp op) const {
    return !isActivation(input) || isSmallBeside(bytesOf(input), bytesOf(op.getResult(0))) ||
           isReadBehind(input);
  }

  const ForwardBackward &passes;
  RecomputePrices prices;
};

} // namespace

SmallVector<GenericOp> chooseProductsAgain(const ForwardBackward &passes, mlir::Block &block,
                                           RecomputePrices prices) {
  ProductAgain product(passes, prices);
  llvm::SetVector<GenericOp> chosen;
  int64_t all = 0, again = 0;
  for (GenericOp op : block.getOps<GenericOp>()) {
    all += workOf(op);
    if (!passes.isForward(op) || !product.isWorthIt(op))
      continue;
    again += workOf(op);
    chosen.insert(product.ops.begin(), product.ops.end());
  }
  if (again * smallPart > all)
    return {};
  return chosen.takeVector();
}

} // namespace dlc::fuse
