//===- CutForRanks.h - a program for several processes ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PIPELINE_CUTFORRANKS_H
#define DLC_COMPILER_PIPELINE_CUTFORRANKS_H

#include "compiler/pipeline/Options.h"
#include "mlir/IR/BuiltinOps.h"

namespace dlc::pipeline {

/// The batch of all ranks.
struct WholeBatch {
  int64_t rows = 0;        ///< at most; 0: no dim is the batch, as the stage backward says
  bool takesFewer = false; ///< the program was to take any number up to that
};

/// Makes an imported program that of one of `ranks` processes, which has the largest part of a batch at most.
/// An error with options that are for one process.
mlir::FailureOr<WholeBatch> cutForRanks(mlir::ModuleOp module, const Options &options, int64_t ranks);

} // namespace dlc::pipeline

#endif // DLC_COMPILER_PIPELINE_CUTFORRANKS_H
