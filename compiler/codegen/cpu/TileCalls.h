//===- TileCalls.h - calls in the place of a matrix unit's instructions ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_TILECALLS_H
#define DLC_COMPILER_CODEGEN_CPU_TILECALLS_H

#include "llvm/IR/Module.h"

namespace dlc::codegen {

/// Instructions of AMX become calls of functions with the same operands, which are defined nowhere: dlc_ and the
/// instruction's name. So tests run what is compiled for AMX where there is none, and see whether registers are used as
/// they are configured.
void callTileFunctions(llvm::Module &module);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_TILECALLS_H
