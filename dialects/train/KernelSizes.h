//===- KernelSizes.h - sizes of a kernel's loops and temporaries -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of a loop kernel share their leading loops. What one of them computes for a point of those and
// another reads is a temporary; it needs memory, unless it is a single element or an output of the kernel.
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_TRAIN_KERNELSIZES_H
#define DLC_DIALECTS_TRAIN_KERNELSIZES_H

#include "dialects/train/Train.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace train {

/// The size of an axis of any tensor in a kernel, with named dims at their bounds.
int64_t boundOf(KernelOp kernel, mlir::Value tensor, int64_t axis);
/// Trip counts, with named dims at their bounds.
llvm::SmallVector<int64_t> loopBounds(KernelOp kernel, mlir::linalg::GenericOp op);

struct Temporary {
  mlir::OpResult result;
  llvm::SmallVector<int64_t, 4> sizes; ///< per axis; 0 for those of shared loops
  /// Bytes of `width` of them side by side, with room for a whole vector of `lanes` elements at the end; a
  /// multiple of 64.
  int64_t bytes(int64_t width, int64_t lanes) const;
};

/// The temporaries of a kernel that need memory, in the order of its operations.
llvm::SmallVector<Temporary> temporariesOf(KernelOp kernel);

} // namespace train

#endif // DLC_DIALECTS_TRAIN_KERNELSIZES_H
