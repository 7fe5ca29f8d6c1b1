//===- GuardUpdates.cpp - the pass dlc-guard-updates -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "compiler/backward/Functions.h"
#include "compiler/backward/Passes.h"
#include "compiler/backward/TrainingState.h"
#include "dialects/nn/Expr.h"
#include "dialects/train/Recipe.h"
#include <limits>

using namespace mlir;
using nn::Expr;

namespace dlc::backward {
#define GEN_PASS_DEF_GUARDUPDATES
#include "compiler/backward/Passes.h.inc"

// As torch.amp.GradScaler has it.
static constexpr double growth = 2, backoff = 0.5, growthInterval = 2000;

namespace {
/// Guards the updates of one function.
class Guard {
public:
  explicit Guard(train::FunctionOp function)
      : function(function),
        builder(NameLoc::get(StringAttr::get(function.getContext(), "scale of the loss")), function) {}

  void build(train::StateOp scaleState, train::StateOp goodState) {
    auto marks = llvm::to_vector(function.getBody().getOps<train::GradientOp>());
    builder.setInsertionPointAfter(marks.back());
    Expr scale = read(scaleState), good = read(goodState) + 1;
    Expr finite = areFinite(marks, scale.elementType());
    train::UpdateIfOp::create(builder, finite);

    Expr grows = greaterEqual(good, good.scalar(growthInterval));
    train::HyperparameterRange range = train::rangeOfHyperparameter(lossScaleName);
    Expr largest = scale.scalar(range.limit * backoff), least = scale.scalar(range.low);
    Expr larger = min(scale * growth, largest), smaller = max(scale * backoff, least);
    addWrites(function,
              {{select(finite, select(grows, larger, scale), smaller), scaleState.getSymNameAttr(),
                builder.getLoc()},
               {select(finite, select(grows, 0, good), 0), goodState.getSymNameAttr(), builder.getLoc()}});
  }

private:
  Expr read(train::StateOp state) {
    return {builder,
            readSymbol(builder, function, state.getSymName(), cast<RankedTensorType>(state.getType()))};
  }
  /// Whether no gradient has a number that is infinite or none.
  Expr areFinite(ArrayRef<train::GradientOp> marks, Type f64) {
    std::optional<Expr> others;
    for (train::GradientOp mark : marks) {
      Expr gradient(builder, mark.getValue());
      Expr infinite = gradient.scalar(std::numeric_limits<double>::infinity());
      Expr isNumber = less(abs(gradient), infinite), none = gradient.scalar(0);
      Expr isOther = select(isNumber, none, 1);
      Expr count = cast(sumAll(isOther), f64);
      others = others ? *others + count : count;
    }
    return equal(*others, others->scalar(0));
  }

  train::FunctionOp function;
  ImplicitLocOpBuilder builder;
};

class GuardUpdatesPass : public impl::GuardUpdatesBase<GuardUpdatesPass> {
public:
  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>()) {
      train::StateOp scale = lossScaleOf(program);
      train::RecipeOp recipe = train::recipeOf(program);
      train::LossScaleAttr wanted = recipe ? recipe.getLossScaleInUse() : train::LossScaleAttr();
      if (!scale || !wanted || !wanted.getDynamic())
        continue; // nothing is trained, or with a scale that stays
      auto functions = updatingFunctions(program);
      if (failed(functions))
        return signalPassFailure();
      train::StateOp good = declareTrainingNumber(program, "good_steps");
      for (train::FunctionOp function : *functions)
        Guard(function).build(scale, good);
    }
  }
};
} // namespace

} // namespace dlc::backward
