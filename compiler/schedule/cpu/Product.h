//===- Product.h - a product, and the loops that its tiles run along -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SCHEDULE_CPU_PRODUCT_H
#define DLC_COMPILER_SCHEDULE_CPU_PRODUCT_H

#include "compiler/schedule/cpu/Stages.h"

namespace dlc::schedule {

/// What is known of a kernel's product before anything is chosen: it follows from the operation, the layouts
/// of its operands and the CPU. For C[i, j] += A[i, k] * B[k, j], `lane` is j, `row` is i, and the reduction
/// is k: a tile has rows along i, and vectors along j, whose sums stay in registers while k runs.
struct Product {
  Product(train::KernelOp kernel, const CpuTarget &target);

  mutable train::KernelOp kernel; ///< this and `root` are mutable, as MLIR's methods are not const
  mutable mlir::linalg::GenericOp root;
  const llvm::SmallVector<int64_t> bounds; ///< of the root's loops
  const int64_t lane;                      ///< -1 where no loop is parallel; then nothing below is chosen
  const int64_t row;                       ///< -1 where none but `lane` is parallel
  const CpuTarget target;                  ///< with the lanes of this kernel's vectors
  /// The operand that the lane loop moves but the row loop does not (B above), and the one that only the row
  /// loop moves (A above); both are null where the operands are not like that.
  mlir::OpOperand *const columns, *const rows;
  /// Whether the CPU's matrix unit adds the products; and the reduction loop whose iterations it takes
  /// `tileSteps` at once, or vectors two at once, else -1. They decide in which order terms are added, so
  /// they depend neither on the epilogue nor on what is chosen.
  const bool amx;
  const int64_t pairs;

  /// Iterations of the whole reduction (the length of k).
  int64_t steps() const;
  /// Iterations of a loop that a tile takes at once.
  int64_t perStep(int64_t loop) const { return loop != pairs ? 1 : amx ? cpu::tileSteps : 2; }
  /// Columns of a tile.
  int64_t widthOf(cpu::TileAttr tile) const { return tile.width(target.lanes); }
  /// The multiply-adds of the whole kernel.
  int64_t products() const;
  /// The stride of `loop` in an operand's memory, in elements (strideAlong).
  std::optional<int64_t> stride(mlir::OpOperand *operand, int64_t loop) const;
  /// Whether neighbours along the lane loop lie apart in an operand's memory.
  bool readsAcross() const;
  /// Whether the rows of the matrix unit's tile can be read as they lie, without packing.
  bool readsUnitRows() const;
  /// Whether the operand whose panels would run along `loop` is better packed, so that the two elements of
  /// each pair are neighbours.
  bool wantsPairsPacked(mlir::OpOperand *operand, int64_t loop) const;
  int64_t parallelLoops() const { return root.getNumParallelLoops(); }
};

} // namespace dlc::schedule

#endif // DLC_COMPILER_SCHEDULE_CPU_PRODUCT_H
