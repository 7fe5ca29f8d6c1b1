//===- Scatter.h - sums at computed positions ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_SCATTER_H
#define DLC_COMPILER_CODEGEN_CPU_SCATTER_H

#include "compiler/codegen/kernel/KernelFunction.h"

namespace dlc::codegen {

/// Emits a kernel scheduled as #cpu.scatter.
void emitScatter(KernelFunction &kernel);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_SCATTER_H
