//===- References.cpp - the programs that a compiled one is compared with --===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/verify/References.h"
#include "compiler/backward/Passes.h"
#include "compiler/forward/Passes.h"
#include "compiler/pipeline/Pipeline.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace dlc::verify {

static LogicalResult attachLoss(ModuleOp module, const pipeline::Options &options) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  passes.addPass(forward::createAttachLoss(pipeline::lossOptions(options)));
  return passes.run(module);
}

static LogicalResult resolveModes(ModuleOp module) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  passes.addPass(forward::createResolveModes());
  return passes.run(module);
}

static LogicalResult deriveFunctions(ModuleOp module, const pipeline::Options &options) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  passes.addPass(forward::createResolveModes());
  if (options.precision != "fp32")
    passes.addPass(forward::createSetPrecision({options.precision}));
  backward::addBackwardPasses(passes, pipeline::backwardOptions(options));
  return passes.run(module);
}

/// The options without those that change the gradients of the loss.
static pipeline::Options unroundedOptions(const pipeline::Options &options) {
  pipeline::Options plain = options;
  plain.precision = "fp32";
  plain.lossScale = 0;
  plain.dynamicLossScale = false;
  plain.accumulate = "sum";
  return plain;
}

References References::of(ModuleOp imported, const pipeline::Options &options) {
  References result;
  OwningOpRef<ModuleOp> model = imported.clone();
  if (failed(attachLoss(*model, options)))
    return result;
  result.functions = model->clone();
  if (failed(deriveFunctions(*result.functions, options)))
    return {};
  const bool changesGradients = options.precision != "fp32" || options.lossScale != 0 ||
                                options.dynamicLossScale || options.accumulate != "sum";
  if (changesGradients) {
    result.unrounded = model->clone();
    if (failed(deriveFunctions(*result.unrounded, unroundedOptions(options))))
      return {};
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
