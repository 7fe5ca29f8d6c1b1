//===- Launcher.h - which of several processes this one is ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_LAUNCHER_H
#define DLC_TOOLS_DLC_TRAIN_LAUNCHER_H

#include "tools/dlc/train/Train.h"

namespace dlc::tool::training {

/// What a variable of the environment has; null where it is not set.
using Environment = std::function<const char *(const char *name)>;

/// What the launcher of this process says in the environment: mpirun of Open MPI, that of MPICH and its like
/// (PMI), srun. One process where none has started it. Failure where what it says makes no sense, and where
/// the launcher is torchrun, whose processes no MPI can join.
ThisRank rankOfLauncher(const Environment &environment);

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_LAUNCHER_H
