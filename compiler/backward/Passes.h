//===- Passes.h - the stage backward ---------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the model and its loss to the functions that a training library exports.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_BACKWARD_PASSES_H
#define DLC_COMPILER_BACKWARD_PASSES_H

#include "dialects/train/Train.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dlc::backward {

#define GEN_PASS_DECL
#include "compiler/backward/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/backward/Passes.h.inc"

/// The options of the stage's passes; the passes' own descriptions say what they mean.
struct BackwardOptions {
  std::vector<std::string> derivatives; ///< of predictions: functions beside those of training
  GradientsOptions gradients;
  bool guardUpdates = false;
  ClipGradientsOptions clip; ///< where one of its numbers is not 0, or the norm is asked for
  UpdateOptions update;
};

/// The passes that make the exported functions, in order: gradients, what processes gradients, updates, and
/// the functions that do not train.
void addBackwardPasses(mlir::OpPassManager &passes, const BackwardOptions &options = {});

/// Makes them known to dlc-opt as one, `--dlc-backward="optimizer=adam ..."`.
void registerBackwardPipeline();

} // namespace dlc::backward

#endif // DLC_COMPILER_BACKWARD_PASSES_H
