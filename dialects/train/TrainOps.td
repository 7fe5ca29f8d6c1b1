//===- TrainOps.td - all operations of the train dialect -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TRAIN_OPS
#define DLC_TRAIN_OPS

include "dialects/train/ProgramOps.td"
include "dialects/train/GradientOps.td"
include "dialects/train/OptimizerOps.td"
include "dialects/train/KernelOps.td"
include "dialects/train/CustomAttrs.td"
include "dialects/train/RecipeOps.td"

#endif
