//===- Backward.cpp - the pass dlc-backward --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "compiler/backward/EvalFunctions.h"
#include "compiler/backward/Passes.h"
#include "compiler/backward/TrainFunctions.h"
#include "dialects/nn/Dims.h"
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

/// What users call a named dim: an imported model's own name for it.
static StringRef nameOf(train::DimOp dim) {
  auto location = dyn_cast<NameLoc>(dim.getLoc());
  return location ? location.getName().getValue() : dim.getSymName();
}

/// Whether a named dim is an axis of `input`; which one.
static std::optional<size_t> axisOf(train::InputOp input, StringRef dim) {
  for (auto [axis, size] : llvm::enumerate(nn::shapeOf(input.getType())))
    if (llvm::is_contained(size.names, dim))
      return axis;
  return std::nullopt;
}

/// Sizes of named dims beside the batch are given to `predict` alone: the functions of training have the
/// sizes that they were compiled for.
static LogicalResult checkOpenDims(train::ProgramOp program) {
  LogicalResult result = success();
  auto dims = program.getBody().getOps<train::DimOp>();
  for (train::DimOp dim : llvm::drop_begin(dims, dims.empty() ? 0 : 1)) {
    train::InputOp reading;
    size_t axis = 0;
    for (auto function : program.getBody().getOps<train::FunctionOp>()) {
      if (function.getKind() == train::FunctionKind::Predict ||
          function.getKind() == train::FunctionKind::Forward ||
          function.getKind() == train::FunctionKind::Evaluate)
        continue;
      for (auto read : function.getBody().getOps<train::ReadOp>()) {
        auto input = dyn_cast<train::InputOp>(SymbolTable::lookupSymbolIn(program, read.getSymbolAttr()));
        std::optional<size_t> found = input ? axisOf(input, dim.getSymName()) : std::nullopt;
        if (!found || reading)
          continue;
        reading = input;
        axis = *found;
      }
    }
    if (!reading)
      continue;
    StringRef name = nameOf(dim);
    InFlightDiagnostic error = dim.emitError("the size of '")
                               << name << "' is left open (1 to " << dim.getBound()
                               << "), but training reads input '" << reading.getSymName() << "', whose axis "
                               << axis << " has it, and a training step has one size: ";
    if (isa<NameLoc>(dim.getLoc()))
      error << "give it with --dim '" << name << "=" << dim.getBound() << "'";
    else
      error << "write the number in place of the name";
    error << " (without --loss, prediction takes any size up to " << dim.getBound() << ")";
    result = failure();
  }
  return result;
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
    if (failed(checkOpenDims(program)))
      return failure();
    forward.erase();
    evaluate.erase();
    eraseUnusedRandomState(program); // nothing is drawn where nothing is trained
    return success();
  }
};
} // namespace

} // namespace dlc::backward
