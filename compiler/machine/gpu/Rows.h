//===- Rows.h - rows that stay in registers --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A normalization goes through the same row several times: for its mean, for its variance, for its result.
// Where the threads of a point have few elements of the row each, and always the same ones, they keep them.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_MACHINE_GPU_ROWS_H
#define DLC_COMPILER_MACHINE_GPU_ROWS_H

#include "compiler/machine/gpu/Schedule.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dlc::gpu {

/// The row that operations of a kernel go along together, if `members` threads share its points and
/// operation i has `partials[i]` partial sums (none: each has one).
class Rows {
public:
  Rows(train::KernelOp kernel, int64_t members, llvm::ArrayRef<int64_t> partials);

  /// How many elements of the row each thread has, where all have as many, and few enough that they can stay
  /// in registers; 0: there is no such row, or only one operation goes along it.
  int64_t turns() const { return count; }
  /// Whether the threads have elements or terms of an operation as they have those of the row.
  bool isAlong(mlir::linalg::GenericOp op) const { return llvm::is_contained(along, op); }
  /// Whether what an operation hands on is needed only where it is in a register.
  bool isKept(mlir::OpResult result) const;

private:
  int64_t mostKept(int64_t shared) const;

  llvm::SmallVector<mlir::linalg::GenericOp> along;
  int64_t count = 0;
};

} // namespace dlc::gpu

#endif // DLC_COMPILER_MACHINE_GPU_ROWS_H
