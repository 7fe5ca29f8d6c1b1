//===- StepOutputs.h - what steps that train tell of their batch -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SUPPORT_STEPOUTPUTS_H
#define DLC_COMPILER_SUPPORT_STEPOUTPUTS_H

#include "llvm/ADT/StringRef.h"

namespace dlc {

/// Marks a `train.output` with a role of `eval_step` (loss_sum, loss_weight, correct) that steps that train
/// write of their own batch.
constexpr llvm::StringLiteral ofStepName = "of_step";

} // namespace dlc

#endif // DLC_COMPILER_SUPPORT_STEPOUTPUTS_H
