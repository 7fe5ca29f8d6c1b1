//===- BudgetSearch.h - what a memory budget leads to ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PIPELINE_BUDGETSEARCH_H
#define DLC_COMPILER_PIPELINE_BUDGETSEARCH_H

#include "compiler/fuse/Passes.h"
#include "compiler/pipeline/Pipeline.h"
#include "mlir/IR/BuiltinOps.h"

namespace dlc::pipeline {

struct BudgetChoice {
  int64_t parts = 1;             ///< of the batch
  int64_t price = 0, layers = 1; ///< as of dlc-recompute-forward
  int64_t permille = 0;          ///< of the step's operations, that much is done more
  int64_t arenaWithout = 0;      ///< the bytes of the arena without a budget
};

/// The program of a module behind the front ends, which has one.
inline train::ProgramOp programOf(mlir::ModuleOp module) {
  return *module.getOps<train::ProgramOp>().begin();
}

/// The choice that keeps `options.memoryBudget` with the fewest operations, of those that are tried, for a
/// program in front of the stage backward; an error where none does.
mlir::FailureOr<BudgetChoice> searchBudget(mlir::ModuleOp module, const Options &options,
                                           const KernelTarget &target);

/// What dlc-recompute-forward knows of a machine.
fuse::RecomputeForwardOptions recomputeOptions(const MachineModel &machine);

} // namespace dlc::pipeline

#endif // DLC_COMPILER_PIPELINE_BUDGETSEARCH_H
