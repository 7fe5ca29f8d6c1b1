//===- LossFit.cpp - does a loss fit what the model gives ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses have no types that tell scores from probabilities: a loss on the wrong ones trains to nonsense
// without an error. What is known of the values (FactsOfValues.h) shows most of these mistakes beforehand.
//===----------------------------------------------------------------------===//
#include "compiler/forward/LossFit.h"
#include "compiler/forward/FactsOfValues.h"
#include "compiler/support/Messages.h"
#include "dialects/nn/Dims.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace mlir;
using namespace dlc::forward;
using dlc::typeForUsers;

static std::string shortNumber(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.3g", number);
  return text;
}

/// "can be any number", "are numbers from -1 to 1": as far as is known.
static std::string describeRange(const ValueFacts &facts) {
  bool hasLow = std::isfinite(facts.low), hasHigh = std::isfinite(facts.high);
  if (hasLow && hasHigh)
    return "are numbers from " + shortNumber(facts.low) + " to " + shortNumber(facts.high);
  if (hasLow)
    return "can be any number from " + shortNumber(facts.low) + " on";
  return hasHigh ? "can be any number up to " + shortNumber(facts.high) : std::string("can be any number");
}

//===-- The class axis -------------------------------------------------------------===//

static std::string axesOf(int64_t rank) {
  return rank == 1 ? "axis 0" : "axes 0 to " + std::to_string(rank - 1);
}

static FailureOr<int64_t> axisOfOption(Prediction prediction, StringRef loss, StringRef option) {
  int64_t rank = cast<RankedTensorType>(prediction.value.getType()).getRank(), axis;
  if (option.getAsInteger(10, axis) || axis < -rank || axis >= rank)
    return emitError(UnknownLoc::get(prediction.value.getContext()))
               << "class axis " << option << ": output '" << prediction.name << "', which loss '" << loss
               << "' takes, is " << typeForUsers(prediction.value.getType()) << " with " << axesOf(rank)
               << "; -1 is the last one",
           failure();
  return axis < 0 ? axis + rank : axis;
}

/// "64 classes, labels [batch, 65]".
static std::string reading(Type type, int64_t axis) {
  nn::Shape labels = nn::shapeOf(type);
  std::string text = labels[axis].str() + " classes, labels [";
  labels.erase(labels.begin() + axis);
  for (auto [i, dim] : llvm::enumerate(labels))
    text += (i ? ", " : "") + dim.str();
  return text + "]";
}

static void warnOfAmbiguity(Prediction prediction, const ValueFacts &facts, StringRef loss) {
  Type type = prediction.value.getType();
  int64_t last = cast<RankedTensorType>(type).getRank() - 1;
  InFlightDiagnostic warning =
      emitWarning(prediction.value.getLoc())
      << "loss '" << loss << "': which axis of output '" << prediction.name << "' " << typeForUsers(type)
      << " holds the classes? Taken is axis 1, as in PyTorch: " << reading(type, 1) << ". ";
  if (nn::shapeOf(type)[last].isStatic())
    warning << "The other reading is axis " << last
            << (facts.features == last ? ", along which a layer's outputs lie: " : ": ")
            << reading(type, last) << "; --class-axis=" << last
            << " chooses it, --class-axis=1 confirms the first";
  else
    warning << "--class-axis=1 confirms it";
}

FailureOr<int64_t> dlc::forward::chooseClassAxis(Prediction prediction, const ValueFacts &facts,
                                                 StringRef loss, StringRef option) {
  Type type = prediction.value.getType();
  nn::Shape shape = nn::shapeOf(type);
  int64_t rank = shape.size(), axis = 1;
  std::optional<int64_t> softmax = facts.sumsToOne ? facts.sumsToOne : facts.expSumsToOne;
  if (!option.empty()) {
    FailureOr<int64_t> given = axisOfOption(prediction, loss, option);
    if (failed(given))
      return failure();
    axis = *given;
  } else if (rank >= 3 && softmax) {
    axis = *softmax;
  } else if (rank >= 3 && shape[1].isStatic() && facts.features != 1) {
    warnOfAmbiguity(prediction, facts, loss);
  }
  if (softmax && rank >= 2 && *softmax != axis)
    return emitError(prediction.value.getLoc())
               << "output '" << prediction.name << "' " << typeForUsers(type) << " is a softmax over axis "
               << *softmax << ", but loss '" << loss << "' takes axis " << axis
               << " for the classes: give --class-axis=" << *softmax << ", or apply the softmax along axis "
               << axis,
           failure();
  if (axis < rank && shape[axis].isStatic())
    return axis;
  InFlightDiagnostic error =
      emitError(prediction.value.getLoc())
      << "loss '" << loss
      << "' needs a prediction [rows, classes] or [rows, classes, ...] with a fixed number "
         "of classes, but output '"
      << prediction.name << "' is " << typeForUsers(type);
  if (rank >= 3 && shape[rank - 1].isStatic())
    error << "; if its last axis holds the classes, give --class-axis=" << rank - 1;
  if (rank == 1 && shape[0].isStatic())
    error << "; if it is one row of scores, give --class-axis=0";
  return failure();
}

//===-- The values -----------------------------------------------------------------===//

namespace {
/// Says what does not fit, at the operation that gives the values.
struct Report {
  Prediction prediction;
  Value x;
  const ValueFacts &facts;
  StringRef loss;

  InFlightDiagnostic start(InFlightDiagnostic message, StringRef takes) {
    message << "loss '" << loss << "' takes " << takes << ", but the values of " << subject() << " "
            << describeRange(facts);
    return message;
  }
  /// A loss that is a part of the model takes no output of it.
  std::string subject() const {
    return prediction.name.empty() ? "what it is given" : ("output '" + prediction.name + "'").str();
  }
  /// What computes its loss itself is warned: it may know more of its values.
  InFlightDiagnostic error(StringRef takes) {
    return prediction.name.empty() ? warning(takes) : start(mlir::emitError(x.getLoc()), takes);
  }
  InFlightDiagnostic warning(StringRef takes) { return start(mlir::emitWarning(x.getLoc()), takes); }
};
} // namespace

static LogicalResult checkProbabilities(Report report) {
  const ValueFacts &facts = report.facts;
  if (facts.isWithin(0, 1))
    return success();
  StringRef takes = "probabilities, numbers from 0 to 1";
  StringRef advice =
      "use --loss=bce-with-logits, which takes scores of any size, or end the model in a Sigmoid";
  if (facts.reached)
    return report.error(takes) << ": below 0 and above 1 the loss is not a number; " << advice, failure();
  report.warning(takes)
      << ", as far as can be seen: where one lies below 0 or above 1 the loss is not a number; " << advice;
  return success();
}

static LogicalResult checkLogProbabilities(Report report) {
  const ValueFacts &facts = report.facts;
  StringRef takes = "logarithms of probabilities, as a LogSoftmax gives them";
  StringRef advice = report.loss == "ctc"
                         ? "end the model in a LogSoftmax over the classes"
                         : "use --loss=softmax-cross-entropy, which takes scores of any size, or end the "
                           "model in a LogSoftmax";
  if (facts.expSumsToOne)
    return success();
  if (facts.sumsToOne) {
    report.warning(takes) << ", probabilities themselves; " << advice;
    return success();
  }
  if (facts.reached && facts.high == std::numeric_limits<double>::infinity())
    return report.error(takes) << ": the loss has no lower end and falls for ever; " << advice, failure();
  // Logarithms of numbers that a model made into probabilities in a way of its own lie below 0.
  if (facts.high > 0 || facts.reached)
    report.warning(takes) << (facts.reached ? "; " : ", as far as can be seen; ") << advice;
  return success();
}

/// Scores that lie within `width` of each other cannot say "this class" with certainty.
static double lowestCrossEntropy(double width, int64_t classes) {
  return std::log1p(double(classes - 1) * std::exp(-width));
}

/// Below this, a loss that cannot become 0 is no hindrance.
static constexpr double negligible = 0.1;

static void checkClassScores(Report report, int64_t classes) {
  const ValueFacts &facts = report.facts;
  StringRef takes = "scores of any size, which it applies a softmax to";
  double lowest = lowestCrossEntropy(facts.high - facts.low, classes);
  if (classes == 1)
    emitWarning(report.x.getLoc())
        << "loss '" << report.loss << "' takes scores of two or more classes, but " << report.subject() << " "
        << typeForUsers(report.prediction.value.getType())
        << " has one, of which the loss is always 0; use --loss=bce-with-logits for a "
           "single score";
  else if (facts.sumsToOne)
    report.warning(takes) << ", probabilities already: with a second softmax the loss cannot fall below "
                          << shortNumber(lowest) << "; leave the model's own out";
  else if (lowest > negligible)
    report.warning(takes) << ": the loss of " << classes << " classes cannot fall below "
                          << shortNumber(lowest) << "; take the scores before they are limited";
  else if (report.x.getDefiningOp<nn::ReluOp>())
    report.warning(takes) << ": a Relu makes all scores below 0 equal, and they learn nothing more; take the "
                             "scores before it";
}

static void checkScores(Report report) {
  const ValueFacts &facts = report.facts;
  double least = 1 / (1 + std::exp(-facts.low)), most = 1 / (1 + std::exp(-facts.high));
  if (least <= negligible && most >= 1 - negligible)
    return;
  InFlightDiagnostic warning = report.warning("scores of any size, which it applies a sigmoid to");
  warning << ": it reads them as probabilities from " << shortNumber(least) << " to " << shortNumber(most)
          << "; ";
  if (facts.isWithin(0, 1))
    warning << "use --loss=bce, if they are probabilities already";
  else
    warning << "take the scores before they are limited";
}

void dlc::forward::warnOfOwnLosses(train::FunctionOp function) {
  std::optional<FactsOfValues> facts; // of the function, where it has such a loss
  for (Operation &op : function.getBody().front()) {
    auto report = [&](Value x, StringRef loss) {
      if (!facts)
        facts.emplace(function);
      return Report{{"", x}, x, facts->of(x), loss};
    };
    if (auto entropy = dyn_cast<nn::SoftmaxCrossEntropyOp>(op))
      checkClassScores(report(entropy.getX(), "softmax-cross-entropy"),
                       nn::shapeOf(entropy.getX().getType())[1].factor);
    if (auto entropy = dyn_cast<nn::BceWithLogitsLossOp>(op))
      checkScores(report(entropy.getX(), "bce-with-logits"));
    if (auto entropy = dyn_cast<nn::BceLossOp>(op))
      if (Report found = report(entropy.getX(), "bce"); found.facts.reached)
        (void)checkProbabilities(found);
    if (auto likelihood = dyn_cast<nn::NllLossOp>(op))
      if (Report found = report(likelihood.getX(), "nll"); found.facts.reached || found.facts.sumsToOne)
        (void)checkLogProbabilities(found);
  }
}

LogicalResult dlc::forward::checkFit(Prediction prediction, Value x, const ValueFacts &facts, StringRef loss,
                                     int64_t classes) {
  Report report{prediction, x, facts, loss};
  if (loss == "bce")
    return checkProbabilities(report);
  if (loss == "nll" || loss == "ctc")
    return checkLogProbabilities(report);
  if (loss == "softmax-cross-entropy")
    checkClassScores(report, classes);
  if (loss == "bce-with-logits")
    checkScores(report);
  if ((loss == "mse" || loss == "l1") && facts.sumsToOne)
    emitWarning(x.getLoc())
        << "loss '" << loss << "': output '" << prediction.name
        << "' is a softmax, the probabilities of classes: its targets are probabilities of "
           "the same shape, and no labels; for labels use --loss=softmax-cross-entropy, which "
           "also learns faster";
  return success();
}
