//===- VerifyForward.cpp - the promise of the stage forward ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "compiler/forward/Passes.h"
#include "dialects/train/Precision.h"

using namespace mlir;

namespace dlc::forward {
#define GEN_PASS_DEF_VERIFYFORWARD
#include "compiler/forward/Passes.h.inc"

static LogicalResult verifyFunction(train::FunctionOp function) {
  bool evaluates = function.getKind() == train::FunctionKind::Evaluate;
  unsigned losses = 0;
  for (Operation &op : function.getBody().front()) {
    if (isa<train::BatchNormOp, train::ByModeOp>(op))
      return op.emitOpError("is left after the stage forward, which chooses its mode");
    if (isa<train::GradientOp, train::UpdateIfOp>(op))
      return op.emitOpError("is not expected before the stage backward, which makes it");
    if (evaluates && isa<nn::DropoutOp>(op))
      return op.emitOpError("is left in '") << function.getSymName() << "', where nothing is dropped";
    if (isa<train::LossOp>(op) && ++losses > 1)
      return op.emitOpError("is the second of '") << function.getSymName() << "'; there is one loss";
  }
  return success();
}

/// What the compiled library describes to its callers has at most this many dims.
static constexpr int64_t maxRank = 8;

static LogicalResult verifyRanks(train::ProgramOp program) {
  LogicalResult result = success();
  auto verify = [&](Operation *op, StringRef what, StringRef name, Type type) {
    int64_t rank = cast<RankedTensorType>(type).getRank();
    if (rank > maxRank)
      result = op->emitError() << what << " '" << name << "' has " << rank << " dims, at most " << maxRank
                               << " are supported";
  };
  for (Operation &op : program.getBody().front()) {
    if (auto input = dyn_cast<train::InputOp>(op))
      verify(input, "input", input.getSymName(), input.getType());
    else if (auto output = dyn_cast<train::OutputOp>(op))
      verify(output, "output", output.getSymName(), output.getType());
    else if (auto state = dyn_cast<train::StateOp>(op))
      verify(state, "state", state.getSymName(), state.getType());
  }
  return result;
}

static LogicalResult verifyProgram(train::ProgramOp program) {
  if (failed(verifyRanks(program)))
    return failure();
  SmallVector<train::FunctionOp, 2> forward, evaluate;
  for (auto function : program.getBody().getOps<train::FunctionOp>()) {
    if (failed(verifyFunction(function)) || failed(train::verifyPrecision(function)))
      return failure();
    if (function.getKind() == train::FunctionKind::Forward)
      forward.push_back(function);
    else if (function.getKind() == train::FunctionKind::Evaluate)
      evaluate.push_back(function);
    else
      return function.emitOpError("'")
             << function.getSymName() << "' is not expected before the stage backward";
  }
  if (forward.size() != 1 || evaluate.size() != 1)
    return program.emitOpError("expects one function 'forward' and one 'evaluate' after the stage forward");
  auto hasLoss = [](train::FunctionOp function) {
    return !function.getBody().getOps<train::LossOp>().empty();
  };
  if (hasLoss(forward[0]) != hasLoss(evaluate[0]))
    return program.emitOpError("expects a loss in both 'forward' and 'evaluate' or in none");
  return success();
}

namespace {
class VerifyForwardPass : public impl::VerifyForwardBase<VerifyForwardPass> {
  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>())
      if (failed(verifyProgram(program)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace dlc::forward
