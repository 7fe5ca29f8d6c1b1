//===- Contraction.h - contractions in tiles of a block --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all contractions have in common: which loops are rows, columns and steps, how a block brings both
// operands to shared memory and when its threads meet there, and what follows a sum. How threads multiply
// what is there is a core's: that of single threads (Contraction.cpp) and that of warps (Mma.cpp).
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_CONTRACTION_H
#define DLC_COMPILER_CODEGEN_GPU_CONTRACTION_H

#include "compiler/codegen/gpu/Bring.h"
#include "compiler/codegen/gpu/Operands.h"
#include "compiler/target/gpu/Schedule.h"

namespace dlc::codegen::gpu {

class ContractionCode {
public:
  /// Of a block.
  struct Tile {
    int64_t rows, columns, steps;
  };
  ContractionCode(KernelFunction &kernel, Tile tile);
  virtual ~ContractionCode() = default;
  void emit();

protected:
  /// One operand's part of a tile: `size` rows or columns by the steps.
  struct Side {
    mlir::OpOperand *operand;
    const Loops *loops;
    int64_t size;
    Index first;   ///< of the tile
    Memory source; ///< the operand
    Memory memory; ///< shared, by position and step
  };

  // A core:
  /// Where this thread is in the tile.
  virtual void placeThread() = 0;
  /// Shared memory for the elements of one side. `source` may become another view of the operand's bits.
  virtual Memory place(llvm::StringRef name, int64_t size, Memory &source) = 0;
  /// How many sums a thread has, and where in the tile number `i` is.
  virtual int64_t sumsOfThread() const = 0;
  virtual std::pair<Index, Index> placeOfSum(int64_t i) = 0;
  /// Adds the products of what both sides have.
  virtual Values multiply(Values sums) = 0;

  KernelFunction &kernel;
  Builder &b;
  mlir::linalg::GenericOp root;
  Index thread;
  Side left, right;

private:
  Side side(unsigned which, const Loops &loops, int64_t size, Index first);
  void bring(const Side &side, Index step);
  Values start();
  void finish(const Values &sums);
  void finishAt(const Point &point, mlir::Value sum);
  Index tiles(const Loops &loops, int64_t size);
  /// For each sum of the thread, under the condition that it is an element of the result.
  void forSums(llvm::function_ref<void(const Point &, mlir::Value isInside, int64_t)> body);

  Operands operands;
  dlc::gpu::ScheduleAttr schedule;
  Tile tile;
  mlir::Type element;
  Loops rows, columns, products, steps;
  Point point; ///< of the block's product
};

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_CONTRACTION_H
