//===- LoopKernel.h - kernels of rows and of columns -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_LOOPS_LOOPKERNEL_H
#define DLC_COMPILER_CODEGEN_CPU_LOOPS_LOOPKERNEL_H

#include "compiler/codegen/kernel/KernelFunction.h"

namespace dlc::codegen {

/// Emits a kernel whose operations share their leading parallel loops: the shared loops run outside, the
/// operations one after another inside. `columns`: the last shared loop is vectorised, so values pass
/// from operation to operation in registers. `rows`: each operation vectorises the rest of its own loops,
/// and passes whole rows on through scratch in the first-level cache.
void emitLoopKernel(KernelFunction &kernel);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_LOOPS_LOOPKERNEL_H
