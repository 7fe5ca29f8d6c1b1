//===- Update.cpp - the pass dlc-update ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "compiler/backward/Functions.h"
#include "compiler/backward/Passes.h"
#include "compiler/backward/TrainingState.h"
#include "dialects/nn/Expr.h"

using namespace mlir;

namespace dlc::backward {
#define GEN_PASS_DEF_UPDATE
#include "compiler/backward/Passes.h.inc"

namespace {
/// Builds the updates of one function.
class Updates {
public:
  Updates(train::FunctionOp function, const OptimizerState &state, const Optimizer &optimizer,
          const llvm::SmallDenseSet<Operation *> &notDecayed)
      : function(function), state(state), optimizer(optimizer), notDecayed(notDecayed),
        builder(function.getLoc(), function) {}

  void build() {
    auto gradients = llvm::to_vector(function.getBody().getOps<train::GradientOp>());
    builder.setInsertionPoint(gradients.front());
    readScalars();
    for (train::GradientOp gradient : gradients) {
      builder.setInsertionPointAfter(gradient);
      update(gradient);
    }
    builder.setLoc(function.getLoc());
    write(state.step, step);
    addWrites(function, writes);
    simplify(function);
  }

private:
  Value read(train::StateOp symbol) {
    return readSymbol(builder, function, symbol.getSymName(), cast<RankedTensorType>(symbol.getType()));
  }
  void write(train::StateOp symbol, Value value) {
    writes.push_back({value, symbol.getSymNameAttr(), builder.getLoc()});
  }

  /// What all updates share.
  void readScalars() {
    for (auto [symbol, name] : llvm::zip_equal(state.hyperparameters, optimizer.getHyperparameterNames())) {
      nn::Expr value(builder, read(symbol));
      hyperparameters.push_back(value);
      withoutDecay.push_back(name == "weight_decay" ? value.scalar(0) : value);
    }
    nn::Expr count(builder, read(state.step));
    auto one = DenseElementsAttr::get(count.type(), int64_t(1));
    step = count + nn::Expr(builder, nn::ConstantOp::create(builder, one));
  }

  void update(train::GradientOp gradient) {
    const ParameterSlots &parameter = state.parameters.find(gradient.getParameterAttr().getAttr())->second;
    train::StateOp owner = parameter.owner;
    builder.setLoc(NameLoc::get(builder.getStringAttr("update of " + owner.getSymName())));
    auto slots = llvm::map_to_vector(parameter.slots, [&](train::StateOp slot) { return read(slot); });
    ValueRange updated =
        optimizer.buildUpdate(builder, read(owner), gradient.getResult(), slots,
                              notDecayed.contains(owner) ? withoutDecay : hyperparameters, step);
    write(owner, updated[0]);
    for (auto [slot, value] : llvm::zip_equal(parameter.slots, updated.drop_front()))
      write(slot, value);
  }

  train::FunctionOp function;
  const OptimizerState &state;
  const Optimizer &optimizer;
  const llvm::SmallDenseSet<Operation *> &notDecayed;
  ImplicitLocOpBuilder builder;
  SmallVector<Value> hyperparameters, withoutDecay;
  Value step;
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
    SmallVector<train::FunctionOp> functions;
    for (auto kind :
         {train::FunctionKind::TrainStep, train::FunctionKind::Apply, train::FunctionKind::TrainStepN})
      if (train::FunctionOp function = findFunction(program, kind))
        functions.push_back(function);
    if (functions.empty())
      return success(); // nothing is trained
    OptimizerOptions options{optimizer, *hyperparameters, nesterov, centered};
    auto chosen = Optimizer::get(options, [&] { return program.emitError(); });
    if (failed(chosen))
      return failure();
    OptimizerState state = OptimizerState::declare(program, *chosen);
    llvm::SmallDenseSet<Operation *> notDecayed;
    for (StringRef glob : *noDecay) {
      auto matches = matching(program, "no-decay", glob);
      if (failed(matches))
        return failure();
      notDecayed.insert(matches->begin(), matches->end());
    }
    for (train::FunctionOp function : functions)
      Updates(function, state, *chosen, notDecayed).build();
    return success();
  }
};
} // namespace

} // namespace dlc::backward
