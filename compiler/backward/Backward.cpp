//===- Backward.cpp - the passes of the stage backward, in order -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "compiler/backward/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace dlc::backward {

void addBackwardPasses(OpPassManager &passes) {
  // While there is `evaluate`, and it says where gradients do not follow the operations.
  passes.addPass(createDerivatives());
  passes.addPass(createGradients());
  // What processes gradients has its place here: between gradients and updates. It works alike on those of
  // `train_step`, which are computed, and those of `apply`, which are read.
  // Whether all are finite is looked at first: clipping would make numbers of what is infinite.
  passes.addPass(createGuardUpdates());
  passes.addPass(createClipGradients());
  passes.addPass(createUpdate());
  passes.addPass(createEvalFunctions());
}

void registerBackwardPipeline() {
  static PassPipelineRegistration<> pipeline(
      "dlc-backward", "Gradients, updates and the functions that a library exports", addBackwardPasses);
}

} // namespace dlc::backward
