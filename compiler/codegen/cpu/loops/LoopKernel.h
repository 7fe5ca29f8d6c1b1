//===- LoopKernel.h - kernels of rows and of columns -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations of such a kernel share their leading parallel loops: the shared loops run outside, the
// operations one after another inside. `columns`: the last shared loop is vectorised, so values pass from
// operation to operation in registers. `rows`: each operation vectorises the rest of its own loops, and
// passes whole rows on through scratch in the first-level cache.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_LOOPS_LOOPKERNEL_H
#define DLC_COMPILER_CODEGEN_CPU_LOOPS_LOOPKERNEL_H

#include "compiler/codegen/cpu/VectorLoops.h"
#include "compiler/codegen/cpu/loops/ShortRows.h"
#include "compiler/codegen/cpu/loops/Temporaries.h"

namespace dlc::codegen {

class LoopKernel {
public:
  explicit LoopKernel(KernelFunction &kernel)
      : kernel(kernel), b(kernel.builder()), schedule(scheduleOf(kernel)), lanes(schedule.getLanes()),
        shared(kernel.shared()), vectors(schedule.columns() ? schedule.columns().getVectors() : 1),
        lanesShared(schedule.columns() && lanes > 1), shortRows(kernel), temporaries(kernel) {}

  void emit();

private:
  using Op = mlir::linalg::GenericOp;
  using Points = llvm::SmallVector<Point, 4>;
  using Extents = llvm::ArrayRef<Index>;

  // LoopKernel.cpp
  void emitShared(int64_t loop, Point point, llvm::ArrayRef<Range> ranges, Extents extents);
  void emitOperations(const Points &points);
  void emitOperation(Op op, const Points &points);
  void emitParallel(Op op, Extents extents, llvm::ArrayRef<int64_t> loops, int64_t lane,
                    const Points &points);
  /// The points at a position of `loop`, or at as many of them as a vector has.
  Points placed(Points points, int64_t loop, Index position, bool vector, mlir::Value mask) const;
  /// The loop of an operation's own that is vectorised, or -1.
  int64_t ownLane(Op op) const;
  /// Whether so many elements in vectors are unrolled.
  bool isUnrolled(Index extent) const;

  // LoopSums.cpp
  void compute(Op op, Extents extents, int64_t lane, const Points &points);
  Values reduce(Op op, Extents extents, llvm::ArrayRef<int64_t> loops, int64_t lane, const Points &points,
                Values accumulators);
  Values reduceBlock(Op op, Extents extents, llvm::ArrayRef<int64_t> loops, int64_t lane,
                     const Points &points, Index low, Index count, Values accumulators);
  int64_t termsOf(Op op, llvm::ArrayRef<int64_t> loops, int64_t lane) const;
  /// The number of terms of a loop that are taken at the same time.
  int64_t together(Op op, int64_t loop, int64_t lane) const;
  /// Accumulators that have no terms yet, of each lane where a reduction's own loop is vectorised.
  Values nothing(Op op, int64_t lane, const Points &points);
  Values step(Op op, const Points &points, const Values &accumulators);
  /// The number of accumulators that the terms of an operation's reduction take in turn.
  int64_t accumulatorsOf(Op op) const;

  // LoopMemory.cpp
  mlir::Value read(Op op, mlir::OpOperand &operand, const Point &point, unsigned which);
  void write(Op op, const Points &points, const Values &results);

  KernelFunction &kernel;
  Builder &b;
  cpu::ScheduleAttr schedule;
  int64_t lanes, shared, vectors; ///< vectors of the last shared loop that run together
  bool lanesShared;
  bool isWholeVectors = false; ///< are what counts of a row, though their number depends on the row
  ShortRows shortRows;
  Temporaries temporaries;
  llvm::DenseMap<mlir::Value, Values> registers; ///< one value per point of the shared loops
};

/// Emits a kernel of this form.
void emitLoopKernel(KernelFunction &kernel);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_LOOPS_LOOPKERNEL_H
