//===- Update.cpp - the pass dlc-update ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "compiler/backward/Functions.h"
#include "compiler/backward/ParameterGroups.h"
#include "compiler/backward/Passes.h"
#include "compiler/backward/TrainingState.h"
#include "dialects/nn/Expr.h"
#include "dialects/train/Recipe.h"

using namespace mlir;

namespace dlc::backward {
#define GEN_PASS_DEF_UPDATE
#include "compiler/backward/Passes.h.inc"

namespace {
/// Builds the updates of one function.
class Updates {
public:
  Updates(train::FunctionOp function, const OptimizerState &state, const Optimizer &optimizer,
          const ParameterGroups &groups)
      : function(function), state(state), optimizer(optimizer), groups(groups),
        builder(function.getLoc(), function) {}

  void build() {
    auto gradients = llvm::to_vector(function.getBody().getOps<train::GradientOp>());
    builder.setInsertionPoint(gradients.front());
    readScalars();
    auto conditions = llvm::to_vector(function.getBody().getOps<train::UpdateIfOp>());
    if (!conditions.empty()) {
      condition = conditions.front().getCondition();
      builder.setInsertionPointAfter(conditions.front());
    }
    for (train::GradientOp gradient : gradients) {
      if (!condition)
        builder.setInsertionPointAfter(gradient);
      update(gradient);
    }
    builder.setLoc(function.getLoc());
    write(state.step, step, read(state.step));
    for (train::UpdateIfOp op : conditions)
      op.erase();
    addWrites(function, writes);
    simplify(function);
  }

private:
  Value read(train::StateOp symbol) {
    return readSymbol(builder, function, symbol.getSymName(), cast<RankedTensorType>(symbol.getType()));
  }
  /// The old value where the function's updates do not happen.
  void write(train::StateOp symbol, Value value, Value old) {
    if (condition)
      value = select(nn::Expr(builder, condition), nn::Expr(builder, value), nn::Expr(builder, old));
    writes.push_back({value, symbol.getSymNameAttr(), builder.getLoc()});
  }

  /// What all updates share.
  void readScalars() {
    for (auto [symbol, name] : llvm::zip_equal(state.hyperparameters, optimizer.getHyperparameterNames()))
      shared[name] = read(symbol);
    nn::Expr count(builder, read(state.step));
    auto one = DenseElementsAttr::get(count.type(), int64_t(1));
    step = count + nn::Expr(builder, nn::ConstantOp::create(builder, one));
  }

  /// The update's numbers for a parameter: those of its groups, else those that all share.
  SmallVector<Value> numbersOf(const UpdateKind &kind, const ParameterGroups::Settings &settings) {
    SmallVector<Value> numbers;
    for (StringRef name : kind.hyperparameters) {
      nn::Expr value(builder, shared.lookup(name));
      if (auto own = settings.find(name); own != settings.end())
        value = own->second ? nn::Expr(builder, read(own->second)) : value.scalar(0);
      else if (train::StateOp scale = settings.lookup("lr_scale"); scale && name == "learning_rate")
        value = value * nn::Expr(builder, read(scale));
      numbers.push_back(value);
    }
    return numbers;
  }

  /// What is written: the new value, or, while the group's learning rate is scaled by 0, the old one.
  Value unlessFrozen(const ParameterGroups::Settings &settings, Value updated, Value old) {
    train::StateOp scale = settings.lookup("lr_scale");
    if (!scale)
      return updated;
    nn::Expr factor(builder, read(scale));
    return select(equal(factor, factor.scalar(0)), nn::Expr(builder, old), nn::Expr(builder, updated));
  }

  /// The parameter itself after the first step, as then there is nothing to be averaged.
  Value averaged(Value average, Value now) {
    nn::Expr before(builder, average), count = cast(nn::Expr(builder, step), builder.getF64Type());
    nn::Expr part = cast(1 - nn::Expr(builder, read(state.emaDecay)), before.elementType());
    nn::Expr moved = fma(part, nn::Expr(builder, now) - before, before);
    return select(equal(count, count.scalar(1)), nn::Expr(builder, now), moved);
  }

  void update(train::GradientOp gradient) {
    const ParameterSlots &parameter = state.parameters.find(gradient.getParameterAttr().getAttr())->second;
    train::StateOp owner = parameter.owner;
    builder.setLoc(NameLoc::get(builder.getStringAttr("update of " + owner.getSymName())));
    const ParameterGroups::Settings &settings = groups.of(owner);
    auto slots = llvm::map_to_vector(parameter.slots, [&](train::StateOp slot) { return read(slot); });
    Value old = read(owner);
    const UpdateKind &kind = *parameter.kind;
    SmallVector<Value> numbers = numbersOf(kind, settings);
    Value given = gradient.getResult();
    if (condition) { // of which the whole update depends so: no part of it is computed before, and kept
      nn::Expr all(builder, given);
      given = select(nn::Expr(builder, condition), all, 0);
    }
    ValueRange updated = buildUpdate(builder, kind, old, given, slots, numbers, step);
    Value now = unlessFrozen(settings, updated[0], old);
    write(owner, now, old);
    if (parameter.average) {
      Value average = read(parameter.average);
      write(parameter.average, averaged(average, now), average);
    }
    for (auto [slot, value, before] : llvm::zip_equal(parameter.slots, updated.drop_front(), slots))
      write(slot, unlessFrozen(settings, value, before), before);
  }

  train::FunctionOp function;
  const OptimizerState &state;
  const Optimizer &optimizer;
  const ParameterGroups &groups;
  ImplicitLocOpBuilder builder;
  llvm::StringMap<Value> shared; ///< the optimizer's hyperparameters
  Value step, condition;         ///< the condition: of updates; null: they happen
  SmallVector<Write> writes;
};

class UpdatePass : public impl::UpdateBase<UpdatePass> {
public:
  using UpdateBase::UpdateBase;

  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>())
      if (failed(run(program)))
        return signalPassFailure();
  }

private:
  LogicalResult run(train::ProgramOp program) {
    auto functions = updatingFunctions(program);
    if (failed(functions))
      return failure();
    if (functions->empty())
      return success(); // nothing is trained
    train::RecipeOp recipe = train::recipeOf(program);
    const Optimizer optimizer(recipe ? recipe.getOptimizerOrDefault()
                                     : train::OptimizerAttr::getDefault(&getContext()));
    const double emaDecay = recipe ? recipe.getEmaDecay().value_or(APFloat(0.0)).convertToDouble() : 0;
    OptimizerState state = OptimizerState::declare(program, optimizer, emaDecay);
    auto groups = ParameterGroups::declare(program, optimizer);
    if (failed(groups))
      return failure();
    for (train::FunctionOp function : *functions)
      Updates(function, state, optimizer, *groups).build();
    return success();
  }
};
} // namespace

} // namespace dlc::backward
