//===- Call.h - calls of users' functions ----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SCHEDULE_CPU_CALL_H
#define DLC_COMPILER_SCHEDULE_CPU_CALL_H

#include "compiler/machine/cpu/CallForm.h"
#include "dialects/train/Custom.h"

namespace dlc::schedule {

/// The call of a user's function that a kernel consists of; null for other kernels.
train::CustomCallOp callIn(train::KernelOp kernel);
/// The schedule of such a kernel: the rows of the function, if it has any, are cut into chunks.
cpu::ScheduleAttr callSchedule(train::KernelOp kernel);

} // namespace dlc::schedule

#endif // DLC_COMPILER_SCHEDULE_CPU_CALL_H
