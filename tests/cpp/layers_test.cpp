//===- layers_test.cpp - what layers and losses do in training steps ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "dlc/session.h"
#include "tests/cpp/Expect.h"
#include <cmath>
#include <set>

using namespace dlc;

namespace {

constexpr int64_t batch = 64, channels = 24, places = 5;
constexpr double p = 0.25;

std::vector<float> numbersOf(const Array &array) {
  auto values = array.values<float>();
  return {values.begin(), values.end()};
}

/// The mean of what dropout makes of a parameter of ones, times its number of elements: the parameter's
/// gradient is what each element was multiplied by.
template <typename Drop> struct Dropped : nn::Module {
  Tensor ones = register_parameter("ones", full({batch, channels, places}, 1));
  Drop drop = register_module("drop", Drop(p));
  Tensor forward(Tensor x) override { return drop(ones).sum() + x.sum(); }
};

/// The factors of a step; those of evaluation are 1.
template <typename Drop> std::vector<float> factorsOf(uint64_t seed) {
  Dropped<Drop> net;
  Session session(program(net, loss::Output(), optim::SGD({.lr = 1}), input("x", {Dim("rows", 1)})),
                  {.seed = seed});
  float value = session.evaluate({Array(std::vector<float>{0}, {1})}).loss();
  EXPECT_EQ(value, batch * channels * places);
  session.grad_step({Array(std::vector<float>{0}, {1})});
  return numbersOf(session.gradient("ones"));
}

/// How many of the channels, of the batch's rows one after the other, are dropped; each is of one piece.
int64_t droppedChannels(const std::vector<float> &factors, float kept, float dropped) {
  int64_t count = 0;
  for (int64_t i = 0; i < batch * channels; ++i) {
    float first = factors[i * places];
    EXPECT_TRUE(std::fabs(first - kept) < 1e-5 || first == dropped) << first;
    for (int64_t k = 1; k < places; ++k)
      EXPECT_EQ(factors[i * places + k], first);
    count += first == dropped;
  }
  return count;
}

/// Within four standard deviations.
void expectShare(int64_t count, int64_t all) {
  EXPECT_NEAR(double(count), p * double(all), 4 * std::sqrt(p * (1 - p) * double(all)));
}

} // namespace

TEST(Dropout, OfChannelsDropsThemAsAWhole) {
  std::vector<float> factors = factorsOf<nn::Dropout1d>(1);
  expectShare(droppedChannels(factors, 1 / (1 - p), 0), batch * channels);
  EXPECT_NE(factors, factorsOf<nn::Dropout1d>(2));
  EXPECT_EQ(factors, factorsOf<nn::Dropout1d>(1));
}

TEST(Dropout, AlphaKeepsMeanAndVariance) {
  constexpr double limit = -1.7580993408473766;
  double scale = 1 / std::sqrt((1 - p) * (1 + p * limit * limit));
  std::vector<float> factors = factorsOf<nn::AlphaDropout>(1);
  int64_t count = 0;
  for (float factor : factors) {
    EXPECT_TRUE(factor == 0 || std::fabs(factor - scale) < 1e-5) << factor;
    count += factor == 0;
  }
  expectShare(count, batch * channels * places);
  expectShare(droppedChannels(factorsOf<nn::FeatureAlphaDropout>(1), float(scale), 0), batch * channels);
  // Normal numbers stay normal: mean 0, variance 1.
  struct Net : nn::Module {
    Tensor weight = register_parameter("weight", full({1}, 0));
    Tensor forward(Tensor x) override {
      Tensor y = nn::functional::alpha_dropout(x, p);
      return stack({y.mean(), (y * y).mean()}) + weight;
    }
  } net;
  manual_seed(3);
  std::vector<double> numbers = randn({1 << 16}).values();
  Tensor x = input("x", {1 << 16}), moments = net(x);
  Tensor wanted = tensor({0.0, 1});
  Session session(program(net, moments, (moments - wanted).abs().amax(), optim::SGD({.lr = 0})));
  EXPECT_LT(session.train_step({Array(std::vector<float>(numbers.begin(), numbers.end()), {1 << 16})}), 0.03);
}

/// Nothing is left of any element in training steps; evaluation is as without it.
TEST(Dropout, OfAllGivesZerosAndNoGradient) {
  struct Net : nn::Module {
    Tensor weight = register_parameter("weight", ones({3})), other = register_parameter("other", ones({1}));
    nn::Dropout drop = register_module("drop", nn::Dropout(1));
    Tensor forward(Tensor x) override { return drop(1 / (x * weight)) + other; }
  } net;
  Session session(program(net, loss::MSE(), optim::SGD({.lr = 0.5}), input("x", {Dim("batch", 2), 3})));
  const Array x(std::vector<float>{1, 2, 4, -1, 0.5, 1}, {2, 3}), zeros(std::vector<float>(6), {2, 3});
  EXPECT_EQ(session.grad_step({x, zeros}), 1); // of `other` alone
  EXPECT_EQ(numbersOf(session.gradient("weight")), std::vector<float>(3, 0));
  EXPECT_EQ(numbersOf(session.gradient("other")), std::vector<float>{2});
  EXPECT_EQ(numbersOf(session.predict({x})[0]), (std::vector<float>{2, 1.5, 1.25, 0, 3, 2}));
}

/// Along a dim whose size is known when the model runs, as PyTorch has it: the first of equal ones, or of
/// NaNs.
TEST(Extrema, AndTheirPlaces) {
  nn::Linear net(1, 1);
  Tensor x = input("x", {Dim("batch", 4), Dim("places", 5)});
  auto [largest, where] = x.max(1);
  auto [least, there] = min(x, 1, /*keepdim=*/true);
  Session session(make_program(net,
                               {{"largest", largest}, {"where", where}, {"least", least}, {"there", there}},
                               loss::None(), optim::SGD({.lr = 1})));
  std::vector<Array> found = session.predict(
      {Array(std::vector<float>{1, 7, 7, -INFINITY, 0, NAN, 3, NAN, -2, -2, -2, -1}, {3, 4})});
  EXPECT_EQ(found[1], Array(std::vector<int64_t>{1, 1, 3}, {3}));
  EXPECT_EQ(found[3], Array(std::vector<int64_t>{3, 1, 0}, {3, 1}));
  for (int i : {0, 2}) {
    std::vector<float> values = numbersOf(found[i]);
    EXPECT_EQ(values[0], i ? -INFINITY : 7);
    EXPECT_TRUE(std::isnan(values[1]));
    EXPECT_EQ(values[2], i ? -2 : -1);
  }
  // Described with values, the interpreter's.
  Tensor given = tensor({{0, NAN, 3, NAN}, {4, 1, 1, 4}});
  EXPECT_EQ(given.argmax(1).values(), (std::vector<double>{1, 0}));
  EXPECT_EQ(given.argmin(1).values(), (std::vector<double>{1, 1}));
  EXPECT_TRUE(std::isnan(given.median(1).first.values()[0]));
  EXPECT_EQ(given.median(1).second.values(), (std::vector<double>{1, 2}));
}

/// Each element has a slope of its own in each step, which its gradient is; evaluation has their mean.
TEST(RReLU, HasRandomSlopes) {
  constexpr int64_t count = 4096;
  struct Net : nn::Module {
    Tensor weight = register_parameter("weight", full({count}, 0));
    nn::RReLU rrelu = register_module("rrelu", nn::RReLU(0.1, 0.4));
    Tensor forward(Tensor x) override { return rrelu(x + weight); }
  } net;
  Tensor x = input("x", {count}), y = net(x);
  Session session(program(net, y, y.sum(), optim::SGD({.lr = 0})));
  std::vector<float> numbers(count, -2);
  numbers[0] = 3, numbers[1] = 0;
  const Array given(numbers, {count});
  double loss = session.grad_step({given});
  std::vector<float> slopes = numbersOf(session.gradient("weight"));
  EXPECT_EQ(slopes[0], 1);
  double sum = 0, squares = 0, expected = 3;
  for (int64_t i = 1; i < count; ++i) {
    EXPECT_TRUE(slopes[i] >= 0.1f && slopes[i] <= 0.4f) << slopes[i];
    sum += slopes[i];
    squares += slopes[i] * slopes[i];
    expected += slopes[i] * numbers[i];
  }
  EXPECT_NEAR(loss, expected, 0.05);
  double mean = sum / (count - 1), variance = squares / (count - 1) - mean * mean;
  EXPECT_NEAR(mean, 0.25, 4 * 0.3 / std::sqrt(12.0 * count));
  EXPECT_NEAR(variance, 0.09 / 12, 0.0006);
  session.grad_step({given});
  EXPECT_NE(numbersOf(session.gradient("weight")), slopes);
  std::vector<float> evaluated = numbersOf(session.predict({given})[0]);
  EXPECT_EQ(evaluated[0], 3);
  EXPECT_EQ(evaluated[2], -0.5);
  EXPECT_MESSAGE(nn::RReLU(0.5, 0.25),
                 "RReLU: expected a lower slope that is not above the upper one, got 0.5 and 0.25");
}

namespace {

/// Trains with labels, of which some are out of range; the weights are the same afterwards.
void expectRefused(Session &session, const View &x, const std::vector<int64_t> &labels, const char *message) {
  std::vector<float> before = numbersOf(session.parameter("weight"));
  Error error = errorOf([&] { session.train_step({x, Array(labels, {int64_t(labels.size())})}); });
  EXPECT_NE(error.message().find(message), std::string::npos) << error.what();
  EXPECT_EQ(numbersOf(session.parameter("weight")), before);
  EXPECT_EQ(session.step_count(), 0);
}

} // namespace

TEST(Labels, AreChecked) {
  Array x(std::vector<float>(8, 1), {4, 2});
  auto sessionOf = [](auto loss) {
    nn::Linear net(2, 3);
    return Session(program(net, loss, optim::SGD({.lr = 1}), input("x", {Dim("batch", 4), 2})));
  };
  for (const char *reduction : {"mean", "sum"}) {
    Session session = sessionOf(nn::CrossEntropyLoss({.ignore_index = -1, .reduction = reduction}));
    expectRefused(session, x, {0, 1, 3, 2}, "value 3 at position 2");
    expectRefused(session, x, {0, 1, 2, -2}, "value -2 at position 3");
    EXPECT_TRUE(std::isfinite(session.train_step({x, Array(std::vector<int64_t>{0, -1, 2, -1}, {4})})));
  }
  Session nll = sessionOf(nn::NLLLoss());
  expectRefused(nll, x, {0, 1, -1, 2}, "value -1 at position 2");
  Session margin = sessionOf(nn::MultiMarginLoss());
  expectRefused(margin, x, {0, 1, 7, 2}, "value 7 at position 2");
}

/// Of a loss for each row.
TEST(Labels, AreCheckedWhereTheLossIsNotReduced) {
  nn::Linear net(2, 3);
  Tensor scores = net(input("x", {Dim("batch", 4), 2})), labels = input("labels", {Dim("batch", 4)}, int64);
  Tensor rows = nn::functional::cross_entropy(scores, labels, {.reduction = "none"});
  Session session(program(net, scores, rows.amax(), optim::SGD({.lr = 1})));
  expectRefused(session, Array(std::vector<float>(8, 1), {4, 2}), {0, 1, 3, 2}, "value 3 at position 2");
}
