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

namespace dlc::codegen::gpu {

class WarpTile {
public:
  static constexpr int64_t rowsOfLane = 2, sumsOfTile = 4; ///< of 16 by 8
  /// `low`: the type of products' operands, bf16 or tf32; null: f32.
  WarpTile(Builder &b, mlir::FloatType low) : b(b), low(low) {}
  /// Before all others.
  void findThread();

  Index thread;  ///< of the block
  Index inGroup; ///< of the lane, as the PTX manual has it

  /// In the block, and in the tile: where number `number` of a lane is.
  Index row(int64_t half) { return add(b, warpRow, group) + 8 * half; }
  Index column(int64_t number) { return mul(b, inGroup, 2) + (number / sumsOfTile * 8 + number % 2); }
  static int64_t halfOf(int64_t number) { return number % sumsOfTile / 2; }

  int64_t perWord() const { return low && low.isBF16() ? 2 : 1; }
  mlir::Value zero() { return mlir::arith::ConstantOp::create(b, b.getF32FloatAttr(0)); }
  /// Of an operand in shared memory, which is indexed by step and position: a word of some steps, or an f32
  /// where products are computed in it.
  mlir::Value word(const Memory &memory, Index position, Index word);
  /// The same of two of its positions in a row, where a word has two.
  mlir::Value wordAcross(const Memory &memory, Index step, Index word);

  /// The products of the warp's rows of `left` and of `columns` positions of `right`.
  Values multiply(const Memory &left, const Memory &right, int64_t steps, int64_t columns);
  /// Adds the product of a tile and another matrix to sums of as many columns as these have: `right` gives
  /// the words of the matrix, by number and column.
  Values addProduct(const Values &tile, Values sums,
                    llvm::function_ref<mlir::Value(Index word, Index column)> right);
  /// What the four lanes have that share a row; all get the same bits.
  mlir::Value acrossRow(mlir::Value value, mlir::Operation *combiner);

private:
  mlir::Value pack(mlir::Value low, mlir::Value high);
  mlir::Value packBits(mlir::Value low, mlir::Value high);

  Builder &b;
  mlir::FloatType low;
  Index group;   ///< of the lane, as the PTX manual has it
  Index warpRow; ///< of the warp in the block
};

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_ATTENTION_WARPTILE_H
