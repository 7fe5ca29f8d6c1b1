//===- Recipe.cpp - train: how a model is trained --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be said of each part of a recipe alone. What it says of a model is checked where it is used.
//===----------------------------------------------------------------------===//
#include "dialects/train/Recipe.h"
#include "llvm/ADT/StringExtras.h"
#include <charconv>
#include <cmath>

using namespace mlir;
using namespace train;

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

//===-- Texts ------------------------------------------------------------------===//

std::string train::textOf(double number) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

AsmPrinter &train::operator<<(AsmPrinter &printer, Number number) {
  // MLIR's numbers have a point: 1.0, 1.0e-08.
  std::string text = textOf(number.value);
  const size_t exponent = std::min(text.find('e'), text.size());
  if (text.find('.') == std::string::npos)
    text.insert(exponent, ".0");
  return printer << text;
}

FailureOr<Number> FieldParser<Number>::parse(AsmParser &parser) {
  double value;
  if (parser.parseFloat(value))
    return failure();
  return Number(value);
}

static std::string withHyphens(StringRef name) {
  std::string text = name.str();
  llvm::replace(text, '_', '-');
  return text;
}

const std::vector<std::string> &train::lossNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (uint32_t kind = 0; kind <= getMaxEnumValForLossKind(); ++kind)
      all.push_back(withHyphens(stringifyLossKind(static_cast<LossKind>(kind))));
    return all;
  }();
  return names;
}

bool train::hasClasses(std::string_view loss) { return loss == "softmax-cross-entropy" || loss == "nll"; }

std::string LossAttr::getName() const { return withHyphens(stringifyLossKind(getKind())); }

std::string train::lastOf(const RecipeSettings &settings, std::string_view name, std::string otherwise) {
  for (const auto &[known, value] : settings)
    if (known == name)
      otherwise = value;
  return otherwise;
}

std::vector<std::string> train::allOf(const RecipeSettings &settings, std::string_view name) {
  std::vector<std::string> values;
  for (const auto &[known, value] : settings)
    if (known == name)
      values.push_back(value);
  return values;
}

//===-- Attributes -------------------------------------------------------------===//

/// A sequence has at most as many labels; no program needs more.
static constexpr int64_t mostLabels = 65536;

LogicalResult LossAttr::verify(EmitError emitError, LossKind kind, StringRef, Reduction, int64_t ignoreIndex,
                               Number labelSmoothing, StringRef classWeights, LabelType labelType,
                               Number delta, std::optional<int64_t>, std::optional<int64_t>, int64_t,
                               int64_t maxLabels, bool, bool keepActivation) {
  const std::string loss = withHyphens(stringifyLossKind(kind));
  if (labelType == LabelType::F32 && kind != LossKind::SoftmaxCrossEntropy)
    return emitError() << "label type f32, probabilities of the classes, is for loss "
                          "'softmax-cross-entropy', not for '"
                       << loss << "'";
  if (ignoreIndex == std::numeric_limits<int64_t>::min()) // says "none" in the library's description
    return emitError() << "ignore index: expected a number above " << ignoreIndex;
  if (labelType == LabelType::I32 && !llvm::isInt<32>(ignoreIndex))
    return emitError() << "ignore index " << ignoreIndex << " is no i32, the type of the labels";
  if (!(labelSmoothing.value >= 0 && labelSmoothing.value <= 1))
    return emitError() << "label smoothing: expected a number from 0 to 1, got " << textOf(labelSmoothing.value);
  constexpr double largest = std::numeric_limits<float>::max();
  if (!(delta.value > 0 && delta.value < largest))
    return emitError() << "delta of the Huber loss: expected a finite number above 0, got " << delta.value;
  if (labelSmoothing.value != 0 && kind != LossKind::SoftmaxCrossEntropy)
    return emitError() << "label smoothing is for loss 'softmax-cross-entropy', not for '" << loss << "'";
  if (keepActivation && kind != LossKind::SoftmaxCrossEntropy && kind != LossKind::BceWithLogits)
    return emitError() << "keep_activation is for losses that apply a softmax or a sigmoid, not for '" << loss << "'";
  if (!classWeights.empty() && !hasClasses(loss))
    return emitError() << "class weights are for losses 'softmax-cross-entropy' and 'nll', not for '" << loss << "'";
  if (kind == LossKind::Ctc && (maxLabels < 1 || maxLabels > mostLabels))
    return emitError()
           << "loss 'ctc' needs the most labels that a sequence has, --max-labels=N from 1 to " << mostLabels
           << ", got " << maxLabels;
  return success();
}

SmallVector<StringRef> GroupAttr::getGlobs() const {
  SmallVector<StringRef> globs;
  getText().rsplit(':').first.split(globs, '|'); // from the right: names of parameters may have colons
  return globs;
}

SmallVector<StringRef> GroupAttr::getNumbers() const {
  SmallVector<StringRef> numbers;
  getText().rsplit(':').second.split(numbers, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return numbers;
}

LogicalResult GroupAttr::verify(EmitError emitError, StringRef text) {
  auto [globs, numbers] = text.rsplit(':');
  SmallVector<StringRef> alternatives;
  globs.split(alternatives, '|');
  if (!numbers.trim(',').empty() && !llvm::is_contained(alternatives, ""))
    return success();
  return emitError() << "group '" << text
                     << "': expected GLOB|GLOB...:NAME=NUMBER,..., such as "
                        "'*.bias|*norm*:weight-decay=0,lr-scale=0.1'";
}

LogicalResult ClipAttr::verify(EmitError emitError, ClipKind kind, Number largest) {
  if (largest.value > 0 && largest.value < std::numeric_limits<float>::max())
    return success();
  return emitError() << "clipping of gradients by " << stringifyClipKind(kind)
                     << ": expected a finite number above 0, got " << textOf(largest.value);
}

LogicalResult LossScaleAttr::verify(EmitError emitError, Number initial, bool) {
  if (initial.value >= 0x1p-100 && initial.value <= 0x1p100)
    return success();
  return emitError() << "loss scale: expected a number from 2^-100 to 2^100, got " << textOf(initial.value);
}

LossScaleAttr LossScaleAttr::getDynamic(MLIRContext *context) {
  constexpr double first = 65536; // as torch.amp.GradScaler
  return get(context, first, /*dynamic=*/true);
}

//===-- The operation ----------------------------------------------------------===//

LogicalResult RecipeOp::verify() {
  if (auto decay = getEmaDecayAttr(); decay && !(decay.getValueAsDouble() > 0 && decay.getValueAsDouble() < 1))
    return emitOpError("expects ema_decay to be above 0 and below 1, got ")
           << textOf(decay.getValueAsDouble());
  return success();
}

OptimizerAttr RecipeOp::getOptimizerOrDefault() {
  OptimizerAttr optimizer = getOptimizerAttr();
  return optimizer ? optimizer : OptimizerAttr::getDefault(getContext());
}

LossScaleAttr RecipeOp::getLossScaleInUse() {
  if (LossScaleAttr scale = getLossScaleAttr())
    return scale;
  return getPrecision() == Precision::FP16 ? LossScaleAttr::getDynamic(getContext()) : LossScaleAttr();
}

RecipeOp train::recipeOf(ProgramOp program) {
  auto recipes = program.getBody().getOps<RecipeOp>();
  return recipes.empty() ? RecipeOp() : *recipes.begin();
}

OwningOpRef<RecipeOp> train::emptyRecipe(MLIRContext *context) {
  OpBuilder builder(context);
  return RecipeOp::create(builder, UnknownLoc::get(context), TypeRange(), ValueRange(),
                          ArrayRef<NamedAttribute>());
}

RecipeOp train::getOrAddRecipe(ProgramOp program) {
  if (RecipeOp recipe = recipeOf(program))
    return recipe;
  RecipeOp recipe = emptyRecipe(program.getContext()).release();
  recipe->setLoc(program.getLoc());
  program.getBody().front().push_front(recipe);
  return recipe;
}

std::string train::lossNameOf(ProgramOp program) {
  RecipeOp recipe = recipeOf(program);
  return recipe && recipe.getLossAttr() ? recipe.getLossAttr().getName() : "";
}

SmallVector<std::string> train::textsOf(std::optional<ArrayAttr> list) {
  SmallVector<std::string> texts;
  if (list)
    for (auto text : list->getAsRange<StringAttr>())
      texts.push_back(text.str());
  return texts;
}
