//===- Points.h - kernels whose threads share points of loops --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where several threads work on a point, they must meet between operations: what one wrote, others read, and
// what one overwrites (an output may have the place of an input), others have read. Barriers are for all
// threads of the block, so those without a point of their own come along and only skip what is between.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_POINTS_POINTS_H
#define DLC_COMPILER_CODEGEN_GPU_POINTS_POINTS_H

#include "compiler/codegen/gpu/device/Operands.h"
#include "compiler/codegen/gpu/points/BarrierPlacement.h"
#include "compiler/codegen/kernel/Narrow.h"
#include "compiler/machine/gpu/Rows.h"

namespace dlc::codegen::gpu {

class PointsCode {
public:
  explicit PointsCode(KernelFunction &kernel)
      : kernel(kernel), b(kernel.builder()), operands(kernel),
        schedule(mlir::cast<dlc::gpu::ScheduleAttr>(kernel.schedule())), form(schedule.points()),
        members(form.getMembers()), elements(form.getElements()), perBlock(schedule.getThreads() / members),
        rows(kernel.getKernel(), members, form.getPartials()), shared(kernel.shared()),
        barriers(kernel, members == 1) {}

  void emit();

private:
  void placeTemporaries(Index block, Index slot);
  /// All points of a thread, side by side.
  void emitNeighbours();
  bool isReadLater(mlir::BlockArgument argument);
  void emitOperation(mlir::linalg::GenericOp op);
  /// Elements of a point, each of which is one thread's.
  void emitElements(mlir::linalg::GenericOp op);
  /// The one element of a point, which all its threads have afterwards.
  void emitElement(mlir::linalg::GenericOp op);
  /// Reductions in partial results.
  void emitPartials(mlir::linalg::GenericOp op, int64_t partials);
  void finishPartials(mlir::linalg::GenericOp op, int64_t partials, const Point &at, mlir::Value isElement,
                      const Values &partial);
  /// Whether threads hand their partial results to each other in shared memory.
  bool needsMemory(mlir::linalg::GenericOp op, int64_t partials);
  /// How many of the next operations, whose elements or terms threads have in the same turns, can do so in
  /// one loop: each reads at most what the others have at the same place.
  size_t countTogether(llvm::ArrayRef<mlir::linalg::GenericOp> operations);
  void emitTogether(llvm::ArrayRef<mlir::linalg::GenericOp> operations);
  /// Elements or terms of an operation that its threads take in turns; empty: it has others.
  llvm::ArrayRef<Index> turnsOf(mlir::linalg::GenericOp op);
  Values combinePartials(mlir::linalg::GenericOp op, int64_t partials, Index number, Values sums);
  /// How many partial results lanes of a warp combine among themselves, without memory; 1: none.
  int64_t lanesOf(mlir::linalg::GenericOp op, int64_t partials);
  /// Where in shared memory threads have their partial results, by result.
  void placePartials(mlir::linalg::GenericOp op);
  void storePartials(const Values &sums);
  Values loadPartials(Index of);
  void keepElement(mlir::linalg::GenericOp op, const Values &results);
  Values compute(mlir::linalg::GenericOp op, Point at);
  Values reduce(mlir::linalg::GenericOp op, Point at, int64_t loop, Values sums);
  /// The iterations `first`, `first + threads` ... below `count`, in order. What some of them read is asked
  /// for before the first of them writes: a thread that waits for memory waits for several reads at once.
  Values forShare(Index first, Index count, int64_t threads, Values carried,
                  llvm::function_ref<Values(Index, Values)> body);
  /// The elements of its row that a thread keeps, in order.
  Values forTurns(Values carried, llvm::function_ref<Values(Index, Values)> body);
  /// Whether an operation goes along the row of which threads keep their elements.
  bool isAlongRow(mlir::linalg::GenericOp op) { return form.getTurns() > 0 && rows.isAlong(op); }
  Values reducePart(mlir::linalg::GenericOp op, Point at, Index first, int64_t partials);
  void write(mlir::linalg::GenericOp op, const Point &at, const Values &results);

  /// The sizes of an operation's own parallel loops, and of its reductions.
  llvm::ArrayRef<Index> own(mlir::linalg::GenericOp op) {
    return llvm::ArrayRef(extents).slice(shared, op.getNumParallelLoops() - shared);
  }
  llvm::ArrayRef<Index> reductions(mlir::linalg::GenericOp op) {
    return llvm::ArrayRef(extents).drop_front(op.getNumParallelLoops());
  }
  Point pointOf(mlir::linalg::GenericOp op, llvm::ArrayRef<Index> ownPositions) {
    Point at = point;
    at.loops.append(ownPositions.begin(), ownPositions.end());
    at.loops.resize(op.getNumLoops());
    return at;
  }
  llvm::SmallVector<mlir::Type> elementTypes(mlir::linalg::GenericOp op) {
    return llvm::map_to_vector(
        op->getResultTypes(), [](mlir::Type type) { return registerType(mlir::getElementTypeOrSelf(type)); });
  }
  int64_t partialsOf(mlir::linalg::GenericOp op) {
    llvm::ArrayRef<int64_t> all = form.getPartials();
    return all.empty() ? 1 : all[llvm::find(kernel.operations(), op) - kernel.operations().begin()];
  }
  /// How `loops` of an operation are spread over groups of `members` threads, each of which has one iteration
  /// at a time, in turn.
  static Ownership ownership(int64_t members, llvm::ArrayRef<Index> loops);
  /// That of the terms of a sum which all threads make: as elements of other operations are.
  Ownership ofTerms(mlir::linalg::GenericOp op) {
    return own(op).empty() ? ownership(/*members=*/1, reductions(op)) : Ownership();
  }
  /// What an operation reads at a point, and where its sums begin; what it writes. Which thread accesses
  /// what, `ownership` says, but for the place.
  llvm::SmallVector<MemoryAccess> reads(mlir::linalg::GenericOp op, const Ownership &ownership = {});
  llvm::SmallVector<MemoryAccess> starts(mlir::linalg::GenericOp op, const Ownership &ownership = {});
  llvm::SmallVector<MemoryAccess> writes(mlir::linalg::GenericOp op, const Ownership &ownership);

  KernelFunction &kernel;
  Builder &b;
  Operands operands;
  dlc::gpu::ScheduleAttr schedule;
  dlc::gpu::PointsAttr form;
  int64_t members, elements, perBlock;
  dlc::gpu::Rows rows;
  int64_t shared;
  BarrierPlacement barriers;
  Index thread, member;                ///< numbers of this thread: in its block, and among those of its point
  Point point;                         ///< of the shared loops
  mlir::Value isPoint;                 ///< whether there is one for this thread; null: always
  llvm::SmallVector<Index, 4> extents; ///< of the operation that is emitted
  mlir::Value partialMemory;           ///< shared
  llvm::SmallVector<Memory> partialSums; ///< by result, there: one for each thread
};

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_POINTS_POINTS_H
