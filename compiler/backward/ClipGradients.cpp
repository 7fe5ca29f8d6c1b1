//===- ClipGradients.cpp - the pass dlc-clip-gradients ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "compiler/backward/Functions.h"
#include "compiler/backward/Passes.h"
#include "compiler/backward/TrainingState.h"
#include "dialects/nn/Expr.h"

using namespace mlir;
using nn::Expr;

namespace dlc::backward {
#define GEN_PASS_DEF_CLIPGRADIENTS
#include "compiler/backward/Passes.h.inc"

// min(1, largest / (norm + 1e-6)), as torch.nn.utils.clip_grad_norm_ has it.
static Expr clipFactor(ArrayRef<Expr> gradients, Expr largest) {
  Expr squares = largest.scalar(0);
  for (Expr gradient : gradients)
    squares = squares + cast(sumAll(gradient * gradient), largest.elementType());
  return min(largest / (sqrt(squares) + 1e-6), largest.scalar(1));
}

static void clip(train::FunctionOp function, train::StateOp maxNorm) {
  auto marks = llvm::to_vector(function.getBody().getOps<train::GradientOp>());
  ImplicitLocOpBuilder builder(NameLoc::get(StringAttr::get(function.getContext(), "clipping of gradients")),
                               function);
  builder.setInsertionPointAfter(marks.back());
  DenseMap<StringAttr, train::GradientOp> byParameter;
  for (train::GradientOp mark : marks)
    byParameter[mark.getParameterAttr().getAttr()] = mark;
  // In the model's order, whatever the function's: `train_step` and `apply` get the same bits.
  SmallVector<Expr> gradients;
  for (auto state : function->getParentOfType<train::ProgramOp>().getBody().getOps<train::StateOp>())
    if (train::GradientOp mark = byParameter.lookup(state.getSymNameAttr()))
      gradients.emplace_back(builder, mark.getValue());
  Value largest =
      readSymbol(builder, function, maxNorm.getSymName(), cast<RankedTensorType>(maxNorm.getType()));
  Expr factor = clipFactor(gradients, {builder, largest});
  for (train::GradientOp mark : marks) {
    Expr gradient(builder, mark.getValue());
    Expr clipped = gradient * cast(factor, gradient.elementType());
    train::GradientOp::create(builder, mark.getLoc(), clipped, mark.getParameterAttr());
    mark.erase();
  }
}

namespace {
class ClipGradientsPass : public impl::ClipGradientsBase<ClipGradientsPass> {
public:
  using ClipGradientsBase::ClipGradientsBase;

  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>()) {
      train::FunctionOp step = findFunction(program, train::FunctionKind::TrainStep);
      train::FunctionOp apply = findFunction(program, train::FunctionKind::Apply);
      if (!step || !apply)
        continue; // nothing is trained
      train::StateOp state = declareHyperparameter(program, "max_grad_norm", maxNorm,
                                                    train::rangeOfHyperparameter("max_grad_norm"));
      clip(step, state);
      clip(apply, state);
      if (train::FunctionOp open = findFunction(program, train::FunctionKind::TrainStepN))
        clip(open, state);
    }
  }
};
} // namespace

} // namespace dlc::backward
