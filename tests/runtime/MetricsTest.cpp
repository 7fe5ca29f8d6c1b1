//===- MetricsTest.cpp ----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metrics against scikit-learn's, and what follows from metrics.
//===----------------------------------------------------------------------===//
#include "dlc/metrics.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace {

using Floats = std::vector<float>;
using Integers = std::vector<int64_t>;

int64_t sizeOf(const Integers &labels) { return static_cast<int64_t>(labels.size()); }

void checkClasses(int64_t classes, const Floats &scores, const Integers &labels, double top, double accuracy,
                  double precision, double recall, double f1, const Integers &matrix) {
  const int64_t rows = sizeOf(labels), half = rows / 2;
  EXPECT_NEAR(dlc_top_k_accuracy(scores.data(), labels.data(), rows, classes, 2), top, 1e-12);
  EXPECT_NEAR(dlc_top_k_accuracy(scores.data(), labels.data(), rows, classes, 1), accuracy, 1e-12);
  EXPECT_EQ(dlc_top_k_accuracy(scores.data(), labels.data(), rows, classes, classes), 1);
  Integers counted(matrix.size()); // in two batches
  dlc_confusion_add(counted.data(), scores.data(), labels.data(), half, classes);
  dlc_confusion_add(counted.data(), scores.data() + half * classes, labels.data() + half, rows - half,
                    classes);
  EXPECT_EQ(counted, matrix);
  const dlc_class_report mean = dlc_report_mean(matrix.data(), classes);
  EXPECT_NEAR(mean.precision, precision, 1e-12);
  EXPECT_NEAR(mean.recall, recall, 1e-12);
  EXPECT_NEAR(mean.f1, f1, 1e-12);
  EXPECT_EQ(mean.support, rows);
  EXPECT_NEAR(dlc_report_accuracy(matrix.data(), classes), accuracy, 1e-12);
}

void checkArea(const Floats &scores, const Integers &labels, double expected) {
  double area = 0;
  EXPECT_EQ(dlc_auc(scores.data(), labels.data(), sizeOf(labels), &area), DLC_OK);
  EXPECT_NEAR(area, expected, 1e-12);
}

void checkValues(const Floats &predictions, const Floats &targets, double error, double r2) {
  const int64_t count = static_cast<int64_t>(targets.size());
  EXPECT_NEAR(dlc_mean_absolute_error(predictions.data(), targets.data(), count), error, 1e-12);
  EXPECT_NEAR(dlc_r2(predictions.data(), targets.data(), count), r2, 1e-11);
}

#define UNPACK(...) __VA_ARGS__
TEST(Metrics, AreScikitLearns) {
#define CLASSES(n, scores, labels, top, accuracy, precision, recall, f1, matrix)                             \
  checkClasses(n, UNPACK scores, UNPACK labels, top, accuracy, precision, recall, f1, UNPACK matrix);
#define AUC(scores, labels, area) checkArea(UNPACK scores, UNPACK labels, area);
#define VALUES(predictions, targets, error, r2) checkValues(UNPACK predictions, UNPACK targets, error, r2);
#include "tests/runtime/metrics.inc"
}

TEST(Metrics, OfOneScoreARow) {
  // Of ten rows, four are of class 1; above 0 are three of them, and two others. 0 itself is not above.
  const Floats scores = {2, 1, 0.5f, -1, 3, 0.25f, 0, -2, -3, NAN, 7};
  const Integers labels = {1, 1, 1, 1, 0, 0, 0, 0, 0, 0, -100};
  Integers matrix(4);
  dlc_confusion_add_binary(matrix.data(), scores.data(), labels.data(), 6, 0);
  dlc_confusion_add_binary(matrix.data(), scores.data() + 6, labels.data() + 6, 5, 0);
  EXPECT_EQ(matrix, (Integers{4, 2, 1, 3}));
  const dlc_class_report ones = dlc_report_class(matrix.data(), 2, 1);
  EXPECT_NEAR(ones.precision, 3 / 5.0, 1e-12);
  EXPECT_NEAR(ones.recall, 3 / 4.0, 1e-12);
  EXPECT_NEAR(ones.f1, 2 * 3 / (5.0 + 4.0), 1e-12);
  EXPECT_EQ(ones.support, 4);
  Integers strict(4); // another threshold
  dlc_confusion_add_binary(strict.data(), scores.data(), labels.data(), sizeOf(labels), 1.5);
  EXPECT_EQ(strict, (Integers{5, 1, 3, 1}));
}

TEST(Metrics, OfNothingAreNoNumbers) {
  const float scores[] = {1, 2, 2, 1};
  const int64_t ignored[] = {-100, 2}, ones[] = {1, 1};
  EXPECT_TRUE(std::isnan(dlc_top_k_accuracy(scores, ignored, 2, 2, 1)));
  Integers matrix(4);
  dlc_confusion_add(matrix.data(), scores, ignored, 2, 2);
  EXPECT_EQ(matrix, Integers(4));
  EXPECT_TRUE(std::isnan(dlc_report_mean(matrix.data(), 2).f1));
  EXPECT_TRUE(std::isnan(dlc_report_accuracy(matrix.data(), 2)));
  double area = 0;
  EXPECT_EQ(dlc_auc(scores, ones, 2, &area), DLC_OK);
  EXPECT_TRUE(std::isnan(area));
  EXPECT_EQ(dlc_auc(scores, ones, 0, &area), DLC_OK);
  EXPECT_TRUE(std::isnan(area));
  EXPECT_TRUE(std::isnan(dlc_r2(scores, scores + 1, 1)));
  EXPECT_TRUE(std::isnan(dlc_mean_absolute_error(scores, scores, 0)));
}

TEST(Metrics, RefuseScoresThatAreNoNumbers) {
  const float scores[] = {1, NAN};
  const int64_t labels[] = {0, 1};
  double area = 0;
  EXPECT_EQ(dlc_auc(scores, labels, 2, &area), DLC_INVALID_ARGUMENT);
  EXPECT_TRUE(std::isnan(area));
}

TEST(EarlyStop, WaitsForABetterMetric) {
  dlc_early_stop stop = {};
  stop.least_change = 0.1;
  stop.patience = 2;
  for (double metric : {1.0, 0.95, 0.85, std::nan(""), 0.8})
    EXPECT_EQ(dlc_early_stop_step(&stop, metric), 0);
  EXPECT_EQ(dlc_early_stop_step(&stop, 0.76), 1); // the third that is not better by more than 0.1
  EXPECT_EQ(stop.best, 0.85);
  EXPECT_EQ(stop.best_call, 3);
  dlc_early_stop accuracy = {};
  accuracy.larger_is_better = 1;
  EXPECT_EQ(dlc_early_stop_step(&accuracy, NAN), 1); // no patience
  EXPECT_EQ(dlc_early_stop_step(&accuracy, 0.5), 0);
  EXPECT_EQ(dlc_early_stop_step(&accuracy, 0.6), 0);
  EXPECT_EQ(dlc_early_stop_step(&accuracy, 0.6), 1);
}

TEST(RateFinder, SuggestsWhereTheLossFallsMostSteeply) {
  dlc_rate_finder finder = {};
  finder.lowest = 1e-6;
  finder.highest = 10;
  finder.steps = 200;
  EXPECT_NEAR(dlc_rate_finder_rate(&finder), 1e-6, 1e-18);
  double last = 0;
  int32_t ends = 0;
  // A loss that falls around 1e-3 and rises from 1 on.
  while (!ends) {
    last = dlc_rate_finder_rate(&finder);
    ends = dlc_rate_finder_add(&finder, 2 - std::tanh(std::log10(last) + 3) + 100 * std::fmax(0, last - 1));
  }
  EXPECT_LT(finder.done, 200); // it saw that the loss rises
  const double suggestion = dlc_rate_finder_suggestion(&finder);
  EXPECT_GT(suggestion, 1e-3);
  EXPECT_LT(suggestion, 3e-2); // smoothing is late by some steps
  dlc_rate_finder hopeless = {1e-6, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(dlc_rate_finder_add(&hopeless, 1), 0);
  EXPECT_EQ(dlc_rate_finder_add(&hopeless, 2), 0);
  EXPECT_EQ(dlc_rate_finder_add(&hopeless, 3), 1); // all steps are done
  EXPECT_TRUE(std::isnan(dlc_rate_finder_suggestion(&hopeless)));
  dlc_rate_finder broken = {1e-6, 1, 30, 0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(dlc_rate_finder_add(&broken, NAN), 1);
}

/// What a search of 200 steps from 1e-7 to 10 suggests for losses that follow from the logarithm of the rate.
template <typename Loss> double suggestionFor(Loss loss, int64_t *steps = nullptr) {
  dlc_rate_finder finder = {};
  finder.lowest = 1e-7;
  finder.highest = 10;
  finder.steps = 200;
  while (!dlc_rate_finder_add(&finder, loss(std::log10(dlc_rate_finder_rate(&finder))))) {
  }
  if (steps)
    *steps = finder.done;
  return dlc_rate_finder_suggestion(&finder);
}

TEST(RateFinder, AFallAfterASpikeIsNoDescent) {
  // Slowly down around 1e-3, up to the threefold at 1, and steeply back to where it was.
  int64_t steps = 0;
  const double suggestion = suggestionFor(
      [](double rate) {
        const double slow = 2.3 - 0.6 / (1 + std::exp(-4 * (rate + 3)));
        return rate > 0 && rate < 0.3 ? 6 : slow;
      },
      &steps);
  EXPECT_EQ(steps, 200); // all of it was seen
  EXPECT_GT(suggestion, 3e-4);
  EXPECT_LT(suggestion, 1e-2);
}

TEST(RateFinder, StaysClearlyBeforeTheDivergence) {
  // The loss falls ever more steeply until it explodes at 1.
  const double suggestion =
      suggestionFor([](double rate) { return rate < 0 ? 2.3 - 2 * std::exp(2 * rate) : 1e6; });
  EXPECT_GT(suggestion, 1e-2);
  EXPECT_LE(suggestion, 0.1);
}

TEST(RateFinder, TheFirstLossesAreNoDescentEither) {
  // The mean of few losses moves with each of them: the second one is a little smaller by chance.
  int64_t step = 0;
  const double suggestion = suggestionFor([&](double rate) {
    const double noise = step++ == 0 ? 0.2 : 0;
    return 2.3 + noise - 1.5 / (1 + std::exp(-4 * (rate + 3)));
  });
  EXPECT_GT(suggestion, 3e-4);
}

TEST(Metrics, StatisticsOfNumbers) {
  const Floats values = {1, -3, NAN, 2, INFINITY, 4};
  const dlc_statistics found = dlc_statistics_of(values.data(), 6);
  EXPECT_EQ(found.count, 6);
  EXPECT_EQ(found.finite, 4);
  EXPECT_EQ(found.mean, 1);
  EXPECT_NEAR(found.deviation, std::sqrt(26.0 / 4), 1e-12);
  EXPECT_EQ(found.least, -3);
  EXPECT_EQ(found.largest, 4);
  EXPECT_NEAR(found.norm, std::sqrt(30.0), 1e-12);
  EXPECT_EQ(dlc_statistics_of(values.data() + 2, 1).norm, 0);
}

} // namespace
