//===- EvalFunctions.h - eval_step and predict -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_BACKWARD_EVALFUNCTIONS_H
#define DLC_COMPILER_BACKWARD_EVALFUNCTIONS_H

#include "dialects/train/Train.h"

namespace dlc::backward {

/// Sums of losses, weights and correct rows, so that they can be added up over batches of any size.
void buildEvalStep(train::FunctionOp evaluate);

/// The model's outputs alone.
void buildPredict(train::FunctionOp evaluate);

} // namespace dlc::backward

#endif // DLC_COMPILER_BACKWARD_EVALFUNCTIONS_H
