//===- OneLane.h - stores of a single lane ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_ONELANE_H
#define DLC_COMPILER_CODEGEN_CPU_ONELANE_H

#include "llvm/IR/Module.h"

namespace dlc::codegen {

/// Makes ordinary stores of masked ones whose mask is known to have a single lane. LLVM does the same while it
/// selects instructions, but up to version 22 it writes as many bytes as the vector's elements had before they
/// were truncated: 4 in place of the 2 of a bf16, for AVX-512 (llvm/llvm-project#179489).
void storeSingleLanes(llvm::Module &module);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_ONELANE_H
