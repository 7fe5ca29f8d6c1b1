//===- Transpose.h - copies that exchange two dims -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_TRANSPOSE_H
#define DLC_COMPILER_CODEGEN_CPU_TRANSPOSE_H

#include "compiler/codegen/kernel/KernelFunction.h"

namespace dlc::codegen {

/// Emits a kernel that copies matrices to their transposes, in square blocks, as wide as a vector, which are
/// transposed in registers. So every load and store is a whole vector; a gather would touch as many cache
/// lines as there are lanes.
void emitTranspose(KernelFunction &kernel);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_TRANSPOSE_H
