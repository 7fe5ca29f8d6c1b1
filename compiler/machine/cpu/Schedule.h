//===- Schedule.h - how kernels run on CPUs --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_MACHINE_CPU_SCHEDULE_H
#define DLC_COMPILER_MACHINE_CPU_SCHEDULE_H

#include "dialects/train/Train.h"

namespace dlc::cpu {
/// AMX: `tileSide` is the number of rows of a tile register, and of the sums in each row; `tileSteps` is the
/// number of bf16 elements in a row, the iterations of the reduction that one instruction adds.
constexpr int64_t tileSide = 16, tileSteps = 32;
} // namespace dlc::cpu

#include "compiler/machine/cpu/CpuDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/machine/cpu/CpuAttrs.h.inc"

#endif // DLC_COMPILER_MACHINE_CPU_SCHEDULE_H
