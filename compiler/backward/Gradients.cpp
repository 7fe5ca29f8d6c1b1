//===- Gradients.cpp - the pass dlc-gradients ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reverse mode runs once for the sizes that the program is compiled for. train_step, grad_step and accumulate
// are copies of what it makes; they differ in what becomes of a gradient: an update, which a later pass
// attaches, a write, or an addition. Where sizes are open, it runs once more, for train_step_n and the like;
// where a batch is to be gone over in parts, it runs for one part (BatchParts.h).
//===----------------------------------------------------------------------===//
#include "compiler/backward/BatchInParts.h"
#include "compiler/backward/Differentiate.h"
#include "compiler/backward/HessianProduct.h"
#include "compiler/backward/JoinedLoss.h"
#include "compiler/backward/Passes.h"
#include "compiler/backward/StepMetrics.h"
#include "compiler/support/GradientWeight.h"
#include "compiler/support/NodeNames.h"
#include "dialects/train/Custom.h"
#include "dialects/train/Recipe.h"
#include "dialects/train/ReverseMode.h"

using namespace mlir;

namespace dlc::backward {
#define GEN_PASS_DEF_GRADIENTS
#include "compiler/backward/Passes.h.inc"

//===-- What stops gradients -----------------------------------------------------===//

static void report(const train::ReverseMode::Missing &missing) {
  StringRef node = nodeName(missing.op->getLoc());
  InFlightDiagnostic error = emitError(missing.op->getLoc());
  if (!node.empty())
    error << "node '" << node << "': ";
  if (auto custom = dyn_cast<train::CustomOp>(missing.op)) {
    error << "the custom operation '" << custom.getCallee()
          << "' has no gradient in its file, but lies between trainable parameters and the loss";
    return;
  }
  error << "'" << missing.op->getName().stripDialect() << "' has no gradient";
  if (isa<nn::GradientOpInterface>(missing.op))
    error << " for its operand #" << missing.operand;
  error << ", but lies between trainable parameters and the loss";
}

// Reports all at once: operations between trainable parameters and the loss that have no gradient, and
// trainable parameters that the loss does not depend on.
static LogicalResult checkGradients(train::FunctionOp forward) {
  auto program = forward->getParentOfType<train::ProgramOp>();
  auto loss = *forward.getBody().getOps<train::LossOp>().begin();
  SmallVector<Value> parameters = trainableValues(forward);
  train::ReverseMode reverse(loss.getValue(), parameters);
  for (const train::ReverseMode::Missing &missing : reverse.getMissing())
    report(missing);
  bool reachesAll = true, trainsAny = false;
  llvm::SmallDenseSet<Attribute> reached;
  for (Value value : parameters)
    if (reverse.reaches(value))
      reached.insert(value.getDefiningOp<train::ReadOp>().getSymbolAttr().getAttr());
  for (auto state : program.getBody().getOps<train::StateOp>()) {
    trainsAny |= state.isTrainable();
    if (!state.isTrainable() || reached.contains(state.getSymNameAttr()))
      continue;
    reachesAll = false;
    state.emitError()
        << "no gradient reaches parameter '" << state.getSymName()
        << "': the loss does not depend on it through differentiable operations; freeze it (--freeze="
        << state.getSymName() << ") to train the others";
  }
  if (!trainsAny)
    return program.emitError() << "nothing to train: '" << program.getSymName()
                               << "' has no parameter that is not frozen";
  return success(reverse.getMissing().empty() && reachesAll);
}

//===-- Functions that train ------------------------------------------------------===//

static void buildApply(train::ProgramOp program, const GradientStates &states) {
  train::FunctionOp function = addFunction(program, train::FunctionKind::Apply);
  auto builder = ImplicitLocOpBuilder::atBlockEnd(function.getLoc(), &function.getBody().front());
  for (auto [parameter, gradient] : states)
    markGradient(builder, parameter,
                 train::ReadOp::create(builder, gradient.getType(), gradient.getSymNameAttr()));
}

namespace {
class GradientsPass : public impl::GradientsBase<GradientsPass> {
public:
  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>())
      if (failed(run(program)))
        return signalPassFailure();
  }

private:
  LogicalResult run(train::ProgramOp program) {
    train::FunctionOp forward = findFunction(program, train::FunctionKind::Forward);
    if (!forward)
      return program.emitError("expected the function 'forward'; run dlc-resolve-modes first");
    OwningOpRef<train::RecipeOp> none = train::emptyRecipe(&getContext());
    recipe = train::recipeOf(program);
    if (!recipe)
      recipe = *none;
    if (failed(freezeParameters(program, train::textsOf(recipe.getTrain()), train::textsOf(recipe.getFreeze()))))
      return failure();
    setSeed(program, recipe.getSeed().value_or(0));
    if (!forward.getBody().getOps<train::LossOp>().empty() && failed(buildFunctions(forward)))
      return failure();
    if (llvm::is_contained(train::textsOf(recipe.getFunctions()), "hvp") && failed(addHessianProduct(forward)))
      return failure();
    forward.erase();
    if (train::FunctionOp evaluate = findFunction(program, train::FunctionKind::Evaluate))
      eraseGradientMarks(evaluate);
    return success();
  }

  LogicalResult buildFunctions(train::FunctionOp forward) {
    if (failed(checkGradients(forward)))
      return failure();
    auto program = forward->getParentOfType<train::ProgramOp>();
    FailureOr<GradientStates> declared = declareGradients(program);
    if (failed(declared))
      return failure();
    GradientStates &states = *declared;
    if (train::LossScaleAttr scale = recipe.getLossScaleInUse())
      declareLossScale(program, scale.getInitial().value);
    if (recipe.addsMeans() && failed(declareWeight(forward)))
      return failure();
    if (recipe.getStepMetrics())
      told = StepMetrics::declare(forward);
    if (train::isOfRank(program))
      if (std::optional<std::string> why = whatKeepsBatchWhole(program))
        return program.emitError(whyNoRanks) << *why;
    if (program.getBatchParts()) {
      buildApply(program, states);
      return buildStepsInParts(forward, states, weight, told);
    }
    if (failed(buildSteps(forward, states, train::FunctionKind::TrainStep, train::FunctionKind::GradStep,
                          train::FunctionKind::Accumulate)))
      return failure();
    buildApply(program, states);
    auto isOpen = [](train::DimOp dim) { return dim.getOpen(); };
    if (llvm::none_of(program.getBody().getOps<train::DimOp>(), isOpen))
      return success();
    return buildSteps(forward, states, train::FunctionKind::TrainStepN, train::FunctionKind::GradStepN,
                      train::FunctionKind::AccumulateN);
  }

  LogicalResult addHessianProduct(train::FunctionOp forward) {
    auto program = forward->getParentOfType<train::ProgramOp>();
    if (forward.getBody().getOps<train::LossOp>().empty())
      return program.emitError("--function=hvp: '")
             << program.getSymName() << "' has no loss, whose Hessian it would be: say which (--loss)";
    return buildHessianProduct(forward);
  }

  LogicalResult buildSteps(train::FunctionOp forward, const GradientStates &states,
                           train::FunctionKind trainStep, train::FunctionKind gradStep,
                           train::FunctionKind accumulate) {
    auto program = forward->getParentOfType<train::ProgramOp>();
    train::FunctionOp step = addFunction(program, trainStep, forward);
    if (told)
      told->measure(step);
    if (failed(differentiate(step, /*sumOfParts=*/nullptr, weight)))
      return failure();
    writeGradients(addFunction(program, gradStep, step), states, weight, /*accumulate=*/false);
    writeGradients(addFunction(program, accumulate, step), states, weight, /*accumulate=*/true);
    if (weight)
      eraseWrite(step, weight); // of a training step, whose gradients nobody keeps
    return success();
  }

  /// Where the gradients of several batches are to be those of their joined loss, and this is a mean. Those
  /// of a sum are added in any case.
  LogicalResult declareWeight(train::FunctionOp forward) {
    FailureOr<JoinedLoss> kind = joinLosses(forward);
    if (failed(kind))
      return failure();
    if (*kind != JoinedLoss::Mean)
      return success();
    auto program = forward->getParentOfType<train::ProgramOp>();
    if (Operation *taken = SymbolTable::lookupSymbolIn(program, gradientWeightName))
      return taken->emitError("is named '") << gradientWeightName
                                            << "', as is the weight of the labels that accumulated gradients "
                                               "are the mean over: rename it, or "
                                               "add the gradients (--accumulate=sum)";
    weight = declareGradientWeight(program);
    return success();
  }

  train::RecipeOp recipe;
  train::StateOp weight;           ///< of the labels that gradients are the mean over; null: they are added
  std::optional<StepMetrics> told; ///< of a batch, by the steps that train on it
};
} // namespace

} // namespace dlc::backward
