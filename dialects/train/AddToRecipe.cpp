//===- AddToRecipe.cpp - train: who says how a model is trained ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one way from texts to a recipe, for the command line, for descriptions and for the pass dlc-recipe. Attributes
// are made when all settings are known, as one setting may need another.
//===----------------------------------------------------------------------===//
#include "dialects/train/Recipe.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace train;

namespace {

/// A loss and its settings, with their defaults.
struct LossChoice {
  std::optional<LossKind> kind;
  std::string prediction, classWeights;
  Reduction reduction = Reduction::Mean;
  LabelType labelType = LabelType::I64;
  double labelSmoothing = 0, delta = 1;
  std::optional<int64_t> classAxis, timeAxis;
  int64_t ignoreIndex = -100, blank = 0, maxLabels = 0;
  bool zeroInfinity = false, keepActivation = false;

  LossChoice() = default;
  explicit LossChoice(LossAttr loss)
      : kind(loss.getKind()), prediction(loss.getPrediction()), classWeights(loss.getClassWeights()),
        reduction(loss.getReduction()), labelType(loss.getLabelType()),
        labelSmoothing(loss.getLabelSmoothing().value), delta(loss.getDelta().value),
        classAxis(loss.getClassAxis()), timeAxis(loss.getTimeAxis()), ignoreIndex(loss.getIgnoreIndex()),
        blank(loss.getBlank()), maxLabels(loss.getMaxLabels()), zeroInfinity(loss.getZeroInfinity()),
        keepActivation(loss.getKeepActivation()) {}
};

/// How the value of a loss's setting is read; whether it made sense.
struct LossSetting {
  StringRef name;
  bool (*read)(StringRef value, LossChoice &loss);
};
template <typename Enum> bool readWord(std::optional<Enum> word, Enum &result) {
  return word ? (result = *word, true) : false;
}
bool readIndex(StringRef value, std::optional<int64_t> &result) {
  int64_t index;
  return !value.getAsInteger(10, index) && (result = index, true);
}

const LossSetting lossSettings[] = {
    {"prediction", [](StringRef value, LossChoice &l) { return l.prediction = value.str(), true; }},
    {"reduction", [](StringRef value, LossChoice &l) { return readWord(symbolizeReduction(value), l.reduction); }},
    {"ignore_index", [](StringRef value, LossChoice &l) { return !value.getAsInteger(10, l.ignoreIndex); }},
    {"label_smoothing", [](StringRef value, LossChoice &l) { return !value.getAsDouble(l.labelSmoothing); }},
    {"class_weights", [](StringRef value, LossChoice &l) { return l.classWeights = value.str(), true; }},
    {"label_type", [](StringRef value, LossChoice &l) { return readWord(symbolizeLabelType(value), l.labelType); }},
    {"delta", [](StringRef value, LossChoice &l) { return !value.getAsDouble(l.delta); }},
    {"class_axis", [](StringRef value, LossChoice &l) { return readIndex(value, l.classAxis); }},
    {"time_axis", [](StringRef value, LossChoice &l) { return readIndex(value, l.timeAxis); }},
    {"blank", [](StringRef value, LossChoice &l) { return !value.getAsInteger(10, l.blank); }},
    {"max_labels", [](StringRef value, LossChoice &l) { return !value.getAsInteger(10, l.maxLabels); }},
    {"zero_infinity", [](StringRef, LossChoice &l) { return l.zeroInfinity = true; }},
    {"keep_activation", [](StringRef, LossChoice &l) { return l.keepActivation = true; }},
};

class Writer {
public:
  explicit Writer(ProgramOp program)
      : program(program), context(program.getContext()), recipe(getOrAddRecipe(program)) {
    if (LossAttr known = recipe.getLossAttr())
      loss = LossChoice(known);
    OptimizerAttr known = recipe.getOptimizerOrDefault();
    optimizer = known.getName().str();
    settings.assign(known.getSettings().begin(), known.getSettings().end());
  }

  LogicalResult add(const RecipeSettings &all) {
    // What the others are settings of.
    for (const auto &[name, value] : all)
      if (failed(choose(name, value)))
        return failure();
    for (const auto &[name, value] : all)
      if (name != "loss" && name != "optimizer" && failed(add(name, value)))
        return failure();
    return finish();
  }

private:
  InFlightDiagnostic fail() { return program.emitError(); }
  LogicalResult failValue(StringRef name, StringRef value) {
    return fail() << "the setting '" << name << "=" << value << "' has a value that it cannot have";
  }

  LogicalResult choose(StringRef name, StringRef value) {
    if (name == "loss")
      return chooseLoss(value);
    if (name == "optimizer" && value != optimizer) {
      optimizer = value.str();
      settings.clear();
    }
    isOptimizerGiven |= name == "optimizer";
    return success();
  }

  LogicalResult chooseLoss(StringRef value) {
    if (value.empty())
      return loss = LossChoice(), success();
    std::string word = value.str();
    llvm::replace(word, '-', '_');
    std::optional<LossKind> kind = symbolizeLossKind(word);
    if (!kind || llvm::find(value, '_') != value.end())
      return fail() << "unknown loss '" << value << "'; expected " << llvm::join(lossNames(), ", ");
    if (loss.kind != kind)
      loss = LossChoice();
    loss.kind = kind;
    return success();
  }

  LogicalResult add(StringRef name, StringRef value) {
    const auto *ofLoss =
        llvm::find_if(lossSettings, [&](const LossSetting &each) { return each.name == name; });
    if (ofLoss != std::end(lossSettings))
      return addToLoss(*ofLoss, value);
    if (isOptimizerSetting(name) || name == "hyperparameter")
      return addToOptimizer(name, value);
    if (name == "group" || name == "no_decay" || name == "train" || name == "freeze" || name == "function")
      return addToList(name, value);
    return addNumber(name, value);
  }

  LogicalResult addToLoss(const LossSetting &setting, StringRef value) {
    if (!loss.kind)
      return fail() << setting.name << " has no effect without a loss";
    if (setting.read(value, loss))
      return success();
    if (setting.name == "reduction")
      return fail() << "unknown reduction '" << value << "'; expected mean or sum";
    if (setting.name == "label_type")
      return fail() << "unknown label type '" << value << "'; expected i64, i32 or f32";
    return failValue(setting.name, value);
  }

  LogicalResult addToOptimizer(StringRef name, StringRef value) {
    if (name == "hyperparameter")
      std::tie(name, value) = value.split('=');
    isOptimizerGiven = true;
    const bool isFlag = llvm::any_of(optimizerTable(), [&](const OptimizerRow &row) {
      return !row.flag.empty() && row.flag == name;
    });
    if (isFlag)
      return settings.set(name, UnitAttr::get(context)), success();
    const OptimizerRow *row = findOptimizer(optimizer);
    if (!row || !row->defaults.contains(name)) // which the attribute's verifier has the words for
      return settings.set(name, FloatAttr::get(Float64Type::get(context), 0)), success();
    FailureOr<double> number = parseHyperparameter(name, value, [&] { return fail(); });
    if (failed(number))
      return failure();
    return settings.set(name, FloatAttr::get(Float64Type::get(context), *number)), success();
  }

  LogicalResult addToList(StringRef name, StringRef value) {
    lists[name.str()].push_back(value.str());
    return success();
  }

  /// What is neither of the loss nor of the optimizer itself.
  LogicalResult addNumber(StringRef name, StringRef value) {
    double number = 0;
    if (name == "clip_grad_norm" || name == "clip_grad_value") {
      if (value.getAsDouble(number))
        return failValue(name, value);
      auto clip = ClipAttr::getChecked([&] { return fail(); }, context,
                                       name == "clip_grad_norm" ? ClipKind::Norm : ClipKind::Value,
                                       Number(number));
      return recipe.setClipAttr(clip), success(bool(clip));
    }
    if (name == "ema_decay") {
      if (value.getAsDouble(number) || !(number > 0 && number < 1))
        return failValue(name, value);
      return recipe.setEmaDecayAttr(FloatAttr::get(Float64Type::get(context), number)), success();
    }
    if (name == "accumulate") {
      std::optional<Reduction> how = symbolizeReduction(value);
      if (!how)
        return failValue(name, value);
      return recipe.setAccumulate(*how), success();
    }
    if (name == "seed") {
      uint64_t seed;
      if (value.getAsInteger(10, seed))
        return failValue(name, value);
      return recipe.setSeed(seed), success();
    }
    if (name == "precision") {
      std::optional<Precision> precision = symbolizePrecision(value);
      if (value != "fp32" && !precision)
        return fail() << "expects precision=fp32, tf32, bf16 or fp16, got '" << value << "'";
      if (precision)
        recipe.setPrecision(*precision);
      else
        recipe.removePrecisionAttr();
      return success();
    }
    if (name == "loss_scale")
      return setLossScale(value);
    if (name == "grad_norm")
      return recipe.setGradNorm(true), success();
    if (name == "step_metrics")
      return recipe.setStepMetrics(true), success();
    return fail() << "a recipe has no setting '" << name << "'; are all parts of dlc of one version?";
  }

  LogicalResult setLossScale(StringRef value) {
    if (value == "dynamic")
      return recipe.setLossScaleAttr(LossScaleAttr::getDynamic(context)), success();
    double number;
    if (value.getAsDouble(number))
      return failValue("loss_scale", value);
    auto scale =
        LossScaleAttr::getChecked([&] { return fail(); }, context, Number(number), /*dynamic=*/false);
    return recipe.setLossScaleAttr(scale), success(bool(scale));
  }

  LogicalResult finish() {
    if (loss.kind) {
      auto attribute = LossAttr::getChecked(
          [&] { return fail(); }, context, *loss.kind, StringRef(loss.prediction), loss.reduction,
          loss.ignoreIndex, Number(loss.labelSmoothing), StringRef(loss.classWeights), loss.labelType,
          Number(loss.delta), loss.classAxis, loss.timeAxis, loss.blank, loss.maxLabels, loss.zeroInfinity,
          loss.keepActivation);
      if (!attribute)
        return failure();
      recipe.setLossAttr(attribute);
    } else {
      recipe.removeLossAttr();
    }
    if (isOptimizerGiven) {
      auto attribute = OptimizerAttr::getChecked([&] { return fail(); }, context, StringRef(optimizer),
                                                 settings.getDictionary(context));
      if (!attribute)
        return failure();
      recipe.setOptimizerAttr(attribute);
    }
    return finishLists();
  }

  LogicalResult finishLists() {
    Builder builder(context);
    for (const auto &[name, texts] : lists) {
      if (name == "group") {
        SmallVector<Attribute> groups;
        for (const std::string &text : texts) {
          groups.push_back(GroupAttr::getChecked([&] { return fail(); }, context, StringRef(text)));
          if (!groups.back())
            return failure();
        }
        recipe.setGroupsAttr(builder.getArrayAttr(groups));
        continue;
      }
      ArrayAttr list = builder.getStrArrayAttr(llvm::to_vector_of<StringRef>(texts));
      if (name == "no_decay")
        recipe.setNoDecayAttr(list);
      else if (name == "train")
        recipe.setTrainAttr(list);
      else if (name == "freeze")
        recipe.setFreezeAttr(list);
      else
        recipe.setFunctionsAttr(list);
    }
    return success();
  }

  ProgramOp program;
  MLIRContext *context;
  RecipeOp recipe;
  LossChoice loss;
  std::string optimizer;
  NamedAttrList settings; ///< of the optimizer
  bool isOptimizerGiven = false;
  std::map<std::string, std::vector<std::string>> lists;
};

} // namespace

LogicalResult train::addToRecipe(ProgramOp program, const RecipeSettings &settings) {
  return settings.empty() ? success() : Writer(program).add(settings);
}
