//===- Optimizer.cpp - choice of the optimizer and its settings ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "compiler/backward/Optimizer.h"
#include "dialects/train/MoreOptimizers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace dlc::backward;

template <typename Op> static UpdateKind kindOf(StringRef flag = "") {
  return {Op::getOperationName(), flag, Op::getSlotNames(), Op::getHyperparameterNames()};
}

using Defaults = llvm::StringMap<double>;

/// Of Adam and what is derived from it.
static Defaults adamDefaults(double rate, double epsilon, double decay) {
  return {{"learning_rate", rate},
          {"beta1", 0.9},
          {"beta2", 0.999},
          {"epsilon", epsilon},
          {"weight_decay", decay}};
}
static Defaults with(Defaults defaults, StringRef name, double value) {
  defaults[name] = value;
  return defaults;
}

// Each optimizer with its hyperparameters. The defaults are those of torch.optim; of lamb and lion those of
// their papers, where these have one.
static ArrayRef<std::pair<StringRef, Defaults>> table() {
  static const std::pair<StringRef, Defaults> all[] = {
      {"sgd", {{"learning_rate", 1e-3}, {"momentum", 0}, {"dampening", 0}, {"weight_decay", 0}}},
      {"adam", adamDefaults(1e-3, 1e-8, 0)},
      {"adamw", adamDefaults(1e-3, 1e-8, 1e-2)},
      {"nadam", with(adamDefaults(2e-3, 1e-8, 0), "momentum_decay", 4e-3)},
      {"radam", adamDefaults(1e-3, 1e-8, 0)},
      {"adamax", adamDefaults(2e-3, 1e-8, 0)},
      {"lamb", adamDefaults(1e-3, 1e-6, 1e-2)},
      {"lion", {{"learning_rate", 1e-4}, {"beta1", 0.9}, {"beta2", 0.99}, {"weight_decay", 0}}},
      {"muon", with(adamDefaults(1e-3, 1e-8, 0.1), "momentum", 0.95)},
      {"rmsprop",
       {{"learning_rate", 1e-2}, {"alpha", 0.99}, {"epsilon", 1e-8}, {"weight_decay", 0}, {"momentum", 0}}},
      {"adagrad", {{"learning_rate", 1e-2}, {"lr_decay", 0}, {"epsilon", 1e-10}, {"weight_decay", 0}}},
      {"adadelta", {{"learning_rate", 1}, {"rho", 0.9}, {"epsilon", 1e-6}, {"weight_decay", 0}}},
      {"rprop",
       {{"learning_rate", 1e-2},
        {"eta_minus", 0.5},
        {"eta_plus", 1.2},
        {"step_size_min", 1e-6},
        {"step_size_max", 50}}},
      {"asgd", {{"learning_rate", 1e-2}, {"lambd", 1e-4}, {"alpha", 0.75}, {"t0", 1e6}, {"weight_decay", 0}}},
      {"adafactor", // the first epsilon is that of float32
       {{"learning_rate", 1e-2},
        {"beta2_decay", -0.8},
        {"epsilon", 0x1p-23},
        {"epsilon2", 1e-3},
        {"clip_threshold", 1},
        {"weight_decay", 0}}},
      {"sparseadam", adamDefaults(1e-3, 1e-8, 0)}};
  return all;
}

std::vector<std::string> dlc::backward::optimizers() {
  std::vector<std::string> names;
  for (const auto &entry : table())
    names.push_back(entry.first.str());
  return names;
}

static LogicalResult setDefaults(StringRef name, llvm::StringMap<double> &values,
                                 Optimizer::EmitError emitError) {
  const auto *found = llvm::find_if(table(), [&](const auto &entry) { return entry.first == name; });
  if (found == table().end())
    return emitError() << "unknown optimizer '" << name << "'; expected " << llvm::join(optimizers(), ", ");
  values = found->second;
  return success();
}

/// "3.40282e+38".
static std::string shortNumber(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", number);
  return text;
}

FailureOr<double> dlc::backward::parseHyperparameter(StringRef name, StringRef text,
                                                     Optimizer::EmitError emitError) {
  double number;
  auto [low, limit] = train::rangeOfHyperparameter(name);
  if (text.getAsDouble(number) || !(low <= number && number < limit))
    return emitError() << "hyperparameter '" << name << "': expected a number of at least "
                       << shortNumber(low) << " and less than " << shortNumber(limit) << ", got '" << text
                       << "'",
           failure();
  return number;
}

static LogicalResult override(StringRef setting, StringRef optimizer, llvm::StringMap<double> &values,
                              Optimizer::EmitError emitError) {
  auto [name, text] = setting.split('=');
  auto value = values.find(name);
  if (value == values.end()) {
    auto names = llvm::to_vector(values.keys());
    llvm::sort(names);
    return emitError() << "optimizer '" << optimizer << "' has no hyperparameter '" << name << "'; it has "
                       << llvm::join(names, ", ");
  }
  auto number = parseHyperparameter(name, text, emitError);
  if (failed(number))
    return failure();
  value->second = *number;
  return success();
}

/// Settings that are no numbers fit some optimizers only.
static LogicalResult checkFlags(const OptimizerOptions &options, Optimizer::EmitError emitError) {
  struct Flag {
    bool isSet;
    StringRef name;
    std::vector<StringRef> optimizers;
  };
  for (const Flag &flag :
       {Flag{options.nesterov, "nesterov", {"sgd"}}, Flag{options.centered, "centered", {"rmsprop"}},
        Flag{options.amsgrad, "amsgrad", {"adam", "adamw"}}})
    if (flag.isSet && !llvm::is_contained(flag.optimizers, options.name))
      return emitError() << flag.name << " is a setting of optimizer '"
                         << llvm::join(flag.optimizers, "' or '") << "', not of '" << options.name << "'";
  return success();
}

/// The update; without momentum, sgd has nothing to remember.
static UpdateKind chooseKind(const OptimizerOptions &options, double momentum) {
  StringRef name = options.name, decoupled = name == "adamw" ? "decoupled" : "";
  if (name == "sgd")
    return momentum == 0 ? kindOf<train::PlainSgdOp>()
                         : kindOf<train::SgdOp>(options.nesterov ? "nesterov" : "");
  if (name == "adam" || name == "adamw")
    return options.amsgrad ? kindOf<train::AmsgradOp>(decoupled) : kindOf<train::AdamOp>(decoupled);
  return name == "nadam"        ? kindOf<train::NadamOp>()
         : name == "radam"      ? kindOf<train::RadamOp>()
         : name == "adamax"     ? kindOf<train::AdamaxOp>()
         : name == "lamb"       ? kindOf<train::LambOp>()
         : name == "lion"       ? kindOf<train::LionOp>()
         : name == "muon"       ? kindOf<train::MuonOp>()
         : name == "rmsprop"    ? kindOf<train::RmspropOp>(options.centered ? "centered" : "")
         : name == "adagrad"    ? kindOf<train::AdagradOp>()
         : name == "rprop"      ? kindOf<train::RpropOp>()
         : name == "asgd"       ? kindOf<train::AsgdOp>()
         : name == "adafactor"  ? kindOf<train::AdafactorOp>()
         : name == "sparseadam" ? kindOf<train::SparseAdamOp>()
                                : kindOf<train::AdadeltaOp>();
}

FailureOr<Optimizer> Optimizer::get(const OptimizerOptions &options, EmitError emitError) {
  Optimizer optimizer;
  llvm::StringMap<double> &values = optimizer.values;
  if (failed(setDefaults(options.name, values, emitError)))
    return failure();
  for (StringRef setting : options.hyperparameters)
    if (failed(override(setting, options.name, values, emitError)))
      return failure();
  if (failed(checkFlags(options, emitError)))
    return failure();
  if (options.nesterov && (values["momentum"] == 0 || values["dampening"] != 0))
    return emitError() << "nesterov needs a momentum above 0 and a dampening of 0", failure();
  optimizer.kind = chooseKind(options, values.lookup("momentum"));
  if (options.name == "muon") {
    optimizer.updated = Updated::Matrices;
    optimizer.ofOthers = kindOf<train::AdamOp>("decoupled");
  } else if (options.name == "adafactor") {
    optimizer.updated = Updated::RowsColumns;
    optimizer.ofOthers = kindOf<train::AdafactorVectorOp>();
  } else if (options.name == "sparseadam") {
    optimizer.updated = Updated::LookedUpRows;
    optimizer.ofOthers = kindOf<train::AdamOp>();
  }
  return optimizer;
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
