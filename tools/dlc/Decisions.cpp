//===- Decisions.cpp - what a model's predictions decide -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/Decisions.h"
#include "compiler/backward/StepMetrics.h"
#include "dialects/train/Recipe.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dlc::tool {

/// What is minimised: the program's loss, or its only output where that shall be the loss.
static Value minimised(ModuleOp module, StringRef given) {
  Value loss;
  module.walk([&](train::LossOp op) { loss = op.getValue(); });
  if (loss || given != "output")
    return loss;
  module.walk([&](train::WriteOp op) {
    if (isa_and_nonnull<train::OutputOp>(SymbolTable::lookupNearestSymbolFrom(op, op.getSymbolAttr())))
      loss = op.getValue();
  });
  return loss;
}

std::string lossOf(ModuleOp module, const std::string &given) {
  if (!given.empty() && given != "output")
    return given;
  Value value = minimised(module, given);
  if (!value)
    return given;
  Operation *loss = backward::classLossIn(value);
  if (!loss)
    return "output";
  return llvm::TypeSwitch<Operation *, std::string>(loss)
      .Case([](nn::SoftmaxCrossEntropyOp) { return "softmax-cross-entropy"; })
      .Case([](nn::NllLossOp) { return "nll"; })
      .Case([](nn::BceLossOp) { return "bce"; })
      .Case([](nn::BceWithLogitsLossOp) { return "bce-with-logits"; });
}

bool decides(StringRef loss) {
  return train::hasClasses(loss) || loss == "bce" || loss == "bce-with-logits";
}

std::set<std::string> sigmoidsOf(ModuleOp module) {
  std::set<std::string> names;
  module.walk([&](train::WriteOp op) {
    if (op.getValue().getDefiningOp<nn::SigmoidOp>())
      names.insert(op.getSymbol().str());
  });
  return names;
}

} // namespace dlc::tool
