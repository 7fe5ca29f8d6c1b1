//===- WarpTile.h - tiles of matrices in the registers of a warp ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp has 16 rows of a tile, spread over its lanes as the sums of a tensor core are ("Matrix Fragments for
// mma"): of each 16 by 8 numbers, a lane has two neighbours in its row and two in the row 8 below. The sums
// of one product are so the left operand of the next one where they are; for tf32, whose fragments differ,
// with its steps in another order, in which the right operand is read as well.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_ATTENTION_WARPTILE_H
#define DLC_COMPILER_CODEGEN_GPU_ATTENTION_WARPTILE_H

#include "compiler/codegen/gpu/device/Device.h"
#include "compiler/support/Elements.h"

namespace dlc::codegen::gpu {

class WarpTile {
public:
  static constexpr int64_t rowsOfLane = 2, sumsOfTile = 4; ///< of 16 by 8
  /// `low`: the type of products' operands, bf16, f16 or tf32; null: f32.
  WarpTile(Builder &b, mlir::FloatType low) : b(b), low(low) {}
  /// Before all others.
  void findThread();

  Index thread;  ///< of the block
  Index inGroup; ///< of the lane, as the PTX manual has it

  /// In the block, and in the tile: where number `number` of a lane is.
  Index row(int64_t half) { return add(b, warpRow, group) + 8 * half; }
  Index column(int64_t number) { return mul(b, inGroup, 2) + (number / sumsOfTile * 8 + number % 2); }
  static int64_t halfOf(int64_t number) { return number % sumsOfTile / 2; }

  int64_t perWord() const { return low && isHalfWord(low) ? 2 : 1; }
  mlir::Value zero() { return mlir::arith::ConstantOp::create(b, b.getF32FloatAttr(0)); }
  // Operands of products are in shared memory, indexed by number and position, whose numbers lie side by
  // side. Of 16 bits, positions begin at multiples of 16 bytes.
  /// The products of the warp's rows of `left` and of `columns` positions of `right`, along so many numbers.
  Values multiply(const Memory &left, const Memory &right, int64_t steps, int64_t columns);
  /// Adds to sums the product of a tile and a matrix, which has a position for each column of the tile, and a
  /// number for each column of the sums.
  Values addProduct(const Values &tile, Values sums, const Memory &right);
  /// In the kernel, exponentials of f32 become the machine's own where products are of low precision: what
  /// they differ by is far less than what shares are rounded by.
  void useMachineExponentials(KernelFunction &kernel);
  /// What the four lanes have that share a row; all get the same bits.
  mlir::Value acrossRow(mlir::Value value, mlir::Operation *combiner);

private:
  Values multiplyExact(const Memory &left, const Memory &right, int64_t steps, int64_t columns);
  Values addProductExact(const Values &tile, Values sums, const Memory &right);
  /// A word of tf32, or an f32 where products are computed in it.
  mlir::Value word(const Memory &memory, Index position, Index number);
  /// Words of `count` squares of 8 by 8 numbers of 16 bits: of two that follow each other along positions and
  /// then two along numbers, from these on, or the other way round.
  Values squares(const Memory &memory, Index position, int64_t number, int64_t count, bool alongPositions,
                 bool transposed);
  mlir::Value pack(mlir::Value first, mlir::Value second);

  Builder &b;
  mlir::FloatType low;
  Index lane;
  Index group;   ///< of the lane, as the PTX manual has it
  Index warpRow; ///< of the warp in the block
};

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_ATTENTION_WARPTILE_H
