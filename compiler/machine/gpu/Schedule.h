//===- Schedule.h - how kernels run on GPUs --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_MACHINE_GPU_SCHEDULE_H
#define DLC_COMPILER_MACHINE_GPU_SCHEDULE_H

#include "dialects/train/Train.h"

#include "compiler/machine/gpu/GpuDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/machine/gpu/GpuAttrs.h.inc"

namespace dlc::gpu {

/// Bytes of each thread's partial results, of which `partials` of an operation are one sum (none: no
/// operation has any). All operations use the same memory, one after the other.
int64_t partialBytes(train::KernelOp kernel, llvm::ArrayRef<int64_t> partials);

/// Whether GPUs that multiply in groups of warps do so for tiles of the form `mma`, with so many rows, by
/// blocks of so many threads, from operands of this type.
bool isOfWarpGroup(int64_t rows, int64_t threads, mlir::Type low);

} // namespace dlc::gpu

#endif // DLC_COMPILER_MACHINE_GPU_SCHEDULE_H
