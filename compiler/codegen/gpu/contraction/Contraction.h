//===- Contraction.h - contractions in tiles of a block --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all contractions have in common: which loops are rows, columns and steps, how a block brings both
// operands to shared memory and when its threads meet there, and what follows a sum. How threads multiply
// what is there is a core's: that of single threads (Threads.cpp), of warps (Mma.cpp) and of groups of warps
// (WarpGroup.cpp).
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_CONTRACTION_CONTRACTION_H
#define DLC_COMPILER_CODEGEN_GPU_CONTRACTION_CONTRACTION_H

#include "compiler/codegen/gpu/contraction/Tile.h"
#include "compiler/codegen/gpu/device/Operands.h"
#include "compiler/codegen/gpu/device/SharedMemoryLoad.h"
#include "compiler/machine/gpu/Schedule.h"

namespace dlc::codegen::gpu {

class ContractionCode {
public:
  /// `form`: any that multiplies tiles of a block.
  template <typename Form>
  ContractionCode(KernelFunction &kernel, Form form)
      : ContractionCode(kernel, {form.getRows(), form.getColumns(), form.getSteps(), form.getStages()},
                        form.getLeft(), form.getRight()) {}
  virtual ~ContractionCode() = default;
  void emit();

protected:
  /// The tile of a block: rows and columns of the result, steps of k in a round, and for how many rounds it
  /// has shared memory.
  struct Shape {
    int64_t rows, columns, steps, stages;
  };
  ContractionCode(KernelFunction &kernel, Shape shape, dlc::gpu::CopyAttr left, dlc::gpu::CopyAttr right);

  /// One operand's part of a tile: `size` rows or columns by the steps.
  struct Side {
    mlir::OpOperand *operand;
    const Loops *loops;
    int64_t size;
    dlc::gpu::CopyAttr copy;
    Index first;   ///< of the tile
    Memory source; ///< the operand
    Tile tile;     ///< rows are positions along steps, or steps along positions

    bool isAlongSteps() const { return copy.getAlongSteps(); }
    Tile::Coordinates place(Builder &b, const OperandBlock::Coordinates &place) const {
      return isAlongSteps() ? tile.place(b, place.position, place.step)
                            : tile.place(b, place.step, place.position);
    }
  };

  // A core:
  /// Where this thread is in the tile.
  virtual void placeThread() = 0;
  /// The type as which elements are brought, and the order in which the core reads them best.
  virtual mlir::Type broughtType(mlir::Type element) const = 0;
  virtual Tile::Order orderOf(const Side &side) const = 0;
  /// How many sums a thread has, and where in the tile number `i` is.
  virtual int64_t sumsOfThread() const = 0;
  virtual std::pair<Index, Index> placeOfSum(int64_t i) = 0;
  /// So many sums, from a multiple of that on, are neighbours in a row.
  virtual int64_t neighbouringSums() const = 0;
  /// Adds the products of what both sides have in a stage.
  virtual Values multiply(Index stage, Values sums) = 0;
  /// Before the threads meet, with a round in shared memory: `again` says that stages are filled a second
  /// time behind this meeting, so the products of the round before must have been read.
  virtual void beforeMeeting(bool /*again*/) {}
  /// The sums, when there are no more rounds.
  virtual Values results(Values sums) { return sums; }

  KernelFunction &kernel;
  Builder &b;
  mlir::linalg::GenericOp root;
  Index thread;
  Side left, right;

private:
  void place(Side &side, llvm::StringRef name);
  OperandBlock elementsOf(const Side &side, Index step) const;
  bool hasCopies() const { return left.copy.getBytes() || right.copy.getBytes(); }
  bool fillsStagesAgain() const;
  void copy(const Side &side, Index stage, Index step);
  void copyBoth(Index stage, Index step);
  Values loadBoth(Index step);
  void storeBoth(Index stage, llvm::ArrayRef<mlir::Value> values);
  Index stageAfter(Index stage, int64_t distance, int64_t last, int64_t first);
  void bringFirst();
  Values round(Index step, Values carried);
  Values start();
  void finish(const Values &sums);
  void finishAt(const Point &point, mlir::Value sum);
  Index tiles(const Loops &loops, int64_t size);
  /// For each sum of the thread, its point, and the condition that it is an element of the result.
  void forSums(llvm::function_ref<void(const Point &, mlir::Value isInside, int64_t)> body);
  /// How many neighbouring sums of a thread are either all elements of the result, or none of them is.
  int64_t sumsTogether() const;
  llvm::SmallVector<Index, 4> blockOf(Index down, Index across);

  Operands operands;
  dlc::gpu::ScheduleAttr schedule;
  Shape shape;
  mlir::Type element;
  Loops rows, columns, products, steps;
  Point point; ///< of the block's product
};

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_CONTRACTION_CONTRACTION_H
