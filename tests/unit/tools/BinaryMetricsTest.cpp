//===- BinaryMetricsTest.cpp - what decisions between 0 and 1 are worth ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/BinaryMetrics.h"
#include "tools/dlc/train/Arrays.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace {

using dlc::tool::training::binaryMetric;
using dlc::tool::training::Failure;
using Numbers = std::vector<float>;

double area(const Numbers &scores, const Numbers &targets, int64_t perRow = 1) {
  return binaryMetric("auc", scores, targets, perRow, /*threshold=*/0);
}

/// Four samples: one of the four pairs of a 1 and a 0 is in the wrong order.
TEST(BinaryMetrics, AreaIsTheShareOfPairsInOrder) {
  const Numbers scores = {1, 2, 3, 4}, targets = {0, 1, 0, 1};
  EXPECT_EQ(area(scores, targets), 0.75);
  EXPECT_EQ(area({4, 3, 2, 1}, targets), 0.25);
  EXPECT_EQ(area({1, 1, 1, 1}, targets), 0.5) << "equal scores count half";
}

/// The second target is 1 in all samples, the fourth 0 in all: there is nothing to put into order. The mean
/// is that of the first and the third, whose areas are 0.75 and 0.25.
TEST(BinaryMetrics, TargetsOfOneClassHaveNoPartInTheArea) {
  const Numbers scores = {1, 9, 4, 9, //
                          2, 8, 3, 9, //
                          3, 7, 2, 7, //
                          4, 6, 1, 7};
  const Numbers targets = {0, 1, 0, 0, //
                           1, 1, 1, 0, //
                           0, 1, 0, 0, //
                           1, 1, 1, 0};
  EXPECT_EQ(area(scores, targets, 4), 0.5);
  // The one that is left is not divided by the number of all.
  EXPECT_EQ(area({1, 9, 2, 8, 3, 7, 4, 6}, {0, 1, 1, 1, 0, 1, 1, 1}, 2), 0.75);
}

TEST(BinaryMetrics, AreaOfOneClassAloneIsNoNumber) {
  EXPECT_TRUE(std::isnan(area({1, 2, 3}, {1, 1, 1})));
  EXPECT_TRUE(std::isnan(area({1, 2, 3}, {0, 0, 0})));
  EXPECT_TRUE(std::isnan(area({1, 2, 3, 4}, {1, 0, 1, 0}, 2))) << "one class each";
}

/// Of the samples above the threshold two of three are 1; of the four that are 1 two are above it.
TEST(BinaryMetrics, OfClassOneAboveTheThreshold) {
  const Numbers scores = {2, 3, 4, 1, 0, -1}, targets = {1, 0, 1, 1, 1, 0};
  EXPECT_DOUBLE_EQ(binaryMetric("precision", scores, targets, 1, 1), 2.0 / 3);
  EXPECT_DOUBLE_EQ(binaryMetric("recall", scores, targets, 1, 1), 0.5);
  EXPECT_DOUBLE_EQ(binaryMetric("f1", scores, targets, 1, 1), 4.0 / 7);
}

/// Other metrics keep such targets: a quotient of nothing is 0, as a class that is never found.
TEST(BinaryMetrics, QuotientsOfNothingCountAsZero) {
  const Numbers scores = {1, 1, -1, 1}, targets = {1, 0, 0, 0}; // the second target is 0 in both samples
  EXPECT_EQ(binaryMetric("recall", scores, targets, 2, 0), 0.5);
  EXPECT_EQ(binaryMetric("precision", {-1, -1}, {1, 0}, 1, 0), 0);
  EXPECT_EQ(binaryMetric("f1", {-1, -1}, {0, 0}, 1, 0), 0);
}

TEST(BinaryMetrics, OtherTargetsAndScoresAreRefused) {
  EXPECT_THROW(area({1, 2}, {0, 0.5f}), Failure);
  EXPECT_THROW(area({1, std::numeric_limits<float>::quiet_NaN()}, {0, 1}), Failure);
}

} // namespace
