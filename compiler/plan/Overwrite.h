//===- Overwrite.h - may a result be written where an operand lies? --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A proof from the kernel's indexing maps alone; it does not look at what the stage schedule says about it.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PLAN_OVERWRITE_H
#define DLC_COMPILER_PLAN_OVERWRITE_H

#include "dialects/train/Train.h"

namespace dlc::plan {

/// Whether `kernel`, in every order in which its code may run, reads each element of argument `operand` for
/// the last time before it writes the element of result `result` at the same place; both have the same type
/// and strides.
bool readsBeforeItWrites(train::KernelOp kernel, unsigned operand, unsigned result);

} // namespace dlc::plan

#endif // DLC_COMPILER_PLAN_OVERWRITE_H
