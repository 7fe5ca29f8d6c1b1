//===- Transient.h - matrices of which only tiles exist ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products make the elements of matrices, operations of one element after another work on these, and other
// products, or sums, take up what they give, along one side of the matrices: the backward pass of an
// attention, where the scores and the gradients of the shares are made so. A target may compute all of it
// tile by tile, so that none of the matrices is ever in memory. Along their two sides that takes two kernels,
// each of which makes the elements.
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_TRAIN_TRANSIENT_H
#define DLC_DIALECTS_TRAIN_TRANSIENT_H

#include "dialects/train/Train.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

namespace train {

struct Transient {
  using Op = mlir::linalg::GenericOp;

  llvm::SmallVector<Op, 2> makers;  ///< products that make elements
  llvm::SmallVector<Op, 8> between; ///< of each element, in order
  llvm::SmallVector<Op, 4> ends;    ///< products and sums that take up elements, in order

  /// Parallel loops of the first maker: those that move both of its operands, the left one alone, and the
  /// right one alone. Tiles go along the last loop of each side.
  llvm::SmallVector<int64_t, 4> shared, sides[2];
  /// Each loop of each operation: which loop of the first maker it is; -1 for those of the sums of makers and
  /// of the columns that a product at the end has.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t, 4>> loops;

  /// Which loop of an operation a loop of the first maker is.
  unsigned loopOf(mlir::Operation *op, int64_t loop) const {
    llvm::ArrayRef<int64_t> all = loops.find(op)->second;
    return llvm::find(all, loop) - all.begin();
  }
  bool isElements(mlir::Value tensor) const {
    Op op = tensor.getDefiningOp<Op>();
    return op && (llvm::is_contained(makers, op) || llvm::is_contained(between, op));
  }
  /// The operand of a maker that a side moves, and that of a product at the end which is not of elements.
  unsigned operandAlong(Op maker, unsigned side) const;
  unsigned otherOperand(Op end) const { return isElements(end.getInputs()[0]) ? 1 : 0; }
  /// The side along which an operation at the end has results, and along which loops of the other one it sums
  /// up, among them the last.
  unsigned keptBy(Op end) const;
  llvm::SmallVector<int64_t, 4> reducedBy(Op end) const;
  /// What an operation at the end is made of, in order, from products on.
  llvm::SmallVector<Op> neededFor(Op end) const;

  /// More products, longer sums of makers, and more columns of all ends of a side together, would not leave a
  /// thread enough registers, nor a block enough shared memory.
  static constexpr int64_t mostMakers = 3, mostElements = 128, mostColumns = 256;
  /// Numbers of a position, with what fills up fragments.
  static int64_t filled(int64_t numbers) { return llvm::alignTo(numbers, 16); }
};

/// The matrices that a product makes, with all that is made of them; nullopt where something else reads them
/// as well.
std::optional<Transient> transientFrom(mlir::linalg::GenericOp maker);

/// The transient matrices of a kernel, all of whose ends sum up along the same loops.
struct TransientKernel : Transient {
  unsigned kept = 0;                     ///< the side
  llvm::SmallVector<int64_t, 4> reduced; ///< the loops of the other side along which ends sum up
  /// What follows an end, element by element of its results, in order.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Op, 2>> after;

  /// An operand of products that is loaded tile by tile: an operand along the kept side once, an operand
  /// along the other side one tile after the other. Operations that read the same elements in the same way
  /// share one.
  struct Operand {
    llvm::SmallVector<std::pair<Op, unsigned>, 2> readers; ///< with the number of the operand
    bool isKept;
    int64_t numbers; ///< of each position along the side, filled up
  };
  llvm::SmallVector<Operand, 4> operands;
  size_t operandNumber(Op op, unsigned operand) const;
};

/// The transient matrices that a kernel is about; nullopt for other kernels.
std::optional<TransientKernel> transientOf(KernelOp kernel);

} // namespace train

#endif // DLC_DIALECTS_TRAIN_TRANSIENT_H
