//===- Transient.h - matrices of which only tiles exist ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transient matrices exist only tile by tile in registers: *producers* (products) compute their elements,
// elementwise operations work on these, and *consumers* (products or sums) reduce them along one side of the
// matrices. An example is the backward pass of an attention as in FlashAttention-2, with transient S, P, dP
// and dS:
//     S = Q K^T, dP = dO V^T      producers
//     P = exp(S - L), dS = P (dP - D)      elementwise
//     dV = P^T dO, dK = dS^T Q, dQ = dS K      consumers
// dV and dK reduce along the rows, dQ along the columns: that takes two kernels, each of which computes the
// elements by itself.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_ANALYSIS_TRANSIENT_H
#define DLC_COMPILER_ANALYSIS_TRANSIENT_H

#include "dialects/train/Train.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

namespace dlc::analysis {

struct Transient {
  using Op = mlir::linalg::GenericOp;

  llvm::SmallVector<Op, 2> producers;   ///< products that compute elements
  llvm::SmallVector<Op, 8> elementwise; ///< operations on single elements, in order
  llvm::SmallVector<Op, 4> consumers;   ///< products and sums that reduce elements, in order

  /// Parallel loops of the first producer: those that move both of its operands (`shared`), the left one
  /// alone (`sides[0]`), and the right one alone (`sides[1]`). Tiles go along the last loop of each side.
  llvm::SmallVector<int64_t, 4> shared, sides[2];
  /// For each loop of each operation: which loop of the first producer it is; -1 for the reductions of
  /// producers and for the columns of a consumer's result.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t, 4>> loops;

  /// The loop of an operation that corresponds to a loop of the first producer.
  unsigned loopOf(mlir::Operation *op, int64_t loop) const {
    llvm::ArrayRef<int64_t> all = loops.find(op)->second;
    return llvm::find(all, loop) - all.begin();
  }
  bool isElements(mlir::Value tensor) const {
    Op op = tensor.getDefiningOp<Op>();
    return op && (llvm::is_contained(producers, op) || llvm::is_contained(elementwise, op));
  }
  /// The operand of a producer that a side moves, and the operand of a consumer that is not transient.
  unsigned operandAlong(Op maker, unsigned side) const;
  unsigned otherOperand(Op end) const { return isElements(end.getInputs()[0]) ? 1 : 0; }
  /// The side along which a consumer has results, and the loops of the other side along which it reduces, the
  /// last of that side among them.
  unsigned keptBy(Op end) const;
  llvm::SmallVector<int64_t, 4> reducedBy(Op end) const;
  /// The operations that a consumer needs, in order, from the producers on.
  llvm::SmallVector<Op> neededFor(Op end) const;

  /// Finds `shared` and `sides` by what the first producer's operands are read along. False where a loop
  /// moves neither.
  bool setSides();

  /// With more producers, longer reductions of producers, or more columns of all consumers of a side
  /// together, a thread would run out of registers, or a block out of shared memory.
  static constexpr int64_t mostProducers = 3, mostElements = 128, mostColumns = 256;
  /// The numbers of a position, padded to whole fragments of the tensor cores.
  static int64_t filled(int64_t numbers) { return llvm::alignTo(numbers, 16); }
};

/// The transient matrices of a kernel, all of whose consumers reduce along the same loops.
struct TransientKernel : Transient {
  unsigned kept = 0;                     ///< the side
  llvm::SmallVector<int64_t, 4> reduced; ///< the loops of the other side along which consumers reduce
  /// The elementwise operations on the results of a consumer, in order.
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

/// What follows for a kernel that computes with these matrices; nullopt where it does something else as well,
/// or where consumers differ in what they reduce along.
std::optional<TransientKernel> transientKernel(Transient transient, train::KernelOp kernel);
/// The transient matrices that a kernel is about, as the roles of its nests say (Roles.h); nullopt for other
/// kernels.
std::optional<TransientKernel> transientOf(train::KernelOp kernel);

} // namespace dlc::analysis

#endif // DLC_COMPILER_ANALYSIS_TRANSIENT_H
