//===- OuterLoops.h - loops around loops stay loops ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_OUTERLOOPS_H
#define DLC_COMPILER_CODEGEN_CPU_OUTERLOOPS_H

#include "llvm/IR/Module.h"

namespace dlc::codegen {

/// Tells LLVM not to unroll the loops that hold other loops. A tile is as large as its registers allow already;
/// copies of it, one for each position of a window, make no kernel faster, and took half of the time to compile
/// a convolutional net (docs/rationale/cpu-kernels.md). Innermost loops are LLVM's to unroll.
void keepOuterLoops(llvm::Module &module);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_OUTERLOOPS_H
