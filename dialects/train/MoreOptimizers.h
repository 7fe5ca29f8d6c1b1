//===- MoreOptimizers.h - updates by signs, means and rows -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_TRAIN_MOREOPTIMIZERS_H
#define DLC_DIALECTS_TRAIN_MOREOPTIMIZERS_H

#include "dialects/train/Train.h"

#define GET_OP_CLASSES
#include "dialects/train/MoreOptimizerOps.h.inc"

#endif // DLC_DIALECTS_TRAIN_MOREOPTIMIZERS_H
