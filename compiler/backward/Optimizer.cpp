//===- Optimizer.cpp - the updates of a program's optimizer -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "compiler/backward/Optimizer.h"
#include "dialects/train/MoreOptimizers.h"

using namespace mlir;
using namespace dlc::backward;

template <typename Op> static UpdateKind kindOf(StringRef flag = "") {
  return {Op::getOperationName(), flag, Op::getSlotNames(), Op::getHyperparameterNames()};
}

/// The update; without momentum, sgd has nothing to remember.
static UpdateKind chooseKind(train::OptimizerAttr recipe) {
  StringRef name = recipe.getName(), decoupled = name == "adamw" ? "decoupled" : "";
  if (name == "sgd")
    return recipe.getInitialValue("momentum") == 0 ? kindOf<train::PlainSgdOp>()
                         : kindOf<train::SgdOp>(recipe.has("nesterov") ? "nesterov" : "");
  if (name == "adam" || name == "adamw")
    return recipe.has("amsgrad") ? kindOf<train::AmsgradOp>(decoupled) : kindOf<train::AdamOp>(decoupled);
  return name == "nadam"        ? kindOf<train::NadamOp>()
         : name == "radam"      ? kindOf<train::RadamOp>()
         : name == "adamax"     ? kindOf<train::AdamaxOp>()
         : name == "lamb"       ? kindOf<train::LambOp>()
         : name == "lion"       ? kindOf<train::LionOp>()
         : name == "muon"       ? kindOf<train::MuonOp>()
         : name == "rmsprop"    ? kindOf<train::RmspropOp>(recipe.has("centered") ? "centered" : "")
         : name == "adagrad"    ? kindOf<train::AdagradOp>()
         : name == "rprop"      ? kindOf<train::RpropOp>()
         : name == "asgd"       ? kindOf<train::AsgdOp>()
         : name == "adafactor"  ? kindOf<train::AdafactorOp>()
         : name == "sparseadam" ? kindOf<train::SparseAdamOp>()
                                : kindOf<train::AdadeltaOp>();
}

Optimizer::Optimizer(train::OptimizerAttr recipe) : recipe(recipe), kind(chooseKind(recipe)) {
  if (recipe.getName() == "muon") {
    updated = Updated::Matrices;
    ofOthers = kindOf<train::AdamOp>("decoupled");
  } else if (recipe.getName() == "adafactor") {
    updated = Updated::RowsColumns;
    ofOthers = kindOf<train::AdafactorVectorOp>();
  } else if (recipe.getName() == "sparseadam") {
    updated = Updated::LookedUpRows;
    ofOthers = kindOf<train::AdamOp>();
  }
}

/// Whether rows of the value are taken by index, and nothing else is done with it; what precision makes of it
/// is it, too.
static bool isOnlyLookedUp(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    if (auto cast = dyn_cast<nn::CastOp>(use.getOwner()))
      return isOnlyLookedUp(cast.getResult());
    auto gather = dyn_cast<nn::GatherOp>(use.getOwner());
    return gather && gather.getAxis() == 0 && use.getOperandNumber() == 0;
  });
}

/// Whether the parameter is a table: functions that use it at all look rows up in it. (Such a function is
/// there: what the loss does not depend on is not trained.)
static bool isTable(train::StateOp parameter) {
  if (cast<RankedTensorType>(parameter.getType()).getRank() == 0)
    return false;
  bool isUsed = false;
  for (auto function : parameter->getParentOfType<train::ProgramOp>().getBody().getOps<train::FunctionOp>())
    for (auto read : function.getBody().getOps<train::ReadOp>())
      if (read.getSymbol() == parameter.getSymName()) {
        if (!isOnlyLookedUp(read.getResult()))
          return false;
        isUsed |= !read->use_empty();
      }
  return isUsed;
}

const UpdateKind &Optimizer::kindFor(train::StateOp parameter) const {
  const int64_t rank = cast<RankedTensorType>(parameter.getType()).getRank();
  const bool isItsOwn = updated == Updated::Matrices       ? rank == 2
                        : updated == Updated::RowsColumns  ? rank >= 2
                        : updated == Updated::LookedUpRows ? isTable(parameter)
                                                           : true;
  return isItsOwn ? kind : *ofOthers;
}

SmallVector<StringRef> Optimizer::getHyperparameterNames() const {
  auto names = llvm::to_vector(kind.hyperparameters);
  for (StringRef name : ofOthers ? ofOthers->hyperparameters : ArrayRef<StringRef>())
    if (!llvm::is_contained(names, name))
      names.push_back(name);
  return names;
}

ValueRange dlc::backward::buildUpdate(ImplicitLocOpBuilder &builder, const UpdateKind &kind, Value parameter,
                                      Value gradient, ValueRange slots, ValueRange hyperparameters,
                                      Value step) {
  OperationState state(builder.getLoc(), kind.operation);
  state.addOperands({parameter, gradient});
  state.addOperands(slots);
  state.addOperands(hyperparameters);
  state.addOperands(step);
  state.addTypes(parameter.getType());
  state.addTypes(slots.getTypes());
  if (!kind.flag.empty())
    state.addAttribute(kind.flag, builder.getUnitAttr());
  return builder.create(state)->getResults();
}
