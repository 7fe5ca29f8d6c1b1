//===- ClipGradients.cpp - the pass dlc-clip-gradients ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "compiler/backward/Functions.h"
#include "compiler/backward/Passes.h"
#include "compiler/backward/TrainingState.h"
#include "compiler/support/Symbols.h"
#include "dialects/nn/Expr.h"
#include "dialects/train/Recipe.h"

using namespace mlir;
using nn::Expr;

namespace dlc::backward {
#define GEN_PASS_DEF_CLIPGRADIENTS
#include "compiler/backward/Passes.h.inc"

/// The common norm of all gradients.
static Expr normOf(ArrayRef<Expr> gradients, Type f64) {
  Expr squares = cast(sumAll(gradients.front() * gradients.front()), f64);
  for (Expr gradient : gradients.drop_front())
    squares = squares + cast(sumAll(gradient * gradient), f64);
  return sqrt(squares);
}

namespace {
/// Clips in one function.
class Clip {
public:
  explicit Clip(train::FunctionOp function)
      : function(function), marks(llvm::to_vector(function.getBody().getOps<train::GradientOp>())),
        builder(NameLoc::get(StringAttr::get(function.getContext(), "clipping of gradients")), function) {
    builder.setInsertionPointAfter(marks.back());
  }

  /// The norm becomes an output.
  Expr measure(train::OutputOp output) {
    Expr norm = normOf(inTheModelsOrder(), builder.getF64Type());
    addWrites(function, {{norm, output.getSymNameAttr(), builder.getLoc()}});
    return norm;
  }

  /// By min(1, largest / (norm + 1e-6)), as torch.nn.utils.clip_grad_norm_ has it; the norm is an output.
  void toNorm(train::StateOp maxNorm, train::OutputOp output) {
    Expr largest = read(maxNorm), norm = measure(output);
    Expr factor = min(largest / (norm + 1e-6), largest.scalar(1));
    replaceGradients([&](Expr gradient) { return gradient * cast(factor, gradient.elementType()); });
  }

  /// To values between -largest and largest, as torch.nn.utils.clip_grad_value_ has it.
  void toValue(train::StateOp maxValue) {
    Expr largest = read(maxValue);
    replaceGradients([&](Expr gradient) {
      Expr bound = cast(largest, gradient.elementType());
      return max(min(gradient, bound), -bound);
    });
  }

private:
  /// Whatever the function's order: `train_step` and `apply` get the same bits.
  SmallVector<Expr> inTheModelsOrder() {
    DenseMap<StringAttr, train::GradientOp> byParameter;
    for (train::GradientOp mark : marks)
      byParameter[mark.getParameterAttr().getAttr()] = mark;
    SmallVector<Expr> gradients;
    for (auto state : function->getParentOfType<train::ProgramOp>().getBody().getOps<train::StateOp>())
      if (train::GradientOp mark = byParameter.lookup(state.getSymNameAttr()))
        gradients.emplace_back(builder, mark.getValue());
    return gradients;
  }
  Expr read(train::StateOp state) {
    return {builder,
            readSymbol(builder, function, state.getSymName(), cast<RankedTensorType>(state.getType()))};
  }
  void replaceGradients(llvm::function_ref<Expr(Expr)> change) {
    for (train::GradientOp mark : marks) {
      Expr changed = change(Expr(builder, mark.getValue()));
      train::GradientOp::create(builder, mark.getLoc(), changed, mark.getParameterAttr());
      mark.erase();
    }
  }

  train::FunctionOp function;
  SmallVector<train::GradientOp> marks;
  ImplicitLocOpBuilder builder;
};

train::OutputOp declareNorm(train::ProgramOp program) {
  OpBuilder builder(*program.getBody().getOps<train::FunctionOp>().begin());
  auto type = RankedTensorType::get({}, builder.getF64Type());
  return train::OutputOp::create(builder, program.getLoc(), train::OutputRole::GradNorm,
                                 freeSymbol(program, "grad_norm"), type);
}

class ClipGradientsPass : public impl::ClipGradientsBase<ClipGradientsPass> {
public:
  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>()) {
      auto functions = updatingFunctions(program);
      if (failed(functions))
        return signalPassFailure();
      if (functions->empty())
        continue; // nothing is trained
      if (train::RecipeOp recipe = train::recipeOf(program))
        clip(recipe, *functions);
    }
  }

private:
  void clip(train::RecipeOp recipe, ArrayRef<train::FunctionOp> functions) {
    auto program = recipe->getParentOfType<train::ProgramOp>();
    train::ClipAttr clip = recipe.getClipAttr();
    const bool isNorm = clip && clip.getKind() == train::ClipKind::Norm;
    if (recipe.getGradNorm() && !isNorm) {
      train::OutputOp output = declareNorm(program);
      for (train::FunctionOp function : functions)
        Clip(function).measure(output);
    }
    if (!clip)
      return;
    StringRef name = isNorm ? "max_grad_norm" : "max_grad_value";
    train::StateOp largest =
        declareHyperparameter(program, name, clip.getLargest().value, train::rangeOfHyperparameter(name));
    train::OutputOp output = isNorm ? declareNorm(program) : train::OutputOp();
    for (train::FunctionOp function : functions)
      if (isNorm)
        Clip(function).toNorm(largest, output);
      else
        Clip(function).toValue(largest);
  }
};
} // namespace

} // namespace dlc::backward
