//===- AttachLoss.cpp - the pass dlc-attach-loss ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "compiler/forward/CtcLoss.h"
#include "compiler/forward/FactsOfValues.h"
#include "compiler/forward/LossFit.h"
#include "compiler/forward/Passes.h"
#include "compiler/forward/Prediction.h"
#include "compiler/support/Messages.h"
#include "compiler/support/Symbols.h"
#include "dialects/nn/Dims.h"
#include "dialects/nn/Expr.h"
#include "dialects/train/Recipe.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace dlc::forward {
#define GEN_PASS_DEF_ATTACHLOSS
#include "compiler/forward/Passes.h.inc"

/// One number for each class, separated by blanks, commas or line ends.
static FailureOr<Value> readClassWeights(ImplicitLocOpBuilder &builder, StringRef path, Type elementType,
                                         int64_t classes) {
  auto fail = [&] {
    return emitError(cast<NameLoc>(builder.getLoc()).getChildLoc()) << "class weights '" << path << "': ";
  };
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return fail() << file.getError().message(), failure();
  SmallVector<StringRef> words;
  llvm::SplitString((*file)->getBuffer(), words, ", \t\r\n");
  SmallVector<Attribute> weights;
  for (StringRef word : words) {
    double weight;
    if (word.getAsDouble(weight) || !(weight >= 0 && weight < std::numeric_limits<float>::max()))
      return fail() << "expected finite numbers that are not negative, got '" << word << "'", failure();
    weights.push_back(builder.getFloatAttr(elementType, weight));
  }
  if (int64_t(weights.size()) != classes)
    return fail() << "expected " << classes << " numbers, one for each class, got " << weights.size(),
           failure();
  auto type = RankedTensorType::get({classes}, elementType);
  return Value(nn::ConstantOp::create(builder, DenseElementsAttr::get(type, weights)));
}

namespace {
/// The loss operation's results.
struct Loss {
  Value value, weight;
};

class AttachLossPass : public impl::AttachLossBase<AttachLossPass> {
public:
  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>())
      for (auto function : program.getBody().getOps<train::FunctionOp>())
        if (function.getKind() == train::FunctionKind::Forward)
          warnOfOwnLosses(function);
    for (auto program : getOperation().getOps<train::ProgramOp>())
      if (!train::lossNameOf(program).empty() && failed(run(program)))
        return signalPassFailure();
  }

private:
  LogicalResult run(train::ProgramOp program);
  FailureOr<Loss> build(ImplicitLocOpBuilder &builder, Prediction prediction);
  FailureOr<Loss> buildClassLoss(ImplicitLocOpBuilder &builder, Prediction prediction);
  Loss buildLossOfProbabilities(ImplicitLocOpBuilder &builder, Value x, Value weights, int64_t axis);
  FailureOr<Loss> buildPointwiseLoss(ImplicitLocOpBuilder &builder, Prediction prediction);
  FailureOr<Loss> buildSequenceLoss(ImplicitLocOpBuilder &builder, Prediction prediction);
  FailureOr<Loss> takeOutput(ImplicitLocOpBuilder &builder, Prediction prediction);

  InFlightDiagnostic failNeeds(Prediction prediction, StringRef need) {
    return function->getParentOp()->emitError()
           << "loss '" << loss << "' needs " << need << ", but output '" << prediction.name << "' is "
           << typeForUsers(prediction.value.getType());
  }
  /// Declares the target input and reads it.
  train::InputOp target;
  Value readTarget(ImplicitLocOpBuilder &builder, StringRef name, RankedTensorType type) {
    auto program = function->getParentOfType<train::ProgramOp>();
    ImplicitLocOpBuilder declare(builder.getLoc(), OpBuilder(function));
    target = train::InputOp::create(declare, /*target=*/true, freeSymbol(program, name), /*low=*/nullptr,
                                    /*limit=*/nullptr, /*ignore=*/nullptr, type);
    return train::ReadOp::create(builder, type, target.getSymName());
  }
  /// The same for integers from 0 to `limit` - 1.
  Value readIndices(ImplicitLocOpBuilder &builder, StringRef name, ArrayRef<nn::Dim> shape, int64_t limit) {
    Type element = builder.getIntegerType(recipe.getLabelType() == train::LabelType::I32 ? 32 : 64);
    Value read = readTarget(builder, name, nn::tensorType(shape, element));
    target.setLow(0);
    target.setLimit(limit);
    return read;
  }
  nn::LossReductionAttr reductionAttr() {
    return nn::LossReductionAttr::get(&getContext(),
                                      recipe.getReduction() == train::Reduction::Sum ? nn::LossReduction::sum : nn::LossReduction::mean);
  }

  train::LossAttr recipe;
  std::string loss; ///< its name
  train::FunctionOp function;
};
} // namespace

/// What the loss operations take has the classes along dim 1. All dims before the class axis become one, and
/// all dims after it: nothing moves in memory.
static nn::Expr withClassesAtOne(ImplicitLocOpBuilder &builder, Value value, ArrayRef<nn::Dim> before,
                                 ArrayRef<nn::Dim> classes, ArrayRef<nn::Dim> after) {
  nn::Shape shape{nn::elementCount(before)};
  llvm::append_range(shape, classes);
  if (!after.empty())
    shape.push_back(nn::elementCount(after));
  nn::Expr x(builder, value);
  return reshape(x, nn::tensorType(shape, x.elementType()));
}

/// The cross entropy with a probability for each class, as PyTorch has it: the labels q become
/// (1 - s) q + s / classes by label smoothing, and a row's loss is -sum(q w ln softmax(x)). A mean divides by
/// the number of rows, also with class weights w.
Loss AttachLossPass::buildLossOfProbabilities(ImplicitLocOpBuilder &builder, Value x, Value weights,
                                              int64_t axis) {
  nn::Shape shape = nn::shapeOf(x.getType());
  auto before = ArrayRef(shape).take_front(axis), after = ArrayRef(shape).drop_front(axis + 1);
  Value labels = readTarget(builder, "labels", cast<RankedTensorType>(x.getType()));
  if (axis != 1) {
    x = withClassesAtOne(builder, x, before, shape[axis], after);
    labels = withClassesAtOne(builder, labels, before, shape[axis], after);
  }
  nn::Expr target(builder, labels), logs(builder, nn::LogSoftmaxOp::create(builder, x, /*axis=*/1));
  const double labelSmoothing = recipe.getLabelSmoothing().value;
  if (labelSmoothing != 0)
    target = target * (1 - labelSmoothing) + labelSmoothing / double(shape[axis].factor);
  if (weights) {
    nn::Shape column(logs.rank() - 1, nn::Dim(1));
    column[0] = shape[axis];
    nn::Expr perClass(builder, weights);
    logs = logs * reshape(perClass, nn::tensorType(column, logs.elementType()));
  }
  nn::Expr rows = -sum(target * logs, 1, /*keepdims=*/false);
  nn::Expr loss = recipe.getReduction() == train::Reduction::Sum
                      ? sumAll(rows)
                      : mean(rows, llvm::to_vector(llvm::seq<int64_t>(rows.rank())), /*keepdims=*/false);
  return {loss, loss.scalar(1)};
}

FailureOr<Loss> AttachLossPass::buildClassLoss(ImplicitLocOpBuilder &builder, Prediction prediction) {
  FactsOfValues facts(function);
  FailureOr<int64_t> axis = chooseClassAxis(prediction, facts.of(prediction.value), loss, textOfAxis(recipe.getClassAxis()));
  if (failed(axis))
    return failure();
  nn::Shape shape = nn::shapeOf(prediction.value.getType());
  int64_t classes = shape[*axis].factor;
  Value x = prediction.value;
  if (loss == "softmax-cross-entropy")
    x = withoutSoftmax(builder, prediction, loss, *axis, recipe.getKeepActivation());
  if (failed(checkFit(prediction, x, facts.of(x), loss, classes)))
    return failure();
  Value weights;
  if (StringRef classWeights = recipe.getClassWeights(); !classWeights.empty()) {
    Type elementType = cast<RankedTensorType>(x.getType()).getElementType();
    FailureOr<Value> read = readClassWeights(builder, classWeights, elementType, classes);
    if (failed(read))
      return failure();
    weights = *read;
  }
  if (recipe.getLabelType() == train::LabelType::F32)
    return buildLossOfProbabilities(builder, x, weights, *axis);
  auto before = ArrayRef(shape).take_front(*axis), after = ArrayRef(shape).drop_front(*axis + 1);
  nn::Shape labelShape(before);
  llvm::append_range(labelShape, after);
  Value labels = readIndices(builder, "labels", labelShape, classes);
  target.setIgnore(recipe.getIgnoreIndex());
  target.setClassAxis(*axis);
  if (*axis != 1) {
    x = withClassesAtOne(builder, x, before, shape[*axis], after);
    labels = withClassesAtOne(builder, labels, before, {}, after);
  }
  if (loss == "nll") {
    auto op = nn::NllLossOp::create(builder, reductionAttr(), x, labels, weights,
                                    builder.getI64IntegerAttr(recipe.getIgnoreIndex()));
    return Loss{op.getLoss(), op.getWeight()};
  }
  auto op = nn::SoftmaxCrossEntropyOp::create(builder, reductionAttr(), x, labels, weights,
                                              builder.getI64IntegerAttr(recipe.getIgnoreIndex()),
                                              builder.getF64FloatAttr(recipe.getLabelSmoothing().value));
  return Loss{op.getLoss(), op.getWeight()};
}

FailureOr<Loss> AttachLossPass::buildPointwiseLoss(ImplicitLocOpBuilder &builder, Prediction prediction) {
  Value x = prediction.value;
  if (loss == "bce-with-logits" && !recipe.getKeepActivation())
    x = withoutSigmoid(builder, prediction, loss);
  if (failed(checkFit(prediction, x, FactsOfValues(function).of(x), loss, /*classes=*/0)))
    return failure();
  Value target = readTarget(builder, "target", cast<RankedTensorType>(x.getType()));
  auto make = [&](auto op) { return Loss{op.getLoss(), op.getWeight()}; };
  if (loss == "mse")
    return make(nn::MseLossOp::create(builder, reductionAttr(), x, target));
  if (loss == "l1")
    return make(nn::L1LossOp::create(builder, reductionAttr(), x, target));
  if (loss == "huber")
    return make(nn::HuberLossOp::create(builder, reductionAttr(), x, target, builder.getF64FloatAttr(recipe.getDelta().value)));
  if (loss == "bce")
    return make(nn::BceLossOp::create(builder, reductionAttr(), x, target));
  return make(nn::BceWithLogitsLossOp::create(builder, reductionAttr(), x, target));
}

FailureOr<Loss> AttachLossPass::buildSequenceLoss(ImplicitLocOpBuilder &builder, Prediction prediction) {
  ValueFacts facts = FactsOfValues(function).of(prediction.value);
  FailureOr<SequenceAxes> axes = chooseSequenceAxes(prediction, facts, recipe);
  if (failed(axes))
    return failure();
  nn::Shape shape = nn::shapeOf(prediction.value.getType());
  int64_t classes = shape[axes->classes].factor, places = shape[axes->time].factor;
  if (failed(checkFit(prediction, prediction.value, facts, loss, classes)))
    return failure();
  const nn::Dim &batch = shape[axes->batch];
  Value labels = readIndices(builder, "labels", {batch, recipe.getMaxLabels()}, classes);
  target.setIgnore(recipe.getIgnoreIndex());
  Value inputLengths = readIndices(builder, "input_lengths", batch, places + 1);
  Value labelLengths = readIndices(builder, "label_lengths", batch, recipe.getMaxLabels() + 1);
  nn::Expr value =
      buildCtcLoss(builder, {prediction.value, *axes, labels, inputLengths, labelLengths}, recipe);
  return Loss{value, value.scalar(1)};
}

FailureOr<Loss> AttachLossPass::takeOutput(ImplicitLocOpBuilder &builder, Prediction prediction) {
  // A loss operation has its weight, the number by which a mean loss was divided: evaluation needs it.
  auto ofOperation =
      llvm::TypeSwitch<Operation *, Loss>(prediction.value.getDefiningOp())
          .Case<nn::SoftmaxCrossEntropyOp, nn::NllLossOp, nn::MseLossOp, nn::L1LossOp, nn::HuberLossOp,
                nn::BceLossOp, nn::BceWithLogitsLossOp>([&](auto op) {
            return prediction.value == op.getLoss() ? Loss{op.getLoss(), op.getWeight()} : Loss{};
          })
          .Default([](Operation *) { return Loss{}; });
  if (ofOperation.value)
    return ofOperation;
  nn::Expr value(builder, prediction.value);
  if (!nn::elementCount(nn::shapeOf(value.type())).isOne())
    return failNeeds(prediction, "an output of one number"), failure();
  value = reshape(value, RankedTensorType::get({}, value.elementType()));
  return Loss{value, value.scalar(1)};
}

FailureOr<Loss> AttachLossPass::build(ImplicitLocOpBuilder &builder, Prediction prediction) {
  if (!isa<FloatType>(cast<RankedTensorType>(prediction.value.getType()).getElementType()))
    return failNeeds(prediction, "a prediction of floating-point numbers"), failure();
  if (loss == "output")
    return takeOutput(builder, prediction);
  if (loss == "ctc")
    return buildSequenceLoss(builder, prediction);
  return train::hasClasses(loss) ? buildClassLoss(builder, prediction) : buildPointwiseLoss(builder, prediction);
}

LogicalResult AttachLossPass::run(train::ProgramOp program) {
  train::RecipeOp whole = train::recipeOf(program);
  recipe = whole.getLossAttr();
  loss = recipe.getName();
  auto functions =
      llvm::make_filter_range(program.getBody().getOps<train::FunctionOp>(), [](train::FunctionOp f) {
        return f.getKind() == train::FunctionKind::Forward;
      });
  if (functions.empty())
    return program.emitError("expected the function 'forward'");
  function = *functions.begin();
  if (!function.getBody().getOps<train::LossOp>().empty())
    return program.emitError() << "loss '" << loss << "': the model has a loss already";
  FailureOr<Prediction> found = findPrediction(function, recipe.getPrediction(), loss);
  if (failed(found))
    return failure();
  ImplicitLocOpBuilder builder(NameLoc::get(StringAttr::get(&getContext(), "loss"), program.getLoc()),
                               OpBuilder::atBlockEnd(&function.getBody().front()));
  FailureOr<Loss> built = build(builder, *found);
  if (failed(built))
    return failure();
  train::LossOp::create(builder, built->value, built->weight);
  ImplicitLocOpBuilder declare(builder.getLoc(), OpBuilder(function));
  // The step's function gives a float, whatever the model computes with.
  train::OutputOp::create(declare, train::OutputRole::Loss, freeSymbol(program, "loss"),
                          RankedTensorType::get({}, declare.getF32Type()));
  whole.removeLossAttr(); // it is the model's now
  if (whole->getAttrDictionary().empty())
    whole.erase();
  return success();
}

} // namespace dlc::forward
