//===- MachineModel.h - what layout and fuse ask of a machine --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages that decide what is computed together, and in which form it lies in memory, do not know whether
// their target is a CPU or a GPU. They ask these numbers, which each target fills in. How a kernel runs is
// another matter: the schedules of targets have numbers of their own (CpuCosts.h, GpuTarget.h).
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_MACHINE_MACHINEMODEL_H
#define DLC_COMPILER_MACHINE_MACHINEMODEL_H

#include "compiler/machine/CpuTarget.h"

namespace dlc {

struct MachineModel {
  CpuTarget vectors;              ///< the CPU, or the machine of vectors that a GPU is taken for
  int64_t operationsPerByte = 16; ///< simple ones, that a core computes while memory moves a byte
  /// Whether matrices of scores of attentions are computed tile by tile, in registers. Each attention is a
  /// kernel then, and no other kernel has steps.
  bool tilesScores = false;
  int64_t tilesAtOnce = 0; ///< of products; 0 where few threads have large tiles

  /// Columns of a panel of a large matrix; 0 where matrices lie as they are.
  int64_t panelWidth() const { return vectors.lanes > 1 ? vectors.panelWidth() : 0; }
};

} // namespace dlc

#endif // DLC_COMPILER_MACHINE_MACHINEMODEL_H
