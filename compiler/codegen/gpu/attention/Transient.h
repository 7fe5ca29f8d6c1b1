//===- Transient.h - matrices of which only tiles exist ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block has some positions along the kept side of one matrix, 16 for each warp, and goes through the other
// side. Of each tile, products make the elements in the lanes' registers (WarpTile.h), operations of each
// element work on them there, and what takes them up adds to sums that stay in registers to the end. What
// products read of the kept side lies in shared memory all the time; of the other side, of one tile.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_ATTENTION_TRANSIENT_H
#define DLC_COMPILER_CODEGEN_GPU_ATTENTION_TRANSIENT_H

#include "compiler/analysis/Transient.h"
#include "compiler/codegen/gpu/attention/WarpTile.h"
#include "compiler/codegen/gpu/device/Operands.h"
#include "compiler/codegen/gpu/device/SharedMemoryLoad.h"
#include "compiler/machine/gpu/Schedule.h"
#include <vector>

namespace dlc::codegen::gpu {

class TransientCode {
public:
  explicit TransientCode(KernelFunction &kernel);
  void emit();

private:
  using Op = mlir::linalg::GenericOp;
  static constexpr int64_t rowsOfLane = WarpTile::rowsOfLane, sumsOfTile = WarpTile::sumsOfTile;
  /// For each end, what a lane has of its sums.
  using Sums = llvm::SmallVector<Values, 4>;
  /// The tile of an operand that lies in shared memory, and which loops of its reader go along the side and
  /// along the numbers of a position.
  struct SharedTile {
    Memory memory;
    Loops positions, numbers;
  };
  /// An operand that elements are compared or multiplied with, which does not differ along one of the sides:
  /// its values for the lane's positions along the other one.
  struct Loaded {
    mlir::OpOperand *operand;
    bool isOfRows; ///< which are the positions of the kept side
    Values values;
  };

  // Transient.cpp
  Range tilesOf();
  Sums start();
  Sums step(Index first, Sums sums);
  void finish(const Sums &sums);
  void finishAt(Op end, const Point &at, mlir::Value value);

  // TransientProducts.cpp
  void placeMemory();
  void bring(bool isKept, Index first);
  Values make(Op maker);
  Values addProduct(Op end, const Values &elements, Values sums);

  // TransientElements.cpp
  void findLoaded();
  void load(bool isOfRows, Index first);
  std::optional<bool> isOfRows(mlir::OpOperand &operand);
  Sums elementsFor(Index first);
  Values elementFor(const Sums &made, Index first, int64_t number);

  Index row(int64_t half) { return add(b, firstRow, warp.row(half)); }
  Index positionOf(Index first, int64_t number) { return add(b, first, warp.column(number)); }
  mlir::Value isRow(int64_t half) { return Span{&rows, {}, form.getRows()}.isInside(b, row(half), {}); }
  mlir::Value isPosition(Index first, int64_t number, mlir::Value also) {
    return Span{&along, {}, form.getAlong()}.isInside(b, positionOf(first, number), also);
  }
  int64_t keptLoop() const { return transient.sides[transient.kept].back(); }
  int64_t otherLoop() const { return transient.sides[1 - transient.kept].back(); }
  /// The point of an operation at a position of each side.
  Point pointOf(Op op, Index row, Index position);
  int64_t columnsOf(Op end) const;

  KernelFunction &kernel;
  Builder &b;
  Operands operands;
  analysis::TransientKernel transient;
  dlc::gpu::ScheduleAttr schedule;
  dlc::gpu::TransientAttr form;
  WarpTile warp;
  /// Loops of the first producer: `matrices` and `rows` (the kept side) are spread over blocks; of the other
  /// side, tiles go along `along`, and each block goes through `before` one iteration after the other.
  Loops matrices, rows, along, before;
  Point point;                         ///< of the first maker
  Index firstRow;                      ///< of the block
  std::vector<SharedTile> sharedTiles; ///< one for each of the kernel's operands
  std::vector<Loaded> loaded;
};

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_ATTENTION_TRANSIENT_H
