//===- ClassLoss.cpp - losses of classes ----------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/activations.h"
#include "dlc/nn/loss.h"
#include "frontends/cpp/api/Loss.h"
#include "frontends/cpp/api/Text.h"

namespace dlc::nn {
using namespace detail;

namespace {

/// Scores and targets with the classes along dim 1.
struct Rows {
  Tensor x, target;
  bool isAlone; ///< the scores of one row were given

  Rows(const char *function, const Tensor &scores, const Tensor &given, const Where &where)
      : x(scores), target(given), isAlone(scores.dim() == 1) {
    bool isClasses = !is_floating_point(target.dtype()), isOneHot = isClasses && target.shape() == x.shape();
    if (x.dim() == 0 || !is_floating_point(x.dtype()) || target.dim() != x.dim() - isClasses)
      fail(std::string(function) +
               ": expected scores [rows, classes, ...] and labels without the classes, got " +
               name_of(x.dtype()) + " " + str(x.shape()) + " and " + name_of(target.dtype()) + " " +
               str(target.shape()) +
               (isOneHot ? "; these are a number for each class: argmax(1) of one-hot rows makes labels of "
                           "them, and "
                           "as floating-point numbers cross_entropy takes them for probabilities"
                         : ""),
           where);
    if (isAlone) {
      x = x.unsqueeze(0, where);
      target = target.unsqueeze(0, where);
    }
    if (!x.size(1).is_static())
      fail(std::string(function) + ": expected a known number of classes, got " + str(scores.shape()), where);
  }
  int64_t classes() const { return x.size(1).factor; }
  /// One number for each class as the scores have them.
  Tensor along(const Tensor &perClass, const Where &where) const {
    if (perClass.shape() != Shape{classes()})
      fail("weight: expected one number for each of " + std::to_string(classes()) + " classes, got " +
               str(perClass.shape()),
           where);
    Shape column(x.dim() - 1, Dim(1));
    column[0] = classes();
    return perClass.reshape(column, where);
  }
};

/// Zero where the label is ignored; else what `scores` [rows, classes, ...] has at the label.
Tensor atLabels(const Rows &rows, const Tensor &scores, const Tensor &counts) {
  Shape column(rows.x.dim() - 1, Dim(1));
  column[0] = rows.classes();
  Tensor numbers = arange(0, double(rows.classes()), 1, rows.target.dtype()).reshape(column);
  Tensor isLabel = rows.target.unsqueeze(1) == numbers;
  return dlc::where(counts, dlc::where(isLabel, scores, 0.0).sum(1), 0.0);
}

/// Each row's loss.
Tensor perRow(const Rows &rows, const Tensor &logProbabilities, const Tensor &classWeights, int64_t ignored,
              double smoothing, const Where &where) {
  Tensor counts = rows.target != ignored;
  Tensor loss = -logProbabilities;
  if (classWeights.defined())
    loss = loss * rows.along(classWeights, where);
  Tensor picked = atLabels(rows, loss, counts);
  if (smoothing != 0)
    picked = picked * (1 - smoothing) +
             dlc::where(counts, loss.sum(1), 0.0) * (smoothing / double(rows.classes()));
  return picked;
}

std::string reductionOf(const char *name, const Where &where) {
  std::string reduction = name;
  if (reduction != "mean" && reduction != "sum" && reduction != "none")
    fail("reduction: expected mean, sum or none, got '" + reduction + "'", where);
  return reduction;
}

} // namespace

static Tensor classLoss(const char *operation, const Rows &rows, const Tensor &weight, int64_t ignored,
                        const std::string &reduction, record::Attributes attributes, const Where &where) {
  std::vector<Tensor> operands{rows.x, rows.target};
  if (weight.defined())
    operands.push_back(weight);
  attributes.emplace_back("reduction", record::Spelled{"#nn<loss_reduction " + reduction + ">"});
  attributes.emplace_back("ignore_index", ignored);
  return applyAll(operation, operands, attributes, where).front();
}

/// A row's loss is the mean over its probabilities; a mean over rows divides by their number.
static Tensor ofProbabilities(const Rows &rows, const CrossEntropyOptions &options,
                              const std::string &reduction, const Where &where) {
  if (rows.x.shape() != rows.target.shape())
    fail("cross_entropy: expected a probability for each score of " + str(rows.x.shape()) + ", got " +
             str(rows.target.shape()),
         where);
  Tensor target = rows.target, loss = -log_softmax(rows.x, 1);
  if (options.label_smoothing != 0)
    target = target * (1 - options.label_smoothing) + options.label_smoothing / double(rows.classes());
  if (options.weight.defined())
    loss = loss * rows.along(options.weight, where);
  loss = (target * loss).sum(1);
  if (reduction == "none")
    return rows.isAlone ? loss.squeeze(0) : loss;
  return reduction == "mean" ? loss.mean() : loss.sum();
}

Tensor functional::cross_entropy(const Tensor &x, const Tensor &target, CrossEntropyOptions options,
                                 Where where) {
  At at(where);
  Rows rows("cross_entropy", x, target, where);
  std::string reduction = reductionOf(options.reduction, where);
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1))
    fail("label_smoothing: expected a number from 0 to 1, got " + pythonNumber(options.label_smoothing),
         where);
  if (is_floating_point(target.dtype()))
    return ofProbabilities(rows, options, reduction, where);
  record::Recorder::get().limitIndices(target.id(), rows.classes(), options.ignore_index);
  if (reduction != "none")
    return classLoss("nn.softmax_cross_entropy", rows, options.weight, options.ignore_index, reduction,
                     {{"label_smoothing", options.label_smoothing}}, where);
  Tensor loss = perRow(rows, log_softmax(rows.x, 1), options.weight, options.ignore_index,
                       options.label_smoothing, where);
  return rows.isAlone ? loss.squeeze(0) : loss;
}

Tensor functional::nll_loss(const Tensor &x, const Tensor &target, NLLOptions options, Where where) {
  At at(where);
  Rows rows("nll_loss", x, target, where);
  std::string reduction = reductionOf(options.reduction, where);
  if (is_floating_point(target.dtype()))
    fail("nll_loss: expected labels of integers, got " + std::string(name_of(target.dtype())), where);
  record::Recorder::get().limitIndices(target.id(), rows.classes(), options.ignore_index);
  if (reduction != "none")
    return classLoss("nn.nll_loss", rows, options.weight, options.ignore_index, reduction, {}, where);
  Tensor loss = perRow(rows, rows.x, options.weight, options.ignore_index, 0, where);
  return rows.isAlone ? loss.squeeze(0) : loss;
}

} // namespace dlc::nn
