//===- BarrierPlacement.h - where the threads of a block need barriers -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A barrier stands before an access to memory that another thread accessed since the last barrier, if one of
// both accesses is a write, and nowhere else: a barrier costs time, and one that is not needed hides that
// another one is missing.
//
// For example, a row's sum is written by the first thread of the row and then read by all of its threads: a
// write owned by one thread, followed by a read without an owner, needs a barrier between them. Where each
// thread reads only the elements that it wrote itself, both accesses have equal owners, and none is needed.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_POINTS_BARRIERPLACEMENT_H
#define DLC_COMPILER_CODEGEN_GPU_POINTS_BARRIERPLACEMENT_H

#include "compiler/codegen/gpu/device/Device.h"

namespace dlc::codegen::gpu {

/// Which thread of a point accesses which element. Two accesses with equal ownerships give each element to
/// the same thread. Where `members` is 0, any thread may access any element.
struct Ownership {
  int64_t members = 0;                         ///< threads for each element; the first of them accesses it
  llvm::SmallVector<Index, 4> extents = {};    ///< of the loops that are spread over threads
  llvm::ArrayRef<mlir::AffineExpr> place = {}; ///< the element's indices as functions of the loops

  /// The first thread of the point accesses all of it.
  static Ownership onFirst() { return {1}; }
  bool isSame(const Ownership &other) const;
};

/// All reads, or all writes, of one tensor (or of memory, by its pointer) in one operation, by all threads of
/// a point.
struct MemoryAccess {
  mlir::Value what;
  bool isWrite;
  Ownership ownership = {};
};

class BarrierPlacement {
public:
  /// `isAlone`: each point is computed by one thread alone, so that no barrier is ever needed.
  BarrierPlacement(KernelFunction &kernel, bool isAlone);

  /// Emits a barrier if these accesses, which the caller emits next, need one, and remembers them.
  void before(llvm::ArrayRef<MemoryAccess> accesses);
  /// Whether a barrier must stand between the earlier accesses and the next ones.
  bool needsBarrier(llvm::ArrayRef<MemoryAccess> earlier, llvm::ArrayRef<MemoryAccess> next);
  void emitBarrier();
  /// The accesses since the last barrier.
  using State = llvm::SmallVector<MemoryAccess>;
  const State &state() const { return since; }
  /// Says that the code emitted since the state was `earlier` may be skipped at run time, so that its
  /// barriers do not separate what stands before it from what comes after it.
  void mayBeSkipped(const State &earlier) { since.append(earlier.begin(), earlier.end()); }

private:
  bool isSame(mlir::Value x, mlir::Value y) {
    return x == y || llvm::is_contained(overwritten, std::pair(x, y)) ||
           llvm::is_contained(overwritten, std::pair(y, x));
  }

  Builder &b;
  bool isAlone;
  /// Pairs of inputs and outputs that have the same memory in some launch.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> overwritten;
  State since;
};

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_POINTS_BARRIERPLACEMENT_H
