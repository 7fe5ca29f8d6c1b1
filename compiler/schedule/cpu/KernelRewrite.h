//===- KernelRewrite.h - kernels with permuted tensors ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SCHEDULE_CPU_KERNELREWRITE_H
#define DLC_COMPILER_SCHEDULE_CPU_KERNELREWRITE_H

#include "dialects/train/Train.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dlc::schedule {

/// Dim i of the new form is dim permutation[i] of the old.
using Permutation = llvm::SmallVector<int64_t, 4>;

mlir::RankedTensorType permuted(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> permutation);

/// Gives the launch a kernel of its own (a copy, if the kernel has other launches).
train::KernelOp ownKernel(train::LaunchOp launch);

/// The kernel takes argument `index` in the permuted form: types and indexing maps change, values do not.
void permuteArgument(train::KernelOp kernel, unsigned index, llvm::ArrayRef<int64_t> permutation);
/// The kernel yields result `index` in the permuted form.
void permuteResult(train::KernelOp kernel, unsigned index, llvm::ArrayRef<int64_t> permutation);

/// Kernels that are equal but for their names become one; unused ones go.
void mergeEqualKernels(train::ProgramOp program);

} // namespace dlc::schedule

#endif // DLC_COMPILER_SCHEDULE_CPU_KERNELREWRITE_H
