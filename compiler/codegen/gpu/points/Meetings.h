//===- Meetings.h - where threads of a block must meet ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A barrier stands before what touches memory that another thread touched since the last barrier, if one of
// both writes it, and nowhere else: it costs time, and one that is not needed hides that another one is not
// where it should be.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_POINTS_MEETINGS_H
#define DLC_COMPILER_CODEGEN_GPU_POINTS_MEETINGS_H

#include "compiler/codegen/gpu/device/Device.h"

namespace dlc::codegen::gpu {

/// Which thread of a point touches which element: two that are equal do it in the same way. Without members:
/// any thread may touch any element.
struct Spread {
  int64_t members = 0;                         ///< threads for each element, of which the first touches it
  llvm::SmallVector<Index, 4> extents = {};    ///< of the loops that are spread
  llvm::ArrayRef<mlir::AffineExpr> place = {}; ///< of an element, by loops

  /// The first thread of the point touches all of it.
  static Spread onFirst() { return {1}; }
  bool isSame(const Spread &other) const;
};

/// All that the threads of a point read or write of a tensor, or of memory by its pointer, in one operation.
struct Touch {
  mlir::Value what;
  bool isWrite;
  Spread spread = {};
};

class Meetings {
public:
  /// Where `isAlone`, each point is one thread's.
  Meetings(KernelFunction &kernel, bool isAlone);

  /// Makes a barrier if one is needed, and remembers the touches, which come next.
  void before(llvm::ArrayRef<Touch> touches);
  /// Whether there must be one between these and those.
  bool mustMeet(llvm::ArrayRef<Touch> earlier, llvm::ArrayRef<Touch> next);
  /// Makes one.
  void meet();
  /// What was touched since the last barrier.
  using State = llvm::SmallVector<Touch>;
  const State &state() const { return since; }
  /// The code from where the state was `earlier` up to here may not have run.
  void mayBeSkipped(const State &earlier) { since.append(earlier.begin(), earlier.end()); }

private:
  bool isSame(mlir::Value x, mlir::Value y) {
    return x == y || llvm::is_contained(overwritten, std::pair(x, y)) ||
           llvm::is_contained(overwritten, std::pair(y, x));
  }

  Builder &b;
  bool isAlone;
  /// Inputs and outputs that have the same place in some launch.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> overwritten;
  State since;
};

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_POINTS_MEETINGS_H
