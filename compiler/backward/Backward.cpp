//===- Backward.cpp - the passes of the stage backward, in order -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "compiler/backward/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace dlc::backward {

void addBackwardPasses(OpPassManager &passes, const BackwardOptions &options) {
  // While there is `evaluate`, and it says where gradients do not follow the operations.
  if (!options.derivatives.empty())
    passes.addPass(createDerivatives({{options.derivatives.begin(), options.derivatives.end()}}));
  passes.addPass(createGradients(options.gradients));
  // What processes gradients has its place here: between gradients and updates. It works alike on those of
  // `train_step`, which are computed, and those of `apply`, which are read.
  // Whether all are finite is looked at first: clipping would make numbers of what is infinite.
  if (options.guardUpdates)
    passes.addPass(createGuardUpdates());
  if (options.clip.maxNorm != 0 || options.clip.maxValue != 0 || options.clip.measure)
    passes.addPass(createClipGradients(options.clip));
  passes.addPass(createUpdate(options.update));
  passes.addPass(createEvalFunctions());
}

namespace {
struct TextOptions : PassPipelineOptions<TextOptions> {
  ListOption<std::string> train{*this, "train", llvm::cl::desc("as of dlc-gradients")};
  ListOption<std::string> functions{*this, "functions", llvm::cl::desc("of dlc-derivatives")};
  ListOption<std::string> freeze{*this, "freeze", llvm::cl::desc("as of dlc-gradients")};
  Option<bool> metrics{*this, "metrics", llvm::cl::desc("as of dlc-gradients"), llvm::cl::init(false)};
  Option<bool> hvp{*this, "hvp", llvm::cl::desc("as of dlc-gradients"), llvm::cl::init(false)};
  Option<uint64_t> seed{*this, "seed", llvm::cl::desc("as of dlc-gradients"), llvm::cl::init(0)};
  Option<double> maxGradNorm{*this, "max-grad-norm", llvm::cl::desc("of dlc-clip-gradients; 0: no such pass"),
                             llvm::cl::init(0)};
  Option<double> maxGradValue{*this, "max-grad-value",
                              llvm::cl::desc("of dlc-clip-gradients; 0: no such pass"), llvm::cl::init(0)};
  Option<bool> gradNorm{*this, "grad-norm", llvm::cl::desc("measure of dlc-clip-gradients"),
                        llvm::cl::init(false)};
  Option<bool> average{*this, "average", llvm::cl::desc("as of dlc-gradients"), llvm::cl::init(false)};
  Option<double> lossScale{*this, "loss-scale", llvm::cl::desc("as of dlc-gradients"), llvm::cl::init(0)};
  Option<bool> guardUpdates{*this, "guard-updates", llvm::cl::desc("with dlc-guard-updates"),
                            llvm::cl::init(false)};
  Option<double> emaDecay{*this, "ema-decay", llvm::cl::desc("as of dlc-update"), llvm::cl::init(0)};
  Option<std::string> optimizer{*this, "optimizer", llvm::cl::desc("as of dlc-update"),
                                llvm::cl::init("sgd")};
  ListOption<std::string> hyperparameters{*this, "hyperparameters", llvm::cl::desc("as of dlc-update")};
  Option<bool> nesterov{*this, "nesterov", llvm::cl::desc("as of dlc-update"), llvm::cl::init(false)};
  Option<bool> centered{*this, "centered", llvm::cl::desc("as of dlc-update"), llvm::cl::init(false)};
  Option<bool> amsgrad{*this, "amsgrad", llvm::cl::desc("as of dlc-update"), llvm::cl::init(false)};
  ListOption<std::string> groups{*this, "groups", llvm::cl::desc("as of dlc-update")};
};
} // namespace

void registerBackwardPipeline() {
  static PassPipelineRegistration<TextOptions> pipeline(
      "dlc-backward", "Gradients, updates and the functions that a library exports",
      [](OpPassManager &passes, const TextOptions &text) {
        BackwardOptions options;
        options.gradients.train.assign(text.train.begin(), text.train.end());
        options.gradients.freeze.assign(text.freeze.begin(), text.freeze.end());
        options.derivatives.assign(text.functions.begin(), text.functions.end());
        options.gradients.metrics = text.metrics;
        options.gradients.hvp = text.hvp;
        options.gradients.seed = text.seed;
        options.gradients.average = text.average;
        options.gradients.lossScale = text.lossScale;
        options.guardUpdates = text.guardUpdates;
        options.clip = {text.maxGradNorm, text.maxGradValue, text.gradNorm};
        options.update.emaDecay = text.emaDecay;
        options.update.optimizer = text.optimizer;
        options.update.hyperparameters.assign(text.hyperparameters.begin(), text.hyperparameters.end());
        options.update.nesterov = text.nesterov;
        options.update.centered = text.centered;
        options.update.amsgrad = text.amsgrad;
        options.update.groups.assign(text.groups.begin(), text.groups.end());
        addBackwardPasses(passes, options);
      });
}

} // namespace dlc::backward
