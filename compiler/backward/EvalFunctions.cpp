//===- EvalFunctions.cpp - eval_step and predict ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "compiler/backward/Functions.h"
#include "compiler/backward/JoinedLoss.h"
#include "compiler/backward/Passes.h"
#include "compiler/backward/StepMetrics.h"
#include "compiler/support/Symbols.h"
#include "dialects/nn/Dims.h"
#include "dialects/nn/Expr.h"
#include "dialects/train/RandomState.h"
#include "dialects/train/Recipe.h"

using namespace mlir;
using nn::Expr;

namespace dlc::backward {
#define GEN_PASS_DEF_EVALFUNCTIONS
#include "compiler/backward/Passes.h.inc"

//===-- eval_step ----------------------------------------------------------------===//

static void buildEvalStep(train::FunctionOp evaluate) {
  auto program = evaluate->getParentOfType<train::ProgramOp>();
  train::FunctionOp function = addFunction(program, train::FunctionKind::EvalStep, evaluate);
  mergeReads(function);
  SmallVector<Write> writes = takeWrites(function, /*states=*/false, /*predictions=*/false);
  Operation *lossOp = (*function.getBody().getOps<train::LossOp>().begin()).getValue().getDefiningOp();
  auto countAsOne = [](Operation *, StringRef) {}; // a loss that is not known, however many rows there are
  bool isOwnMean = !lossOp->hasAttr("reduction") && findJoinedLoss(function, countAsOne) == JoinedLoss::Mean;
  Loss loss = takeLoss(function);
  if (lossOp->hasAttr("reduction")) {
    lossOp->setAttr("reduction", nn::LossReductionAttr::get(program.getContext(), nn::LossReduction::sum));
    // What the description computed of the loss may have folded away (1 * loss): then this is its weight.
    loss.weight = lossOp->getResult(1);
  }

  ImplicitLocOpBuilder builder(lossOp->getLoc(), OpBuilder::atBlockEnd(&function.getBody().front()));
  Type f64 = builder.getF64Type();
  auto write = [&](train::OutputRole role, Value value) {
    ImplicitLocOpBuilder declare(program.getLoc(), OpBuilder(evaluate));
    std::string name = freeSymbol(program, train::stringifyOutputRole(role));
    train::OutputOp::create(declare, role, name, cast<RankedTensorType>(value.getType()));
    writes.push_back({value, builder.getStringAttr(name), builder.getLoc()});
  };
  Expr sum = cast(Expr(builder, loss.value), f64), weight = cast(Expr(builder, loss.weight), f64);
  if (isOwnMean) // that of no labels is no number, and counts nothing
    sum = select(equal(weight, weight.scalar(0)), 0, sum * weight);
  write(train::OutputRole::LossSum, sum);
  write(train::OutputRole::LossWeight, weight);
  write(train::OutputRole::Correct, countCorrect(builder, loss.value));
  addWrites(function, writes);
  simplify(function);
}

//===-- predict ------------------------------------------------------------------===//

static void buildPredict(train::FunctionOp evaluate) {
  auto program = evaluate->getParentOfType<train::ProgramOp>();
  train::FunctionOp function = addFunction(program, train::FunctionKind::Predict, evaluate);
  mergeReads(function);
  SmallVector<Write> writes = takeWrites(function, /*states=*/false, /*predictions=*/true);
  llvm::erase_if(writes, [&](const Write &write) {
    auto output = dyn_cast<train::OutputOp>(SymbolTable::lookupSymbolIn(program, write.symbol));
    return output && output.getIndexRange() && needsTarget(program, write.value);
  });
  takeLoss(function);
  addWrites(function, writes);
  simplify(function);
}

//===-- Named dims ---------------------------------------------------------------===//

/// Whether a named dim is an axis of `input`; which one.
static std::optional<size_t> axisOf(train::InputOp input, StringRef dim) {
  for (auto [axis, size] : llvm::enumerate(nn::shapeOf(input.getType())))
    if (llvm::is_contained(size.names, dim))
      return axis;
  return std::nullopt;
}

/// Sizes of named dims beside the batch that are not open are given to `predict` alone: the functions of
/// training have the sizes that they were compiled for.
static LogicalResult checkOpenDims(train::ProgramOp program) {
  LogicalResult result = success();
  auto dims = program.getBody().getOps<train::DimOp>();
  for (train::DimOp dim : llvm::drop_begin(dims, dims.empty() ? 0 : 1)) {
    if (dim.getOpen())
      continue;
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
    dim.emitError("the size of '") << dim.getSymName() << "' is left to predictions (1 to " << dim.getBound()
                                   << "), but training reads input '" << reading.getSymName()
                                   << "', whose axis " << axis << " has it: write 'train.dim open @"
                                   << dim.getSymName()
                                   << "' to train at any size, or the number in place of the name";
    result = failure();
  }
  return result;
}

namespace {
class EvalFunctionsPass : public impl::EvalFunctionsBase<EvalFunctionsPass> {
public:
  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>())
      if (failed(run(program)))
        return signalPassFailure();
  }

private:
  LogicalResult run(train::ProgramOp program) {
    train::FunctionOp evaluate = findFunction(program, train::FunctionKind::Evaluate);
    if (!evaluate)
      return program.emitError("expected the function 'evaluate'; run dlc-resolve-modes first");
    if (!evaluate.getBody().getOps<train::LossOp>().empty())
      buildEvalStep(evaluate);
    buildPredict(evaluate);
    if (failed(checkOpenDims(program)))
      return failure();
    evaluate.erase();
    train::eraseUnusedRandomState(program); // nothing is drawn where nothing is trained
    if (train::RecipeOp recipe = train::recipeOf(program))
      recipe.erase(); // all of it is done
    return success();
  }
};
} // namespace

} // namespace dlc::backward
