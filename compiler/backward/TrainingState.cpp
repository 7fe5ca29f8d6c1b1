//===- TrainingState.cpp - state that training adds to a model -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "compiler/backward/TrainingState.h"
#include "compiler/support/GradientWeight.h"
#include "compiler/support/Symbols.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace dlc::backward;

namespace {
/// Declares states of a program, before its functions.
struct Declarer {
  train::ProgramOp program;
  ImplicitLocOpBuilder builder;

  explicit Declarer(train::ProgramOp program)
      : program(program), builder(program.getLoc(), program.getContext()) {
    auto functions = program.getBody().getOps<train::FunctionOp>();
    builder.setInsertionPoint(*functions.begin());
  }
  train::StateOp declare(train::StateKind kind, const Twine &name, RankedTensorType type,
                         train::StateOp owner = nullptr, ElementsAttr initial = nullptr) {
    std::string symbol = dlc::freeSymbol(program, name.str());
    auto ownerRef = owner ? FlatSymbolRefAttr::get(owner.getSymNameAttr()) : nullptr;
    return train::StateOp::create(builder, kind, symbol, ownerRef, /*frozen=*/false, type, initial);
  }
};
} // namespace

FailureOr<GradientStates> dlc::backward::declareGradients(train::ProgramOp program) {
  Declarer declarer(program);
  GradientStates result;
  for (auto state : llvm::to_vector(program.getBody().getOps<train::StateOp>())) {
    if (!state.isTrainable())
      continue;
    // The runtime finds a parameter's gradient by this name.
    const std::string name = (state.getSymName() + ".grad").str();
    if (SymbolTable::lookupSymbolIn(program, name))
      return state.emitError("the gradient of parameter '")
             << state.getSymName() << "' is called '" << name
             << "', as something else of the model is: give that another name";
    result[state.getSymNameAttr()] = declarer.declare(train::StateKind::Gradient, name,
                                                      cast<RankedTensorType>(state.getType()), state);
  }
  return result;
}

train::StateOp dlc::backward::declareGradientWeight(train::ProgramOp program) {
  train::StateOp state = declarePartSum(program, gradientWeightName);
  state.setGradientWeight(true);
  return state;
}

train::StateOp dlc::backward::declareTrainingNumber(train::ProgramOp program, StringRef name) {
  Declarer declarer(program);
  auto f64 = RankedTensorType::get({}, declarer.builder.getF64Type());
  return declarer.declare(train::StateKind::OptimizerState, name, f64);
}

void dlc::backward::declareLossScale(train::ProgramOp program, double initial) {
  train::StateOp state =
      declareHyperparameter(program, lossScaleName, initial, train::rangeOfHyperparameter(lossScaleName));
  program.setLossScale(state.getSymName());
}

train::StateOp dlc::backward::lossScaleOf(train::ProgramOp program) {
  FlatSymbolRefAttr symbol = program.getLossScaleAttr();
  return symbol ? dyn_cast_or_null<train::StateOp>(SymbolTable::lookupSymbolIn(program, symbol)) : nullptr;
}

train::StateOp dlc::backward::declarePartSum(train::ProgramOp program, StringRef name) {
  Declarer declarer(program);
  auto f64 = RankedTensorType::get({}, declarer.builder.getF64Type());
  return declarer.declare(train::StateKind::Gradient, name, f64);
}

train::StateOp dlc::backward::declareHyperparameter(train::ProgramOp program, StringRef name, double initial,
                                                    train::HyperparameterRange range) {
  Declarer declarer(program);
  OpBuilder &builder = declarer.builder;
  auto f64 = RankedTensorType::get({}, builder.getF64Type());
  auto state = declarer.declare(train::StateKind::Hyperparameter, name, f64, nullptr,
                                DenseElementsAttr::get(f64, APFloat(initial)));
  state.setLowAttr(builder.getF64FloatAttr(range.low));
  state.setLimitAttr(builder.getF64FloatAttr(range.limit));
  return state;
}

OptimizerState OptimizerState::declare(train::ProgramOp program, const Optimizer &optimizer,
                                       double emaDecay) {
  Declarer declarer(program);
  OptimizerState result;
  for (auto state : llvm::to_vector(program.getBody().getOps<train::StateOp>())) {
    if (!state.isTrainable())
      continue;
    ParameterSlots &parameter = result.parameters[state.getSymNameAttr()];
    parameter.owner = state;
    auto type = cast<RankedTensorType>(state.getType());
    parameter.kind = &optimizer.kindFor(state);
    for (StringRef slot : parameter.kind->slots) {
      RankedTensorType slotType = train::typeOfSlot(slot, type);
      auto owner = slotType == type ? state : train::StateOp(); // which has its owner's form in memory
      parameter.slots.push_back(declarer.declare(train::StateKind::OptimizerState,
                                                 state.getSymName() + "." + slot, slotType, owner));
    }
    if (emaDecay != 0) {
      parameter.average =
          declarer.declare(train::StateKind::OptimizerState, state.getSymName() + ".ema", type, state);
      parameter.average.setAverage(true);
    }
  }
  for (StringRef name : optimizer.getHyperparameterNames())
    result.hyperparameters.push_back(declareHyperparameter(program, name, optimizer.getInitialValue(name),
                                                           train::rangeOfHyperparameter(name)));
  if (emaDecay != 0)
    result.emaDecay =
        declareHyperparameter(program, "ema_decay", emaDecay, train::rangeOfHyperparameter("ema_decay"));
  auto i64 = RankedTensorType::get({}, declarer.builder.getI64Type());
  result.step = declarer.declare(train::StateKind::StepCount, "step", i64);
  return result;
}

FailureOr<SmallVector<train::StateOp>> dlc::backward::matching(train::ProgramOp program, StringRef option,
                                                               StringRef glob) {
  auto pattern = llvm::GlobPattern::create(glob);
  if (!pattern)
    return program.emitError() << option << " '" << glob << "': " << llvm::toString(pattern.takeError()),
           failure();
  SmallVector<train::StateOp> matches;
  for (auto state : program.getBody().getOps<train::StateOp>())
    if (state.getKind() == train::StateKind::Parameter && pattern->match(state.getSymName()))
      matches.push_back(state);
  if (matches.empty()) {
    InFlightDiagnostic error = program.emitError()
                               << option << " '" << glob << "' matches none of the parameters:";
    for (auto state : program.getBody().getOps<train::StateOp>())
      if (state.getKind() == train::StateKind::Parameter)
        error << " '" << state.getSymName() << "'";
    return FailureOr<SmallVector<train::StateOp>>(failure());
  }
  return matches;
}

LogicalResult dlc::backward::freezeParameters(train::ProgramOp program, ArrayRef<std::string> train,
                                              ArrayRef<std::string> freeze) {
  llvm::SmallDenseSet<Operation *> chosen;
  for (StringRef glob : train) {
    auto matches = matching(program, "train", glob);
    if (failed(matches))
      return failure();
    chosen.insert(matches->begin(), matches->end());
    // A name in full asks for this parameter, even if the model's importer took it for a constant.
    if (matches->size() == 1 && matches->front().getSymName() == glob)
      matches->front().setFrozen(false);
  }
  for (auto state : program.getBody().getOps<train::StateOp>())
    if (!train.empty() && state.getKind() == train::StateKind::Parameter && !chosen.contains(state))
      state.setFrozen(true);
  for (StringRef glob : freeze) {
    auto matches = matching(program, "freeze", glob);
    if (failed(matches))
      return failure();
    for (train::StateOp state : *matches)
      state.setFrozen(true);
  }
  return success();
}

void dlc::backward::setSeed(train::ProgramOp program, uint64_t seed) {
  for (auto state : program.getBody().getOps<train::StateOp>())
    if (state.getKind() == train::StateKind::Rng) {
      int64_t initial[] = {int64_t(seed), /*draws=*/0};
      auto type = RankedTensorType::get({2}, IntegerType::get(program.getContext(), 64));
      state.setInitialAttr(DenseIntElementsAttr::get(type, ArrayRef(initial)));
    }
}
