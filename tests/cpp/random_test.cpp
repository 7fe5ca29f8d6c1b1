//===- random_test.cpp - random numbers that steps draw, and constants of them -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "dlc/session.h"
#include "tests/cpp/Expect.h"
#include <cmath>
#include <set>
#include <span>
#include <sstream>

using namespace dlc;

namespace {

constexpr int64_t rows = 64, columns = 128;

/// One of each kind that a forward draws, of the shape of x.
struct Noises : nn::Module {
  Tensor weight = register_parameter("weight", zeros({1}));
  std::vector<Tensor> all(Tensor x) {
    nn::Scope forward(*this, Where::current());
    Tensor dropped = nn::functional::dropout(ones_like(x)); // its numbers are others, too
    return {
        rand_like(x),  rand(x.shape()),        randint(-2, 3, x.shape()).to(float32),      bernoulli(x * 0.6),
        randn_like(x), randn({rows, columns}), randn_like(x) * randn_like(x) + 0 * dropped};
  }
};
/// Of one number's square the last mean would be 1.
constexpr std::pair<double, double> meansAndSquares[] = {
    {1 / 2.0, 1 / 3.0}, {1 / 2.0, 1 / 3.0}, {0, 2}, {0.3, 0.3}, {0, 1}, {0, 1}, {0, 1}};

/// Predicts what is drawn; the loss of a step is the mean of the first.
Session noisy(uint64_t seed) {
  Noises net;
  Tensor x = input("x", {Dim("batch", rows), columns});
  std::vector<std::pair<std::string, Tensor>> outputs;
  for (const Tensor &drawn : net.all(x))
    outputs.emplace_back("y" + std::to_string(outputs.size()), drawn);
  Tensor loss = outputs[0].second.mean() + net.weight.sum();
  return Session(make_program(net, outputs, loss, optim::SGD({.lr = 0.1})),
                 {.any_size = false, .seed = seed});
}

const Array &halves() {
  static const Array x(std::vector<float>(rows * columns, 0.5f), {rows, columns});
  return x;
}

/// The mean and the mean square, to five deviations of either.
void expectMoments(std::span<const float> numbers, double mean, double square) {
  double sum = 0, squares = 0, fourth = 0, count = double(numbers.size());
  for (double number : numbers) {
    sum += number;
    squares += number * number;
    fourth += number * number * number * number;
  }
  double variance = square - mean * mean, ofSquares = fourth / count - square * square;
  EXPECT_NEAR(sum / count, mean, 5 * std::sqrt(variance / count));
  EXPECT_NEAR(squares / count, square, 5 * std::sqrt(ofSquares / count));
}

TEST(Noise, IsDrawnAnewInEachStep) {
  Session session = noisy(3), again = noisy(3); // in one process they are as in several
  std::vector<Array> first = session.predict({halves()});
  EXPECT_EQ(session.predict({halves()}), first);
  double sum = 0;
  for (float number : first[0].values<float>())
    sum += number;
  EXPECT_NEAR(session.train_step({halves()}), sum / (rows * columns), 1e-5); // the step drew the same
  std::vector<Array> second = session.predict({halves()});
  session.set_seed(4);
  std::vector<Array> others = session.predict({halves()});
  for (size_t i = 0; i < first.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_FALSE(second[i] == first[i]);
    EXPECT_FALSE(others[i] == first[i]);
    for (size_t k = 0; k < i; ++k)
      EXPECT_FALSE(first[k] == first[i]);
    expectMoments(first[i].values<float>(), meansAndSquares[i].first, meansAndSquares[i].second);
  }
  EXPECT_EQ(again.predict({halves()}), first);
  again.train_step({halves()});
  EXPECT_EQ(again.predict({halves()}), second);
  for (float number : first[0].values<float>())
    EXPECT_TRUE(number >= 0 && number < 1);
  auto integers = first[2].values<float>();
  EXPECT_EQ(std::set<float>(integers.begin(), integers.end()), (std::set<float>{-2, -1, 0, 1, 2}));
}

TEST(Noise, OutsideOfModulesIsConstantWhereItsSizesAreKnown) {
  EXPECT_EQ(rand({2}).values().size(), 2u);
  EXPECT_EQ(rand_like(tensor({1, 2}, float64)).dtype(), float64);
  EXPECT_EQ(randn_like(zeros({3})).values().size(), 3u);
  Tensor fixed = input("fixed", {2, 3}), open = input("open", {Dim("batch", 4), 3});
  const char *drawn = "the value depends on random numbers, which only a program has";
  EXPECT_MESSAGE(rand_like(fixed).values(), drawn);
  EXPECT_MESSAGE(randn(open.shape()).values(), drawn);
  EXPECT_MESSAGE(randint(0, 9, {Dim("batch", 4)}).values(), drawn);
}

TEST(Noise, Refuses) {
  Tensor indices = input("indices", {Dim("batch", 4)}, int64);
  EXPECT_MESSAGE(rand_like(indices), "rand_like: draws float32 or float64, got int64 [batch]");
  EXPECT_MESSAGE(randint(3, 3, {2}), "randint: expected a range with a number in it, got 3 to 3");
  EXPECT_MESSAGE(randint(0, int64_t(1) << 24, indices.shape()), "a step draws from at most 8388608 numbers");
  EXPECT_MESSAGE(rand({-1}), "expected sizes of at least 0, got [-1]");
}

TEST(Noise, ByModeIsOfTrainingStepsOnly) {
  nn::Linear net(columns, 1);
  Tensor x = input("x", {Dim("batch", rows), columns}), y = by_mode(x + rand_like(x), x);
  Session session(program(net, y, y.mean() + 0 * net(x).sum(), optim::SGD({.lr = 0})));
  EXPECT_EQ(session.predict({halves()})[0], halves());
  EXPECT_EQ(session.evaluate({halves()}).loss(), 0.5);
  EXPECT_NEAR(session.train_step({halves()}), 1, 0.02);
}

/// A program whose inputs have no batch, such as one that makes images of noise alone.
TEST(Noise, MayBeAllThatAModelTakes) {
  nn::Linear net(8, 1);
  Tensor y = net(randn({Dim("batch", 4), 8}));
  Session session(program(net, y, (y - 2).pow(2).mean(), optim::SGD({.lr = 0.05})));
  float loss = session.train_step({});
  for (int step = 0; step < 200; ++step)
    loss = session.train_step({});
  EXPECT_LT(loss, 0.01);
}

/// Noise that is added to a gradient: of each step, and none in what is predicted.
TEST(Noise, OfGradientsIsDrawnAnewInEachStep) {
  nn::Linear net(columns, 1, {.bias = false});
  Tensor weight = net.parameter("weight");
  weight.register_hook([](Tensor gradient) { return gradient + randn_like(gradient); });
  Tensor y = net(input("x", {Dim("batch", rows), columns}));
  Session session(program(net, y, y.mean(), optim::SGD({.lr = 0})));
  std::vector<Array> drawn;
  for (int step = 0; step < 2; ++step) {
    session.grad_step({halves()});
    drawn.push_back(session.gradient("weight"));
    for (float &number : drawn.back().values<float>())
      number -= 0.5f;
  }
  EXPECT_FALSE(drawn[0] == drawn[1]);
  for (const Array &each : drawn)
    expectMoments(each.values<float>(), 0, 1);
  EXPECT_EQ(session.predict({halves()}), session.predict({halves()}));
}

/// As PyTorch prints nn.Dropout()(x) in training mode.
TEST(Dropout, ShowsOneDrawWhereThereIsAnExample) {
  nn::Dropout half(0.5);
  const Tensor dropped = half(ones({10, 100}));
  testing::internal::CaptureStderr();
  const std::vector<double> numbers = dropped.values();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("warning: the numbers are those of one draw of a dropout: each training step draws "
                      "others, and evaluation leaves it out"),
            std::string::npos)
      << said;
  int kept = 0;
  for (double number : numbers) {
    ASSERT_TRUE(number == 0 || number == 2) << number;
    kept += number == 2;
  }
  EXPECT_NEAR(kept, 500, 80); // five deviations
  EXPECT_EQ(dropped.values(), numbers) << "the same tensor has the same numbers";
  testing::internal::CaptureStderr();
  const std::string printed = (std::ostringstream() << half(ones({4}))).str();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "printing warns of nothing";
  EXPECT_EQ(printed.find("tensor(["), 0u) << printed;
  Tensor x = input("x", {Dim("batch", 4), 8}, full({2, 8}, 3.0)), other = half(x);
  for (double number : other.values())
    EXPECT_TRUE(number == 0 || number == 6) << number;
  EXPECT_MESSAGE(half(input("open", {Dim("batch", 4), 8})).values(), "input 'open', which has no example");
  EXPECT_NE(half(ones({64})).values(), half(ones({64})).values()) << "two calls are two draws";
  half.eval();
  EXPECT_EQ(half(ones({4})).values(), std::vector<double>(4, 1));
}

} // namespace
