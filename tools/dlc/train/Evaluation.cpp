//===- Evaluation.cpp - what a model is worth ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Evaluation.h"
#include "dlc/metrics.h"
#include "tools/dlc/train/BinaryMetrics.h"
#include "tools/dlc/train/MetricNames.h"
#include <algorithm>

namespace dlc::tool::training {

namespace {

bool contains(const std::vector<std::string> &names, const std::string &name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace

void requireMeasured(const std::string &monitor, const std::vector<std::string> &measured) {
  if (monitor != "loss" && !contains(measured, monitor))
    throw Failure("--monitor: '" + monitor + "' is not measured; --metrics=" + monitor +
                  " measures it, where the model has it");
}

bool largerIsBetter(const std::string &metric) { return metric != "loss" && metric != "mae"; }

bool predictsClasses(const ModelInMemory &compiled) {
  const dlc_model &model = *compiled.model;
  const dlc_input *target = nullptr;
  for (uint32_t i = 0; i < model.input_count; ++i)
    if (model.inputs[i].is_target) {
      if (target)
        return compiled.isBinary();
      target = &model.inputs[i];
    }
  return (target && target->is_index) || compiled.isBinary(); // of mixed labels no class is right
}

Evaluation::Evaluation(Instance &instance, const DataSet &data, const ModelInMemory &compiled,
                       const std::vector<std::string> &wanted, const std::string &predicted, Ranks *ranks)
    : instance(instance), batches(data, batchRows(instance.model), /*dropLast=*/!instance.evaluatesAnyRows(),
                                  /*shuffle=*/false, /*seed=*/0),
      ranks(ranks), metrics{"loss"} {
  const dlc_model &model = instance.model;
  uint32_t targets = 0;
  for (uint32_t i = 0; i < model.input_count; ++i)
    if (model.inputs[i].is_target) {
      target = i;
      ++targets;
    }
  const dlc_input &wantedLabels = model.inputs[target];
  hasProbabilities = targets == 1 && !wantedLabels.is_index && compiled.hasClasses() &&
                     wantedLabels.rank == 2 && wantedLabels.dtype == DLC_F32;
  hasClasses = targets == 1 && (wantedLabels.is_index || hasProbabilities);
  const bool isBinaryLoss = compiled.isBinary();
  isBinary = targets == 1 && isBinaryLoss;
  const bool hasValues =
      targets == 1 && !hasClasses && !isBinaryLoss && !compiled.hasClasses() && wantedLabels.dtype == DLC_F32;
  std::vector<std::string> names = wanted;
  if (wanted.empty())
    names = hasClasses || isBinaryLoss ? std::vector<std::string>{"accuracy"}
            : hasValues                ? metricsOfValues
                                       : std::vector<std::string>{};
  for (const std::string &name : names) {
    if (name == "loss")
      continue;
    const bool fits = name == "accuracy"                ? hasClasses || isBinaryLoss
                      : contains(metricsOfValues, name) ? hasValues
                                                        : hasClasses || (isBinary && name != "top5");
    if (!fits)
      throw Failure("--metrics: " + name + " is for models that predict " +
                    (contains(metricsOfValues, name) ? "values" : "classes") + ", which '" + model.name +
                    "' does not");
    keepsScores |= name != "accuracy" || hasProbabilities; // whose accuracy eval_step does not count
    showsClasses |= name == "classes";
    showsConfusion |= name == "confusion";
    if (!contains(metricTables, name))
      metrics.push_back(name);
  }
  if (batches.count() == 0)
    throw Failure("the validation data has fewer samples than the batch of " +
                  std::to_string(batchRows(model)) + ", and the model takes whole batches only");
  if (keepsScores)
    choosePrediction(compiled, predicted);
  else if (ranks && ranks->areSeveral())
    parts.emplace(data, compiled.rowsOfAll, /*dropLast=*/false, /*shuffle=*/false, /*seed=*/0,
                  ranks->thisRank());
}

/// The output that has a number, or a score for each class, where the target has one.
void Evaluation::choosePrediction(const ModelInMemory &compiled, const std::string &predicted) {
  const dlc_model &model = instance.model;
  const dlc_input &wanted = model.inputs[target];
  bool found = false;
  for (uint32_t i = 0; i < model.output_count; ++i) {
    const dlc_output &output = model.outputs[i];
    const bool isPrediction = output.role == DLC_OUTPUT_PREDICTION;
    outputs.emplace_back(
        isPrediction ? size_t(elementCount(output.rank, output.shape)) * elementBytes(output.dtype) : 0);
    const int64_t elements = elementCount(output.rank, output.shape);
    const bool fits =
        isPrediction && output.dtype == DLC_F32 && output.rank > 0 &&
        (hasClasses && !hasProbabilities ? wanted.rank == 1 && wanted.dtype == DLC_I64 && output.rank == 2
                                         : elements == elementCount(wanted.rank, wanted.shape));
    if (fits && (!found || predicted == output.name)) {
      found = true;
      prediction = i;
      perRow = elements / output.shape[0];
    }
  }
  if (!found)
    throw Failure(std::string("--metrics: '") + model.name + "' has no output of " +
                  (hasClasses ? "one score for each class, and labels of type int64, one a row"
                              : "as many values as its target") +
                  ", which metrics other than loss and accuracy need; leave them out with --metrics=loss");
  threshold = compiled.threshold(model.outputs[prediction].name);
  for (std::vector<char> &output : outputs)
    pointers.push_back(output.data());
}

void Evaluation::keep(int64_t rows) {
  instance.predict(rows, batches.arrays(), pointers.data());
  const auto *scored = reinterpret_cast<const float *>(outputs[prediction].data());
  scores.insert(scores.end(), scored, scored + rows * perRow);
  if (hasProbabilities) {
    const auto *given = static_cast<const float *>(batches.arrays()[target]);
    for (int64_t i = 0; i < rows; ++i, given += perRow)
      labels.push_back(std::max_element(given, given + perRow) - given);
  } else if (hasClasses) {
    const auto *given = static_cast<const int64_t *>(batches.arrays()[target]);
    const int64_t ignored = instance.model.inputs[target].ignore_index;
    for (int64_t i = 0; i < rows; ++i) // metrics leave out what is no class
      labels.push_back(given[i] == ignored ? -1 : given[i]);
  } else {
    const auto *given = static_cast<const float *>(batches.arrays()[target]);
    values.insert(values.end(), given, given + rows * perRow);
  }
}

double Evaluation::compute(const std::string &metric, const dlc_metrics &sums) const {
  if (metric == "loss" && sums.loss_weight == 0)
    throw Failure("the loss of the validation data is the mean of nothing: all its labels are ignored, or of "
                  "classes without weight (--ignore-index, --class-weights)");
  if (metric == "loss")
    return sums.loss_sum / sums.loss_weight;
  if (metric == "accuracy" && hasProbabilities)
    return dlc_top_k_accuracy(scores.data(), labels.data(), int64_t(labels.size()), perRow, 1);
  if (metric == "accuracy")
    return double(sums.correct) / double(sums.count);
  if (isBinary)
    return binaryMetric(metric, scores, values, perRow, threshold);
  if (metric == "mae")
    return dlc_mean_absolute_error(scores.data(), values.data(), int64_t(values.size()));
  if (metric == "r2")
    return dlc_r2(scores.data(), values.data(), int64_t(values.size()));
  const auto rows = int64_t(labels.size());
  if (metric == "top5")
    return dlc_top_k_accuracy(scores.data(), labels.data(), rows, perRow, std::min<int64_t>(5, perRow));
  if (metric == "auc") {
    if (perRow != 2)
      throw Failure("--metrics: auc is for two classes, '" + std::string(instance.model.name) + "' has " +
                    std::to_string(perRow));
    std::vector<float> difference;
    for (int64_t i = 0; i < rows; ++i)
      difference.push_back(scores[size_t(2 * i + 1)] - scores[size_t(2 * i)]);
    double area = 0;
    if (dlc_auc(difference.data(), labels.data(), rows, &area) != DLC_OK)
      throw Failure("auc: a score is not a number");
    return area;
  }
  const dlc_class_report report = dlc_report_mean(confusions().front().matrix.data(), perRow);
  return metric == "precision" ? report.precision : metric == "recall" ? report.recall : report.f1;
}

std::vector<Confusion> Evaluation::confusions() const {
  if (isBinary)
    return binaryConfusions(scores, values, perRow, threshold);
  Confusion confusion{"", perRow, std::vector<int64_t>(size_t(perRow * perRow))};
  dlc_confusion_add(confusion.matrix.data(), scores.data(), labels.data(), int64_t(labels.size()), perRow);
  return {confusion};
}

std::string Evaluation::tables(const std::vector<std::string> &words) const {
  if (!showsClasses && !showsConfusion)
    return "";
  std::string text;
  for (const Confusion &confusion : confusions()) {
    if (showsClasses)
      text += reportText(confusion, words);
    if (showsConfusion)
      text += confusionText(confusion, words);
  }
  return text;
}

void Evaluation::add(dlc_metrics &sums) {
  Batches &from = parts ? *parts : batches;
  from.start(0);
  for (;;) {
    const int64_t rows = from.next();
    if (from.haveEnded())
      return;
    if (rows == 0)
      continue; // those of the batch are other ranks'
    const dlc_metrics batch = instance.evaluate(rows, from.arrays());
    measured += rows;
    sums.loss_sum += batch.loss_sum;
    sums.loss_weight += batch.loss_weight;
    sums.correct += batch.correct;
    sums.count += batch.count;
    if (keepsScores)
      keep(rows);
  }
}

std::vector<Metric> Evaluation::measure() {
  dlc_metrics sums = {};
  scores.clear();
  values.clear();
  labels.clear();
  measured = 0;
  if (parts) {
    double all[5];
    ranks->sum(all, 5, [&] {
      add(sums);
      const double own[] = {sums.loss_sum, sums.loss_weight, double(sums.correct), double(sums.count),
                            double(measured)};
      std::copy(std::begin(own), std::end(own), all);
    });
    sums = {all[0], all[1], int64_t(all[2]), int64_t(all[3])};
    measured = int64_t(all[4]);
  } else {
    add(sums);
  }
  std::vector<Metric> result;
  for (const std::string &name : metrics)
    result.push_back({name, compute(name, sums)});
  return result;
}

} // namespace dlc::tool::training
