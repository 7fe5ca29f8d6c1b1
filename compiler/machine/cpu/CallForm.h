//===- CallForm.h - the form of kernels that call users' functions ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel is one `train.custom_call`, and its only loop is that over the rows of the function, if this has
// any: where it is split, the function is called once for each chunk. There is no more to be said, so the
// form is a word.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_MACHINE_CPU_CALLFORM_H
#define DLC_COMPILER_MACHINE_CPU_CALLFORM_H

#include "compiler/machine/cpu/Schedule.h"

namespace dlc::cpu {

constexpr llvm::StringLiteral callForm = "call";

inline bool isCall(ScheduleAttr schedule) { return llvm::isa<mlir::StringAttr>(schedule.getForm()); }

} // namespace dlc::cpu

#endif // DLC_COMPILER_MACHINE_CPU_CALLFORM_H
