//===- ScheduleTest.cpp ---------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Learning-rate schedules against the rates that torch.optim.lr_scheduler gives, to 1e-12 of the base.
//===----------------------------------------------------------------------===//
#include "dlc/schedules.h"
#include "tests/Differences.h"
#include <cstring>
#include <vector>

namespace {

constexpr int64_t milestones[] = {2, 5, 6};

double root(int64_t step, void *) { return 1 / std::sqrt(static_cast<double>(step + 1)); }
double halved(int64_t step, void *) { return std::pow(0.5, static_cast<double>(step / 3)); }
double rising(int64_t step, void *) { return 1 + static_cast<double>(step) / 10; }
double slower(int64_t step, void *) { return 1 - 0.05 * static_cast<double>(step); }

double cyclic_momentum(int64_t step, dlc_cycle cycle, double low, double high) {
  return dlc_schedule_cyclic_momentum(step, &cycle, low, high);
}
double one_cycle_momentum(int64_t step, dlc_one_cycle cycle, double low, double high) {
  return dlc_schedule_one_cycle_momentum(step, &cycle, low, high);
}
double cyclic(int64_t step, dlc_cycle cycle) { return dlc_schedule_cyclic(0.1, step, &cycle); }
double one_cycle(int64_t step, dlc_one_cycle cycle) { return dlc_schedule_one_cycle(0.1, step, &cycle); }
dlc_plateau plateau(double factor, int64_t patience, double threshold, double least, int64_t cooldown,
                    int32_t larger, int32_t absolute) {
  return {0.1, factor, threshold, least, 1e-8, patience, cooldown, larger, absolute, 0, 0, 0, 0};
}

// Parts of composed schedules; the first takes its settings, the others know theirs.
double stepped(double base, int64_t step, const void *size) {
  return dlc_schedule_step(base, step, *static_cast<const int64_t *>(size), 0.5);
}
constexpr int64_t three = 3;
const dlc_schedule step_by_3 = {stepped, &three};
const dlc_schedule decay_of_09 = {
    [](double base, int64_t step, const void *) { return dlc_schedule_exponential(base, step, 0.9); },
    nullptr};
const dlc_schedule warm_from_tenth = {
    [](double base, int64_t step, const void *) { return dlc_schedule_linear(base, step, 0.1, 1, 4); },
    nullptr};
const dlc_schedule cosine_over_8 = {
    [](double base, int64_t step, const void *) { return dlc_schedule_cosine(base, step, 8, 0); }, nullptr};

double chained(std::vector<dlc_schedule> parts, int64_t step) {
  return dlc_schedule_chained(0.1, step, parts.data(), static_cast<int32_t>(parts.size()));
}
double sequential(std::vector<dlc_schedule> parts, std::vector<int64_t> begins, int64_t step) {
  return dlc_schedule_sequential(0.1, step, parts.data(), static_cast<int32_t>(parts.size()), begins.data());
}

struct Case {
  const char *text;
  double (*rate)(int64_t step);
  std::vector<double> expected;
};
struct PlateauCase {
  const char *text;
  dlc_plateau plateau;
  std::vector<double> metrics, expected;
};

/// "cosine" of "dlc_schedule_cosine(0.1, step, 10, 0)".
std::string nameOf(const std::string &text) {
  const size_t begin = text.rfind("dlc_schedule_", 0) == 0 ? std::strlen("dlc_schedule_") : 0;
  return text.substr(begin, text.find('(') - begin);
}

#define UNPACK(...) __VA_ARGS__
TEST(Schedule, GivesPyTorchsRates) {
#define CASE(call, ...) {#call, [](int64_t step) -> double { return call; }, __VA_ARGS__},
#define PLATEAU(...)
  const Case cases[] = {
#include "tests/runtime/schedules.inc"
  };
#undef CASE
#undef PLATEAU
  dlc::tests::Differences differences;
  for (const Case &test : cases) {
    differences.startCase(nameOf(test.text));
    for (size_t step = 0; step < test.expected.size(); ++step) {
      const double rate = test.rate(static_cast<int64_t>(step));
      EXPECT_NEAR(rate, test.expected[step], 1e-13) << test.text << ", " << step;
      differences.add(rate, test.expected[step], 0.1);
    }
  }
}

TEST(Schedule, FallsAtPlateausAsPyTorchDoes) {
#define CASE(...)
#define PLATEAU(settings, metrics, rates) {#settings, settings, UNPACK metrics, UNPACK rates},
  PlateauCase cases[] = {
#include "tests/runtime/schedules.inc"
  };
#undef CASE
#undef PLATEAU
  dlc::tests::Differences differences;
  for (PlateauCase &test : cases) {
    differences.startCase(nameOf(test.text));
    for (size_t step = 0; step < test.metrics.size(); ++step) {
      const double rate = dlc_plateau_step(&test.plateau, test.metrics[step]);
      EXPECT_NEAR(rate, test.expected[step], 1e-13) << test.text << ", " << step;
      differences.add(rate, test.expected[step], 0.1);
    }
  }
}

TEST(Schedule, GoesOnAfterItsEnd) {
  // PyTorch refuses steps after the last one; here the rate stays.
  const dlc_one_cycle cycle = {10, 0.3, 25, 1e4, 0, 0};
  EXPECT_EQ(dlc_schedule_one_cycle(1, 50, &cycle), dlc_schedule_one_cycle(1, 9, &cycle));
  EXPECT_NEAR(dlc_schedule_one_cycle(1, 9, &cycle), 1 / 25.0 / 1e4, 1e-15);
  EXPECT_EQ(dlc_schedule_warm_restarts(1, INT64_MAX, 3, 1, 0),
            dlc_schedule_warm_restarts(1, INT64_MAX % 3, 3, 1, 0));
}

TEST(Schedule, IsNoNumberForSettingsWithoutSense) {
  const dlc_cycle noSteps = {1, 0, 5, DLC_TRIANGULAR, 1}, noShape = {1, 2, 5, 7, 1};
  const dlc_one_cycle tooShort = {1, 0.3, 25, 1e4, 0, 0}, notAPart = {10, 1.5, 25, 1e4, 0, 0};
  EXPECT_TRUE(std::isnan(dlc_schedule_step(1, 3, 0, 0.1)));
  EXPECT_TRUE(std::isnan(dlc_schedule_step(1, -1, 3, 0.1)));
  EXPECT_TRUE(std::isnan(dlc_schedule_multi_step(1, -1, milestones, 3, 0.1)));
  EXPECT_TRUE(std::isnan(dlc_schedule_constant(1, -1, 0.5, 3)));
  EXPECT_TRUE(std::isnan(dlc_schedule_exponential(1, -1, 0.5)));
  EXPECT_TRUE(std::isnan(dlc_schedule_linear(1, 3, 0, 1, 0)));
  EXPECT_TRUE(std::isnan(dlc_schedule_polynomial(1, 3, 0, 1)));
  EXPECT_TRUE(std::isnan(dlc_schedule_cosine(1, 3, 0, 1)));
  EXPECT_TRUE(std::isnan(dlc_schedule_warm_restarts(1, 3, 0, 1, 0)));
  EXPECT_TRUE(std::isnan(dlc_schedule_warm_restarts(1, 3, 2, 0, 0)));
  EXPECT_TRUE(std::isnan(dlc_schedule_warm_restarts(1, INT64_MAX, 2, INT64_MAX, 0)));
  EXPECT_TRUE(std::isnan(dlc_schedule_warm_up(1, 3, 0)));
  EXPECT_TRUE(std::isnan(dlc_schedule_lambda(1, -1, root, nullptr)));
  EXPECT_TRUE(std::isnan(dlc_schedule_cyclic(1, 3, &noSteps)));
  EXPECT_TRUE(std::isnan(dlc_schedule_cyclic(1, 3, &noShape)));
  EXPECT_TRUE(std::isnan(dlc_schedule_one_cycle(1, 3, &tooShort)));
  EXPECT_TRUE(std::isnan(dlc_schedule_one_cycle(1, 3, &notAPart)));
  EXPECT_TRUE(std::isnan(dlc_schedule_sequential(1, 3, nullptr, 0, nullptr)));
  EXPECT_TRUE(std::isnan(dlc_schedule_multiplicative(1, -1, root, nullptr)));
  EXPECT_TRUE(std::isnan(dlc_schedule_cyclic_momentum(3, &noSteps, 0.8, 0.9)));
  EXPECT_TRUE(std::isnan(dlc_schedule_one_cycle_momentum(3, &tooShort, 0.8, 0.9)));
  EXPECT_TRUE(std::isnan(dlc_schedule_swa(1, -1, 0.5, 3, 0)));
  EXPECT_TRUE(std::isnan(dlc_schedule_swa(1, 1, 0.5, -3, 0)));
  EXPECT_TRUE(std::isnan(dlc_schedule_swa_decay(1, 0, 0)));
  EXPECT_TRUE(std::isnan(dlc_schedule_swa_decay(-1, 0, 1)));
}

} // namespace
