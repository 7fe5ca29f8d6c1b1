//===- CurvesTest.cpp - curves in letters ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Curves.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <sstream>

using dlc::tool::report::Curve;
using dlc::tool::training::plot;

namespace {

std::vector<std::string> lines(const std::string &text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string line; std::getline(stream, line);)
    result.push_back(line);
  return result;
}

TEST(Curves, AStraightLineGoesFromCornerToCorner) {
  const auto drawn = lines(plot("loss", {Curve{"training", {{1, 4}, {2, 3}, {5, 0}}}}));
  ASSERT_EQ(drawn.size(), 15u);
  EXPECT_EQ(drawn[0], "      loss  * training");
  EXPECT_EQ(drawn[1].substr(0, 13), "         4 |*");
  EXPECT_EQ(drawn[12], "         0 |" + std::string(57, ' ') + "***");
  EXPECT_EQ(drawn[13], std::string(11, ' ') + "+" + std::string(60, '-'));
  EXPECT_EQ(drawn[14], std::string(12, ' ') + "1" + std::string(58, ' ') + "5");
  // Halfway across it is halfway down.
  EXPECT_NE(drawn[6].substr(12 + 27, 6).find('*'), std::string::npos);
}

TEST(Curves, TwoCurvesHaveLettersAndMeet) {
  const auto drawn =
      lines(plot("accuracy", {Curve{"training", {{0, 0}, {1, 1}}}, Curve{"validation", {{0, 0}, {1, 0}}}}));
  EXPECT_EQ(drawn[0], "  accuracy  * training   o validation");
  EXPECT_EQ(drawn[1].substr(69), "***");
  EXPECT_EQ(drawn[12], "         0 |###" + std::string(57, 'o'));
}

TEST(Curves, NumbersThatAreNotFiniteAreGaps) {
  const auto drawn =
      lines(plot("loss", {Curve{"training", {{1, 1}, {2, NAN}, {3, INFINITY}, {4, 1}, {5, 2}}}}));
  EXPECT_EQ(drawn[1].substr(0, 11), "         2 ");
  EXPECT_EQ(drawn[12].find('*'), 12u + 44); // 4 of 1 to 5
  size_t letters = 0;
  for (size_t line = 1; line < drawn.size(); ++line)
    letters += size_t(std::count(drawn[line].begin(), drawn[line].end(), '*'));
  EXPECT_EQ(letters, 16u) << "one in each column from there on";
}

TEST(Curves, OnePlaceIsNoCurve) {
  EXPECT_EQ(plot("loss", {Curve{"training", {{1, 1}}}}), "");
  EXPECT_EQ(plot("loss", {Curve{"training", {{1, NAN}, {2, NAN}}}}), "");
  EXPECT_EQ(plot("loss", {}), "");
}

TEST(Curves, AConstantIsInTheMiddle) {
  const auto drawn = lines(plot("loss", {Curve{"training", {{1, 3}, {2, 3}}}}));
  EXPECT_EQ(drawn[7], std::string(11, ' ') + "|" + std::string(60, '*'));
}

} // namespace
