//===- FindRate.h - a learning rate to begin with --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_FINDRATE_H
#define DLC_TOOLS_DLC_TRAIN_FINDRATE_H

#include "tools/dlc/train/DataSet.h"
#include "tools/dlc/train/Instance.h"

namespace dlc::tool::training {

/// Trains for some steps with rates that rise from one to the next, and draws the losses, with --plot also
/// into a picture; the exit code. The instance is not worth much afterwards.
int findRate(const TrainOptions &options, const Compiler &compiler, Instance &instance, const DataSet &data);

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_FINDRATE_H
