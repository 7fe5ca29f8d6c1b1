//===- LoopPairs.h - which neighbouring loops of a kernel are one loop -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two neighbouring loops are one loop if every operand that they move has them as two neighbouring dims,
// which become one as well. Collapsing one pair of loops collapses the dims that it walks, and so the loops
// of every other generic that walks these dims. Connected pairs are collapsed together or not at all. For
// example, (i, j) of C[i, j] = A[i, j] + B[i, j] become one loop of 64 * 256 iterations, if no other generic
// of the kernel reads A, B or C transposed, or by rows. Loops that a set of nonzero terms
// (dialects/train/Nonzero.h) names stay as they are: their products with padding can then be left out.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_LOOPPAIRS_H
#define DLC_COMPILER_FUSE_LOOPPAIRS_H

#include "compiler/fuse/Generics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace dlc::fuse {

/// Which neighbouring loops or dims become one: for each new loop of a generic, or each new dim of a tensor,
/// the old ones that it consists of. Two loops that are collapsed, followed by one that is not: [[0, 1],
/// [2]].
using Groups = SmallVector<mlir::ReassociationIndices>;

class LoopPairs {
public:
  explicit LoopPairs(train::KernelOp kernel);

  bool any() const {
    return llvm::any_of(classes, [&](auto *member) { return isOne(member->getData()); });
  }
  Groups loopsOf(GenericOp op) const { return groupsOf(op.getOperation(), op.getNumLoops()); }
  Groups dimsOf(Value tensor) const { return groupsOf(tensor.getAsOpaquePointer(), rankOf(tensor)); }
  Groups dimsOf(OpOperand &operand) const { return groupsOf(keyOf(operand), rankOf(operand.get())); }
  /// Whether a kernel makes the tensor for its shape or as a start: each generic has its own, so that it ties
  /// nothing together.
  static bool isMade(Value tensor) {
    return mlir::isa_and_nonnull<mlir::tensor::EmptyOp, mlir::linalg::FillOp>(tensor.getDefiningOp());
  }

private:
  /// The first of two neighbouring loops of a generic, or of two dims of a tensor.
  using Pair = std::pair<const void *, unsigned>;

  static unsigned rankOf(Value tensor) { return mlir::cast<mlir::ShapedType>(tensor.getType()).getRank(); }
  static const void *keyOf(OpOperand &operand) {
    return isMade(operand.get()) ? static_cast<const void *>(&operand) : operand.get().getAsOpaquePointer();
  }
  void addLoops(GenericOp op, unsigned shared);
  void addOperand(GenericOp op, OpOperand &operand);
  void addStrides(train::KernelOp kernel, Value tensor, unsigned index);
  void tie(Pair a, Pair b) { classes.unionSets(a, b); }
  void keepApart(Pair pair) { tie(pair, separate); }
  bool isOne(Pair pair) const { return classes.contains(pair) && !classes.isEquivalent(pair, separate); }
  Groups groupsOf(const void *of, unsigned count) const;

  static constexpr Pair separate{nullptr, 0}; ///< tied to all that stays two
  GenericOp first;                            ///< whose shared loops all others have, too
  llvm::EquivalenceClasses<Pair> classes;
};

/// The dims of an argument or a result of a kernel, which is number `position` of its `arg_dims`.
nn::Shape declaredShape(train::KernelOp kernel, Value tensor, unsigned position);

/// The position along `outer` and the next loop together, of `size` iterations each of the outer one: the sum
/// `outer * size + next`. Null where `sum` is something else.
mlir::linalg::IndexOp linearPosition(mlir::arith::AddIOp sum, unsigned outer, int64_t size);

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_LOOPPAIRS_H
