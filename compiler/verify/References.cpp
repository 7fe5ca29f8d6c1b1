//===- References.cpp - the programs that a compiled one is compared with --===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/verify/References.h"
#include "compiler/backward/Passes.h"
#include "compiler/forward/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace dlc::verify {

static LogicalResult attachLoss(ModuleOp module) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  passes.addPass(forward::createAttachLoss());
  return passes.run(module);
}

static LogicalResult resolveModes(ModuleOp module) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  passes.addPass(forward::createResolveModes());
  return passes.run(module);
}

static LogicalResult deriveFunctions(ModuleOp module) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  passes.addPass(forward::createResolveModes());
  passes.addPass(forward::createSetPrecision());
  backward::addBackwardPasses(passes);
  return passes.run(module);
}

/// Takes out what changes the gradients of the loss as it is; whether there was something.
static bool dropRounding(ModuleOp module) {
  bool changes = false;
  module.walk([&](train::RecipeOp recipe) {
    changes |= recipe.getPrecision() || recipe.getLossScale() || recipe.addsMeans();
    recipe.removePrecisionAttr();
    recipe.removeLossScaleAttr();
    recipe.removeAccumulateAttr();
  });
  return changes;
}

References References::of(ModuleOp imported) {
  References result;
  OwningOpRef<ModuleOp> model = imported.clone();
  if (failed(attachLoss(*model)))
    return result;
  result.functions = model->clone();
  if (failed(deriveFunctions(*result.functions)))
    return {};
  OwningOpRef<ModuleOp> unrounded = model->clone();
  if (dropRounding(*unrounded)) {
    if (failed(deriveFunctions(*unrounded)))
      return {};
    result.unrounded = std::move(unrounded);
  }
  const bool hasModes =
      model->walk([](train::ByModeOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (hasModes && failed(resolveModes(*model)))
    return {};
  result.model = std::move(model);
  return result;
}

bool References::trains() const {
  return model.get()->walk([](train::LossOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

} // namespace dlc::verify
