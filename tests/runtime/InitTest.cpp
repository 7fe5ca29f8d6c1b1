//===- InitTest.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// New initial values: their distributions, that the seed and the name decide, and what is refused.
//===----------------------------------------------------------------------===//
#include "dlc/init.h"
#include "dlc/metrics.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace {

struct Init : testing::Test {
  dlc_status draw(const dlc_init &how, uint64_t seed = 1, const char *name = "weight") {
    const dlc_parameter_info parameter = {
        name, DLC_F32, static_cast<int32_t>(shape.size()), shape.data(), values.size() * sizeof(float), 1, 0};
    return dlc_init_values(&how, seed, &parameter, values.data());
  }
  dlc_statistics drawn(dlc_init_kind kind, double a = 0, double b = 0) {
    EXPECT_EQ(draw({kind, 0, a, b}), DLC_OK);
    return dlc_statistics_of(values.data(), static_cast<int64_t>(values.size()));
  }

  std::vector<int64_t> shape = {100, 50, 2, 2}; // 200 numbers a neuron, 400 a row
  std::vector<float> values = std::vector<float>(20000);
};

TEST_F(Init, Constant) {
  const dlc_statistics now = drawn(DLC_INIT_CONSTANT, 0.5);
  EXPECT_EQ(now.least, 0.5);
  EXPECT_EQ(now.largest, 0.5);
}

TEST_F(Init, Uniform) {
  const dlc_statistics now = drawn(DLC_INIT_UNIFORM, -1, 3);
  EXPECT_NEAR(now.mean, 1, 0.03);
  EXPECT_NEAR(now.deviation, 4 / std::sqrt(12.0), 0.02);
  EXPECT_GE(now.least, -1);
  EXPECT_LE(now.largest, 3);
}

TEST_F(Init, Normal) {
  const dlc_statistics now = drawn(DLC_INIT_NORMAL, 2, 0.1);
  EXPECT_NEAR(now.mean, 2, 0.003);
  EXPECT_NEAR(now.deviation, 0.1, 0.002);
  EXPECT_GT(now.largest, 2.3); // no uniform number is so far
}

TEST_F(Init, XavierAndKaiming) {
  EXPECT_NEAR(drawn(DLC_INIT_XAVIER_UNIFORM).largest, std::sqrt(6.0 / 600), 1e-3); // torch.nn.init's bounds
  EXPECT_NEAR(drawn(DLC_INIT_XAVIER_UNIFORM, 2).largest, 2 * std::sqrt(6.0 / 600), 2e-3);
  EXPECT_NEAR(drawn(DLC_INIT_XAVIER_NORMAL).deviation, std::sqrt(2.0 / 600), 1e-3);
  EXPECT_NEAR(drawn(DLC_INIT_KAIMING_UNIFORM).largest, std::sqrt(6.0 / 200), 1e-3);
  EXPECT_NEAR(drawn(DLC_INIT_KAIMING_NORMAL).deviation, std::sqrt(2.0 / 200), 1e-3);
  shape = {20000};
  EXPECT_EQ(draw({DLC_INIT_KAIMING_NORMAL, 0, 0, 0}), DLC_INVALID_ARGUMENT);
}

TEST_F(Init, AlikeKeepsTheDistribution) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-0.2f, 0.2f);
  for (float &value : values)
    value = uniform(random);
  dlc_statistics now = drawn(DLC_INIT_ALIKE);
  EXPECT_NEAR(now.deviation, 0.4 / std::sqrt(12.0), 0.002);
  EXPECT_LT(now.largest, 0.204);
  std::normal_distribution<float> normal(1, 0.5f);
  for (float &value : values)
    value = normal(random);
  now = drawn(DLC_INIT_ALIKE);
  EXPECT_NEAR(now.mean, 1, 0.02);
  EXPECT_NEAR(now.deviation, 0.5, 0.01);
  EXPECT_GT(now.largest, 2.2);
}

TEST_F(Init, AlikeLeavesEqualValues) {
  values.assign(values.size(), 0.1f);
  drawn(DLC_INIT_ALIKE);
  for (float value : values)
    EXPECT_EQ(value, 0.1f);
  values.assign(1, 3);
  shape = {1};
  EXPECT_EQ(draw({}), DLC_OK);
  EXPECT_EQ(values[0], 3);
}

TEST_F(Init, SeedAndNameDecide) {
  const dlc_init how = {DLC_INIT_NORMAL, 0, 0, 1};
  draw(how, 1, "a");
  const std::vector<float> first = values;
  draw(how, 2, "a");
  EXPECT_NE(values, first);
  draw(how, 1, "b");
  EXPECT_NE(values, first);
  draw(how, 1, "a");
  EXPECT_EQ(values, first);
}

TEST_F(Init, Refusals) {
  EXPECT_EQ(draw({DLC_INIT_NORMAL, 0, 0, -1}), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(draw({DLC_INIT_NORMAL, 0, NAN, 1}), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(draw({DLC_INIT_UNIFORM, 0, 1, 0}), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(draw({static_cast<dlc_init_kind>(99), 0, 0, 1}), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_init_values(nullptr, 1, nullptr, nullptr), DLC_INVALID_ARGUMENT);
  values[7] = INFINITY;
  EXPECT_EQ(draw({}), DLC_INVALID_ARGUMENT);
  const dlc_parameter_info integers = {"n", DLC_I64, 1, shape.data(), 800, 1, 0};
  const dlc_init how = {DLC_INIT_CONSTANT, 0, 0, 0};
  EXPECT_EQ(dlc_init_values(&how, 1, &integers, values.data()), DLC_INVALID_ARGUMENT);
}

TEST_F(Init, EmptyParameters) {
  shape = {0, 3};
  values.clear();
  EXPECT_EQ(dlc_statistics_of(nullptr, 0).finite, 0);
  float nothing = 0;
  const dlc_parameter_info parameter = {"w", DLC_F32, 2, shape.data(), 0, 1, 0};
  const dlc_init how = {};
  EXPECT_EQ(dlc_init_values(&how, 1, &parameter, &nothing), DLC_OK);
  EXPECT_EQ(nothing, 0);
}

} // namespace
