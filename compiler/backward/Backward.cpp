//===- Backward.cpp - the pass dlc-backward --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "compiler/backward/EvalFunctions.h"
#include "compiler/backward/Passes.h"
#include "compiler/backward/TrainFunctions.h"
#include "dialects/train/RandomState.h"

using namespace mlir;

namespace dlc::backward {
#define GEN_PASS_DEF_BACKWARD
#include "compiler/backward/Passes.h.inc"

static train::FunctionOp findFunction(train::ProgramOp program, train::FunctionKind kind) {
  for (auto function : program.getBody().getOps<train::FunctionOp>())
    if (function.getKind() == kind)
      return function;
  return nullptr;
}

namespace {
class BackwardPass : public impl::BackwardBase<BackwardPass> {
public:
  using BackwardBase::BackwardBase;

  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>())
      if (failed(run(program)))
        return signalPassFailure();
  }

private:
  LogicalResult run(train::ProgramOp program) {
    train::FunctionOp forward = findFunction(program, train::FunctionKind::Forward);
    train::FunctionOp evaluate = findFunction(program, train::FunctionKind::Evaluate);
    if (!forward || !evaluate)
      return program.emitError(
          "expected the functions 'forward' and 'evaluate'; run dlc-resolve-modes first");
    if (failed(freezeParameters(program, train, freeze)))
      return failure();
    setSeed(program, seed);
    bool hasLoss = !forward.getBody().getOps<train::LossOp>().empty();
    if (hasLoss) {
      OptimizerOptions options{optimizer, *hyperparameters, nesterov, centered};
      auto chosen = Optimizer::get(options, [&] { return program.emitError(); });
      if (failed(chosen) || failed(checkGradients(forward)) || failed(buildTrainFunctions(forward, *chosen)))
        return failure();
      buildEvalStep(evaluate);
    }
    buildPredict(evaluate);
    forward.erase();
    evaluate.erase();
    eraseUnusedRandomState(program); // nothing is drawn where nothing is trained
    return success();
  }
};
} // namespace

} // namespace dlc::backward
