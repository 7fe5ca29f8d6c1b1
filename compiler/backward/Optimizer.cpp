//===- Optimizer.cpp - choice of the optimizer and its settings ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "compiler/backward/Optimizer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace dlc::backward;

template <typename Op> void Optimizer::use(StringRef setFlag) {
  operation = Op::getOperationName();
  flag = setFlag;
  slots = Op::getSlotNames();
  hyperparameters = Op::getHyperparameterNames();
}

using Defaults = llvm::StringMap<double>;

// Each optimizer with its hyperparameters. The defaults are those of torch.optim.
static ArrayRef<std::pair<StringRef, Defaults>> table() {
  static const std::pair<StringRef, Defaults> all[] = {
      {"sgd", {{"learning_rate", 1e-3}, {"momentum", 0}, {"dampening", 0}, {"weight_decay", 0}}},
      {"adam",
       {{"learning_rate", 1e-3}, {"beta1", 0.9}, {"beta2", 0.999}, {"epsilon", 1e-8}, {"weight_decay", 0}}},
      {"adamw",
       {{"learning_rate", 1e-3},
        {"beta1", 0.9},
        {"beta2", 0.999},
        {"epsilon", 1e-8},
        {"weight_decay", 1e-2}}},
      {"rmsprop",
       {{"learning_rate", 1e-2}, {"alpha", 0.99}, {"epsilon", 1e-8}, {"weight_decay", 0}, {"momentum", 0}}},
      {"adagrad", {{"learning_rate", 1e-2}, {"lr_decay", 0}, {"epsilon", 1e-10}, {"weight_decay", 0}}}};
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

FailureOr<Optimizer> Optimizer::get(const OptimizerOptions &options, EmitError emitError) {
  Optimizer optimizer;
  llvm::StringMap<double> &values = optimizer.values;
  if (failed(setDefaults(options.name, values, emitError)))
    return failure();
  for (StringRef setting : options.hyperparameters)
    if (failed(override(setting, options.name, values, emitError)))
      return failure();
  if (options.nesterov && options.name != "sgd")
    return emitError() << "nesterov is a setting of optimizer 'sgd', not of '" << options.name << "'",
           failure();
  if (options.centered && options.name != "rmsprop")
    return emitError() << "centered is a setting of optimizer 'rmsprop', not of '" << options.name << "'",
           failure();
  if (options.nesterov && (values["momentum"] == 0 || values["dampening"] != 0))
    return emitError() << "nesterov needs a momentum above 0 and a dampening of 0", failure();

  if (options.name == "sgd" && values["momentum"] == 0)
    optimizer.use<train::PlainSgdOp>(); // without momentum there is nothing to remember
  else if (options.name == "sgd")
    optimizer.use<train::SgdOp>(options.nesterov ? "nesterov" : "");
  else if (options.name == "adam" || options.name == "adamw")
    optimizer.use<train::AdamOp>(options.name == "adamw" ? "decoupled" : "");
  else if (options.name == "rmsprop")
    optimizer.use<train::RmspropOp>(options.centered ? "centered" : "");
  else
    optimizer.use<train::AdagradOp>();
  return optimizer;
}

ValueRange Optimizer::buildUpdate(ImplicitLocOpBuilder &builder, Value parameter, Value gradient,
                                  ValueRange slotValues, ValueRange hyperparameterValues, Value step) const {
  OperationState state(builder.getLoc(), operation);
  state.addOperands({parameter, gradient});
  state.addOperands(slotValues);
  state.addOperands(hyperparameterValues);
  state.addOperands(step);
  state.addTypes(parameter.getType());
  state.addTypes(slotValues.getTypes());
  if (!flag.empty())
    state.addAttribute(flag, builder.getUnitAttr());
  return builder.create(state)->getResults();
}
