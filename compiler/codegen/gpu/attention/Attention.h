//===- Attention.h - attentions, keys by keys -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block has some queries of one head and goes through the keys. Each of its warps has 16 queries: scores
// and what they become stay in its lanes' registers (WarpTile.h).
//
// With m and l, a row's largest score and the sum of its exponentials so far, and o, the values that these
// weigh: when a larger score comes, l and o are multiplied by the exponential of the difference. The sum of a
// row divides o at the end, where the program divides each share.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_ATTENTION_ATTENTION_H
#define DLC_COMPILER_CODEGEN_GPU_ATTENTION_ATTENTION_H

#include "compiler/analysis/Attention.h"
#include "compiler/codegen/gpu/attention/WarpTile.h"
#include "compiler/codegen/gpu/device/Operands.h"
#include "compiler/codegen/gpu/device/SharedMemoryLoad.h"
#include "compiler/machine/gpu/Schedule.h"

namespace dlc::codegen::gpu {

class AttentionCode {
public:
  explicit AttentionCode(KernelFunction &kernel);
  void emit();

private:
  using Op = mlir::linalg::GenericOp;
  static constexpr int64_t rowsOfLane = WarpTile::rowsOfLane, sumsOfTile = WarpTile::sumsOfTile;
  /// What a lane has of its rows and of what is summed up for them.
  struct State {
    mlir::Value rowMax[rowsOfLane], sum[rowsOfLane];
    Values weighed;
    Values all() const;
    static State of(const Values &all);
  };

  // AttentionProducts.cpp
  void placeMemory();
  SharedMemoryLoad loadOf(Op op, unsigned operand, const Memory &memory, Span positions, Span steps);
  Values multiplyKeys();
  Values multiplyValues(const Values &probabilities, Values weighed);

  // AttentionProbabilities.cpp
  Values masked(const Values &scores, Index firstKey);
  Values probabilitiesOf(const Values &masked, const Values &scores, Index firstKey, const State &state);
  void keepElement(const Values &masked, const Values &scores, size_t number);
  mlir::Value rowMaxOf(mlir::Value rowMax, const Values &masked, int64_t half);
  mlir::Value isNone(mlir::Value rowMax);
  mlir::Value finite(mlir::Value rowMax);
  mlir::Value subtrahend(mlir::Value rowMax, int64_t half);
  Values ofRow(mlir::Value rowMax, mlir::Value sum, int64_t half);

  // Attention.cpp
  State start();
  State step(Index firstKey, State state);
  void finish(const State &state);
  void finishAt(const Point &at, mlir::Value value);
  Index keysOf(Index firstRow);

  Index row(int64_t half) { return add(b, firstRow, warp.row(half)); }
  Index keyOf(Index firstKey, int64_t number) { return add(b, firstKey, warp.column(number)); }
  static int64_t halfOf(int64_t number) { return WarpTile::halfOf(number); }
  mlir::Value isRow(int64_t half) { return Span{&rows, {}, form.getRows()}.isInside(b, row(half), {}); }
  mlir::Value isElement(Index firstKey, int64_t number) {
    Index key = keyOf(firstKey, number);
    return Span{&keys, {}, form.getKeys()}.isInside(b, key, isRow(halfOf(number)));
  }
  /// The point of an operation where `scores` has this row and key.
  Point pointOf(Op op, Index row, Index key);
  mlir::Value number(double value);

  KernelFunction &kernel;
  Builder &b;
  Operands operands;
  analysis::Attention attention;
  dlc::gpu::ScheduleAttr schedule;
  dlc::gpu::AttentionAttr form;
  WarpTile warp;
  Loops products, rows, keys, steps; ///< of `scores`
  Loops keysOfValues, columns;       ///< of `values`
  Point point;                       ///< of `scores`: the block's head
  Memory queries, keyTile, valueTile;
  Index firstRow; ///< of the block
};

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_ATTENTION_ATTENTION_H
