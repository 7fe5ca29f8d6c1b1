//===- Classes.cpp --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metrics of classification. dlc/metrics.h has the definitions.
//===----------------------------------------------------------------------===//
#include "dlc/metrics.h"

#include <cmath>
#include <cstdlib>

namespace {

double ratio(double part, double whole) { return part / whole; } // 0 / 0 is NaN

int64_t largest(const float *scores, int64_t classes) {
  int64_t best = 0;
  for (int64_t c = 1; c < classes; ++c)
    if (scores[c] > scores[best])
      best = c;
  return best;
}

/// Rows of the class `which`, predicted or true, and both.
struct Counts {
  double right = 0, predicted = 0, actual = 0;

  Counts(const int64_t *matrix, int64_t classes, int64_t which)
      : right(static_cast<double>(matrix[which * classes + which])) {
    for (int64_t c = 0; c < classes; ++c) {
      predicted += static_cast<double>(matrix[c * classes + which]);
      actual += static_cast<double>(matrix[which * classes + c]);
    }
  }
};

double orZero(double value) { return std::isnan(value) ? 0 : value; }

/// A score with its label.
struct Pair {
  float score;
  bool positive;
};

int byScore(const void *a, const void *b) {
  const float x = static_cast<const Pair *>(a)->score, y = static_cast<const Pair *>(b)->score;
  return x < y ? -1 : x > y;
}

} // namespace

extern "C" {

double dlc_top_k_accuracy(const float *scores, const int64_t *labels, int64_t rows, int64_t classes,
                          int64_t k) {
  int64_t right = 0, counted = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const float *of = scores + row * classes;
    const int64_t label = labels[row];
    if (label < 0 || label >= classes)
      continue;
    int64_t before = 0; // classes that come before the label
    for (int64_t c = 0; c < classes; ++c)
      before += of[c] > of[label] || (of[c] == of[label] && c < label);
    right += before < k && !std::isnan(of[label]);
    ++counted;
  }
  return ratio(static_cast<double>(right), static_cast<double>(counted));
}

void dlc_confusion_add(int64_t *matrix, const float *scores, const int64_t *labels, int64_t rows,
                       int64_t classes) {
  for (int64_t row = 0; row < rows; ++row)
    if (labels[row] >= 0 && labels[row] < classes)
      ++matrix[labels[row] * classes + largest(scores + row * classes, classes)];
}

void dlc_confusion_add_binary(int64_t *matrix, const float *scores, const int64_t *labels, int64_t rows,
                              double threshold) {
  for (int64_t row = 0; row < rows; ++row)
    if (labels[row] == 0 || labels[row] == 1)
      ++matrix[labels[row] * 2 + (static_cast<double>(scores[row]) > threshold)];
}

dlc_class_report dlc_report_class(const int64_t *matrix, int64_t classes, int64_t which) {
  const Counts n(matrix, classes, which);
  return {ratio(n.right, n.predicted), ratio(n.right, n.actual), ratio(2 * n.right, n.predicted + n.actual),
          static_cast<int64_t>(n.actual)};
}

dlc_class_report dlc_report_mean(const int64_t *matrix, int64_t classes) {
  dlc_class_report sum = {0, 0, 0, 0};
  double present = 0;
  for (int64_t c = 0; c < classes; ++c) {
    const dlc_class_report one = dlc_report_class(matrix, classes, c);
    if (std::isnan(one.precision) && std::isnan(one.recall))
      continue;
    ++present;
    sum.precision += orZero(one.precision);
    sum.recall += orZero(one.recall);
    sum.f1 += orZero(one.f1);
    sum.support += one.support;
  }
  return {ratio(sum.precision, present), ratio(sum.recall, present), ratio(sum.f1, present), sum.support};
}

double dlc_report_accuracy(const int64_t *matrix, int64_t classes) {
  double right = 0, all = 0;
  for (int64_t c = 0; c < classes; ++c) {
    const Counts n(matrix, classes, c);
    right += n.right;
    all += n.actual;
  }
  return ratio(right, all);
}

dlc_status dlc_auc(const float *scores, const int64_t *labels, int64_t rows, double *area) {
  *area = NAN;
  Pair *pairs = rows > 0 ? static_cast<Pair *>(malloc(static_cast<size_t>(rows) * sizeof(Pair))) : nullptr;
  if (rows > 0 && !pairs)
    return DLC_OUT_OF_MEMORY;
  dlc_status status = DLC_OK;
  size_t count = 0;
  for (int64_t row = 0; row < rows; ++row)
    if (labels[row] == 0 || labels[row] == 1) {
      if (std::isnan(scores[row]))
        status = DLC_INVALID_ARGUMENT;
      pairs[count++] = {scores[row], labels[row] == 1};
    }
  if (status == DLC_OK && count) {
    qsort(pairs, count, sizeof(Pair), byScore);
    double below = 0, wins = 0, positives = 0; // rows with label 0 of smaller scores
    for (size_t i = 0; i < count;) {
      double ones = 0, zeros = 0;
      size_t end = i;
      for (; end < count && pairs[end].score == pairs[i].score; ++end)
        ++(pairs[end].positive ? ones : zeros);
      wins += ones * (below + zeros / 2);
      below += zeros;
      positives += ones;
      i = end;
    }
    *area = ratio(wins, positives * below);
  }
  free(pairs);
  return status;
}

} // extern "C"
