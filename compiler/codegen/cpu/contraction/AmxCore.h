//===- AmxCore.h - sums in the tile registers of a matrix unit -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_CONTRACTION_AMXCORE_H
#define DLC_COMPILER_CODEGEN_CPU_CONTRACTION_AMXCORE_H

#include "compiler/codegen/cpu/contraction/TileCore.h"

namespace dlc::codegen {

/// Multiplies bf16 by Intel's AMX. Products are added to a sum 32 at a time: first those of even steps of k
/// and those of odd ones, each in order, then both to each other, then these to the sum; denormal numbers
/// count as zero.
std::unique_ptr<TileCore> amxCore(KernelFunction &kernel, TileOperands &operands);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_CONTRACTION_AMXCORE_H
