//===- OptimizerTable.cpp - train: optimizers and what can be set of them --===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/train/Recipe.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace train;

using EmitError = llvm::function_ref<InFlightDiagnostic()>;
using Defaults = llvm::StringMap<double>;

/// The defaults of Adam and of what is derived from it.
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
ArrayRef<OptimizerRow> train::optimizerTable() {
  static const OptimizerRow all[] = {
      {"sgd",
       {{"learning_rate", 1e-3}, {"momentum", 0}, {"dampening", 0}, {"weight_decay", 0}},
       "nesterov"},
      {"adam", adamDefaults(1e-3, 1e-8, 0), "amsgrad"},
      {"adamw", adamDefaults(1e-3, 1e-8, 1e-2), "amsgrad"},
      {"nadam", with(adamDefaults(2e-3, 1e-8, 0), "momentum_decay", 4e-3), ""},
      {"radam", adamDefaults(1e-3, 1e-8, 0), ""},
      {"adamax", adamDefaults(2e-3, 1e-8, 0), ""},
      {"lamb", adamDefaults(1e-3, 1e-6, 1e-2), ""},
      {"lion", {{"learning_rate", 1e-4}, {"beta1", 0.9}, {"beta2", 0.99}, {"weight_decay", 0}}, ""},
      {"muon", with(adamDefaults(1e-3, 1e-8, 0.1), "momentum", 0.95), ""},
      {"rmsprop",
       {{"learning_rate", 1e-2}, {"alpha", 0.99}, {"epsilon", 1e-8}, {"weight_decay", 0}, {"momentum", 0}},
       "centered"},
      {"adagrad", {{"learning_rate", 1e-2}, {"lr_decay", 0}, {"epsilon", 1e-10}, {"weight_decay", 0}}, ""},
      {"adadelta", {{"learning_rate", 1}, {"rho", 0.9}, {"epsilon", 1e-6}, {"weight_decay", 0}}, ""},
      {"rprop",
       {{"learning_rate", 1e-2},
        {"eta_minus", 0.5},
        {"eta_plus", 1.2},
        {"step_size_min", 1e-6},
        {"step_size_max", 50}},
       ""},
      {"asgd",
       {{"learning_rate", 1e-2}, {"lambd", 1e-4}, {"alpha", 0.75}, {"t0", 1e6}, {"weight_decay", 0}},
       ""},
      {"adafactor", // the first epsilon is that of float32
       {{"learning_rate", 1e-2},
        {"beta2_decay", -0.8},
        {"epsilon", 0x1p-23},
        {"epsilon2", 1e-3},
        {"clip_threshold", 1},
        {"weight_decay", 0}},
       ""},
      {"sparseadam", adamDefaults(1e-3, 1e-8, 0), ""}};
  return all;
}

const OptimizerRow *train::findOptimizer(StringRef name) {
  const auto *found =
      llvm::find_if(optimizerTable(), [&](const OptimizerRow &each) { return each.name == name; });
  return found == optimizerTable().end() ? nullptr : found;
}

const std::vector<std::string> &train::optimizerNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const OptimizerRow &row : optimizerTable())
      all.push_back(row.name.str());
    return all;
  }();
  return names;
}

bool train::isOptimizerSetting(StringRef name) {
  return llvm::any_of(optimizerTable(), [&](const OptimizerRow &row) {
    return row.defaults.contains(name) || (!name.empty() && row.flag == name);
  });
}

/// "3.40282e+38".
static std::string shortNumber(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", number);
  return text;
}

FailureOr<double> train::parseHyperparameter(StringRef name, StringRef text, EmitError emitError) {
  double number;
  auto [low, limit] = rangeOfHyperparameter(name);
  if (text.getAsDouble(number) || !(low <= number && number < limit))
    return emitError() << "hyperparameter '" << name << "': expected a number of at least "
                       << shortNumber(low) << " and less than " << shortNumber(limit) << ", got '" << text
                       << "'",
           failure();
  return number;
}

//===-- The attribute ----------------------------------------------------------===//

OptimizerAttr OptimizerAttr::getDefault(MLIRContext *context) {
  return get(context, "sgd", DictionaryAttr::get(context));
}

double OptimizerAttr::getInitialValue(StringRef hyperparameter) const {
  if (auto given = getSettings().getAs<FloatAttr>(hyperparameter))
    return given.getValueAsDouble();
  return findOptimizer(getName())->defaults.lookup(hyperparameter);
}

/// A setting that is no number fits some optimizers only.
static LogicalResult failFlag(EmitError emitError, StringRef flag, StringRef optimizer) {
  SmallVector<StringRef> names;
  for (const OptimizerRow &row : optimizerTable())
    if (row.flag == flag)
      names.push_back(row.name);
  return emitError() << flag << " is a setting of optimizer '" << llvm::join(names, "' or '") << "', not of '"
                     << optimizer << "'";
}

static LogicalResult verifySetting(EmitError emitError, const OptimizerRow &row, NamedAttribute setting) {
  StringRef name = setting.getName();
  if (isa<UnitAttr>(setting.getValue())) {
    if (!row.flag.empty() && name == row.flag)
      return success();
    if (llvm::any_of(optimizerTable(), [&](const OptimizerRow &each) { return each.flag == name; }))
      return failFlag(emitError, name, row.name);
  } else if (auto number = dyn_cast<FloatAttr>(setting.getValue());
             number && number.getType().isF64() && row.defaults.contains(name)) {
    return parseHyperparameter(name, textOf(number.getValueAsDouble()), emitError);
  }
  auto names = llvm::to_vector(row.defaults.keys());
  llvm::sort(names);
  return emitError() << "optimizer '" << row.name << "' has no hyperparameter '" << name << "'; it has "
                     << llvm::join(names, ", ");
}

LogicalResult OptimizerAttr::verify(EmitError emitError, StringRef name, DictionaryAttr settings) {
  const OptimizerRow *row = findOptimizer(name);
  if (!row)
    return emitError() << "unknown optimizer '" << name << "'; expected "
                       << llvm::join(optimizerNames(), ", ");
  for (NamedAttribute setting : settings)
    if (failed(verifySetting(emitError, *row, setting)))
      return failure();
  auto numberOf = [&](StringRef which) {
    auto given = settings.getAs<FloatAttr>(which);
    return given ? given.getValueAsDouble() : row->defaults.lookup(which);
  };
  if (settings.contains("nesterov") && (numberOf("momentum") == 0 || numberOf("dampening") != 0))
    return emitError() << "nesterov needs a momentum above 0 and a dampening of 0";
  return success();
}

/// `<sgd, learning_rate = 0.1, nesterov>`
Attribute OptimizerAttr::parse(AsmParser &parser, Type) {
  std::string name;
  llvm::SMLoc location = parser.getCurrentLocation();
  NamedAttrList settings;
  auto parseSetting = [&]() -> ParseResult {
    std::string setting;
    llvm::SMLoc place = parser.getCurrentLocation();
    if (parser.parseKeywordOrString(&setting))
      return failure();
    if (settings.get(setting))
      return parser.emitError(place) << "'" << setting << "' is set twice";
    if (failed(parser.parseOptionalEqual()))
      return settings.append(setting, parser.getBuilder().getUnitAttr()), success();
    FailureOr<Number> number = FieldParser<Number>::parse(parser);
    if (failed(number))
      return failure();
    return settings.append(setting, parser.getBuilder().getF64FloatAttr(number->value)), success();
  };
  if (parser.parseLess() || parser.parseKeywordOrString(&name))
    return {};
  while (succeeded(parser.parseOptionalComma()))
    if (parseSetting())
      return {};
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(location); }, parser.getContext(), StringRef(name),
                    settings.getDictionary(parser.getContext()));
}

void OptimizerAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printKeywordOrString(getName());
  for (NamedAttribute setting : getSettings()) {
    printer << ", ";
    printer.printKeywordOrString(setting.getName());
    if (auto number = dyn_cast<FloatAttr>(setting.getValue()))
      printer << " = " << Number(number.getValueAsDouble());
  }
  printer << ">";
}
