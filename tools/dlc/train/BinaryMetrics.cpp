//===- BinaryMetrics.cpp - what decisions between 0 and 1 are worth --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/BinaryMetrics.h"
#include "dlc/metrics.h"
#include "tools/dlc/train/Arrays.h"
#include <cmath>
#include <limits>

namespace dlc::tool::training {

namespace {

/// One decision of all rows.
struct Decisions {
  std::vector<float> scores;
  std::vector<int64_t> labels;
};

Decisions decisionsOf(const std::vector<float> &scores, const std::vector<float> &targets, size_t perRow,
                      size_t which) {
  Decisions result;
  for (size_t i = which; i < scores.size(); i += perRow) {
    if (targets[i] != 0 && targets[i] != 1)
      throw Failure(
          "--metrics: auc, precision, recall, f1 and tables of classes need targets of 0 and 1; sample " +
          std::to_string(i / perRow + 1) + " of the validation data has " + std::to_string(targets[i]));
    result.scores.push_back(scores[i]);
    result.labels.push_back(targets[i] == 1);
  }
  return result;
}

double metricOf(const std::string &metric, const Decisions &decisions, double threshold) {
  const auto rows = int64_t(decisions.labels.size());
  double area = 0;
  if (metric == "auc") {
    if (dlc_auc(decisions.scores.data(), decisions.labels.data(), rows, &area) != DLC_OK)
      throw Failure("auc: a score is not a number");
    return area;
  }
  int64_t matrix[4] = {};
  dlc_confusion_add_binary(matrix, decisions.scores.data(), decisions.labels.data(), rows, threshold);
  const dlc_class_report ones = dlc_report_class(matrix, 2, 1);
  const double value = metric == "precision" ? ones.precision : metric == "recall" ? ones.recall : ones.f1;
  return std::isnan(value) ? 0 : value;
}

} // namespace

double binaryMetric(const std::string &metric, const std::vector<float> &scores,
                    const std::vector<float> &targets, int64_t perRow, double threshold) {
  double sum = 0;
  int64_t count = 0; // a target that is the same in all samples has no area under its curve
  for (int64_t i = 0; i < perRow; ++i) {
    const double value = metricOf(metric, decisionsOf(scores, targets, size_t(perRow), size_t(i)), threshold);
    if (std::isnan(value))
      continue;
    sum += value;
    ++count;
  }
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / double(count);
}

std::vector<Confusion> binaryConfusions(const std::vector<float> &scores, const std::vector<float> &targets,
                                        int64_t perRow, double threshold) {
  std::vector<Confusion> all;
  for (int64_t i = 0; i < perRow; ++i) {
    const Decisions decisions = decisionsOf(scores, targets, size_t(perRow), size_t(i));
    Confusion confusion{perRow > 1 ? "decision " + std::to_string(i) : "", 2, std::vector<int64_t>(4)};
    dlc_confusion_add_binary(confusion.matrix.data(), decisions.scores.data(), decisions.labels.data(),
                             int64_t(decisions.labels.size()), threshold);
    all.push_back(std::move(confusion));
  }
  return all;
}

} // namespace dlc::tool::training
