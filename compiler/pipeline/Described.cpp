//===- Described.cpp - options that stand in the program -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Described.h"
#include "dialects/train/Train.h"

using namespace mlir;

namespace dlc::pipeline {

namespace {

/// Which flag of the command line says the same, and which choice it belongs to: a loss or an optimizer on
/// the command line brings its own settings, and one kind of clipping goes before the other.
struct Setting {
  StringRef name, flag, choice;
  bool (*read)(StringRef value, Options &options); ///< whether the value made sense
};

bool isAboveZero(StringRef text, double &number) { return !text.getAsDouble(number) && number > 0; }

const Setting settings[] = {
    {"loss", "--loss", "--loss", [](StringRef value, Options &o) { return o.loss = value.str(), true; }},
    {"reduction", "--reduction", "--loss",
     [](StringRef value, Options &o) { return o.reduction = value.str(), true; }},
    {"label_smoothing", "--label-smoothing", "--loss",
     [](StringRef value, Options &o) { return !value.getAsDouble(o.labelSmoothing); }},
    {"ignore_index", "--ignore-index", "--loss",
     [](StringRef value, Options &o) { return !value.getAsInteger(10, o.ignoreIndex); }},
    {"label_type", "--label-type", "--loss",
     [](StringRef value, Options &o) { return o.labelType = value.str(), value == "f32"; }},
    {"delta", "--delta", "--loss", [](StringRef value, Options &o) { return !value.getAsDouble(o.delta); }},
    {"optimizer", "--optimizer", "--optimizer",
     [](StringRef value, Options &o) { return o.optimizer = value.str(), true; }},
    {"nesterov", "--nesterov", "--optimizer", [](StringRef, Options &o) { return o.nesterov = true; }},
    {"centered", "--centered", "--optimizer", [](StringRef, Options &o) { return o.centered = true; }},
    {"amsgrad", "--amsgrad", "--optimizer", [](StringRef, Options &o) { return o.amsgrad = true; }},
    {"clip_grad_norm", "--clip-grad-norm", "--clip-grad-value",
     [](StringRef value, Options &o) { return isAboveZero(value, o.maxGradNorm); }},
    {"clip_grad_value", "--clip-grad-value", "--clip-grad-norm",
     [](StringRef value, Options &o) { return isAboveZero(value, o.maxGradValue); }},
    {"ema_decay", "--ema-decay", "--ema-decay",
     [](StringRef value, Options &o) { return isAboveZero(value, o.emaDecay) && o.emaDecay < 1; }},
    {"group", "--group", "--group",
     [](StringRef value, Options &o) { return o.groups.push_back(value.str()), true; }},
    {"accumulate", "--accumulate", "--accumulate",
     [](StringRef value, Options &o) {
       return o.accumulate = value.str(), value == "sum" || value == "mean";
     }},
};

} // namespace

/// Whether the command line makes another choice than the description: then the settings of this one go with
/// it.
static bool replaces(ArrayAttr described, StringRef choice, StringRef given) {
  return llvm::none_of(described.getAsRange<StringAttr>(),
                       [&](StringAttr text) { return text.getValue() == (choice + "=" + given).str(); });
}

LogicalResult takeDescribed(ModuleOp module, ArrayRef<std::string> given, Options &options) {
  auto isGiven = [&](StringRef flag) { return llvm::is_contained(given, flag); };
  std::vector<std::string> hyperparameters;
  for (auto program : module.getOps<train::ProgramOp>()) {
    auto described = train::TrainDialect::DescribedAttrHelper(program.getContext()).getAttr(program);
    if (!described)
      continue;
    bool newLoss = isGiven("--loss") && replaces(described, "loss", options.loss),
         newOptimizer = isGiven("--optimizer") && replaces(described, "optimizer", options.optimizer);
    for (auto text : described.getAsRange<StringAttr>()) {
      StringRef name = text.getValue().split('=').first, value = text.getValue().split('=').second;
      if (name == "hyperparameter" && !newOptimizer) {
        hyperparameters.push_back(value.str());
        continue;
      }
      const Setting *setting =
          llvm::find_if(settings, [&](const Setting &each) { return each.name == name; });
      if (setting == std::end(settings) && name != "hyperparameter")
        return program.emitError("the description has the setting '")
               << name << "', which is not known; are dlc and the description's headers of one version?";
      if (setting == std::end(settings) || isGiven(setting->flag) ||
          (setting->choice == "--loss" ? newLoss : newOptimizer) ||
          (setting->choice.starts_with("--clip") && isGiven(setting->choice)))
        continue;
      if (!setting->read(value, options))
        return program.emitError("the description's setting '")
               << text.getValue() << "' has a value that it cannot have";
    }
  }
  // The last one counts.
  options.hyperparameters.insert(options.hyperparameters.begin(), hyperparameters.begin(),
                                 hyperparameters.end());
  return success();
}

} // namespace dlc::pipeline
