//===- OuterLoops.h - loops around loops stay loops ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_OUTERLOOPS_H
#define DLC_COMPILER_CODEGEN_CPU_OUTERLOOPS_H

#include "llvm/IR/Module.h"

namespace dlc::codegen {

/// Tells LLVM not to unroll the loops that hold other loops. A tile is as large as its registers allow already;
/// nine copies of one, for a window of 3 by 3, do not fit into the caches of decoded instructions, and take
/// most of the time that LLVM needs. Innermost loops are LLVM's to unroll.
void keepOuterLoops(llvm::Module &module);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_OUTERLOOPS_H
