//===- CutForRanks.cpp - a program for several processes -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/CutForRanks.h"
#include "dialects/train/BatchParts.h"
#include "dialects/train/Recipe.h"

using namespace mlir;

namespace dlc::pipeline {

FailureOr<WholeBatch> cutForRanks(ModuleOp module, const Options &options, int64_t ranks) {
  auto program = *module.getOps<train::ProgramOp>().begin();
  if (options.memoryBudget)
    return program.emitError("--memory-budget goes over a batch in parts in one process; leave it away: a rank's "
                             "part of the batch takes less memory");
  if (options.isFor("nvptx"))
    return program.emitError("ranks train on CPUs; leave --target=nvptx away, or compile for one process");
  const bool hasLoss = program.walk([](train::LossOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (train::RecipeOp recipe = train::recipeOf(program); !hasLoss && !(recipe && recipe.getLossAttr()))
    return program.emitError("ranks train together, and nothing is trained: say with --loss what is to be minimised");
  program.setBatchParts(1);
  WholeBatch whole;
  train::DimOp batch = train::batchDim(program);
  if (!batch)
    return whole; // the stage backward says that it needs one
  whole.rows = batch.getBound();
  whole.takesFewer = batch.getOpen();
  // A dim of one element is none to what follows samples through the program.
  const int64_t most = std::max<int64_t>(2, (whole.rows - 1) / ranks + 1);
  batch.setBound(most);
  batch.setOpen(whole.takesFewer || most * ranks != whole.rows);
  return whole;
}

} // namespace dlc::pipeline
