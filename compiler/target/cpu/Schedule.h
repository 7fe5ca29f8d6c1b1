//===- Schedule.h - how kernels run on CPUs --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_TARGET_CPU_SCHEDULE_H
#define DLC_COMPILER_TARGET_CPU_SCHEDULE_H

#include "dialects/train/Train.h"

namespace dlc::cpu {
/// Of AMX: the rows of a tile register, which are also the lanes of its rows as sums; and how many elements
/// of bf16 a row has, the iterations of a reduction that one instruction adds.
constexpr int64_t tileSide = 16, tileSteps = 32;
} // namespace dlc::cpu

#include "compiler/target/cpu/CpuDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/target/cpu/CpuAttrs.h.inc"

#endif // DLC_COMPILER_TARGET_CPU_SCHEDULE_H
