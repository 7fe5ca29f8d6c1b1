//===- loops_test.cpp - loops that run as often as data say --------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each loop is compared with C++'s own, of as many runs.
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "dlc/session.h"
#include "tests/cpp/Expect.h"
#include <cmath>

using namespace dlc;

namespace {

/// A net that uses its middle layer as often as an input says (the DynamicNet of PyTorch's tutorials), or
/// `fixed` times.
struct Reused : nn::Module {
  Tensor scores(Tensor x, const Tensor &count, int fixed) {
    x = relu(first(x));
    auto once = [&](int64_t, const Tensor &x) { return tanh(middle(x)); };
    if (count.defined())
      x = for_loop(count, once, x, 4);
    for (int i = 0; i < fixed; ++i)
      x = once(i, x);
    return last(x);
  }
  nn::Linear first = register_module("first", nn::Linear(4, 8)),
             middle = register_module("middle", nn::Linear(8, 8)),
             last = register_module("last", nn::Linear(8, 3));
};

Program reused(int fixed = -1) {
  manual_seed(3);
  Reused net;
  Tensor x = input("x", {Dim("batch", 5), 4}), count = fixed < 0 ? input("count", {}, int64) : Tensor();
  return make_program(net, {{"output", net.scores(x, count, fixed)}}, loss::CrossEntropy(),
                      optim::SGD({.lr = 0.1}));
}

TEST(Loops, RunAsOftenAsAnInputSays) {
  std::vector<float> x;
  for (int i = 0; i < 20; ++i)
    x.push_back(float(i * 7 % 11) / 5 - 1);
  Array rows(x, {5, 4}), labels(std::vector<int64_t>{0, 2, 1, 1, 0}, {5});
  for (int64_t count : {1, 4}) {
    Session open(reused()), fixed(reused(int(count)));
    Array times(std::vector<int64_t>{count}, {});
    for (int step = 0; step < 5; ++step)
      EXPECT_NEAR(open.train_step({rows, times, labels}), fixed.train_step({rows, labels}), 2e-6) << count;
    auto a = open.parameter("middle.weight").values<float>(),
         b = fixed.parameter("middle.weight").values<float>();
    for (size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(a[i], b[i], 2e-6) << count;
  }
}

TEST(Loops, OfNoRunsGiveWhatTheyBeginWith) {
  Session session(reused());
  std::vector<float> before, after;
  Array rows(std::vector<float>(20, 0.5f), {5, 4}), labels(std::vector<int64_t>(5, 1), {5});
  auto middle = [&] {
    auto values = session.parameter("middle.weight").values<float>();
    return std::vector<float>(values.begin(), values.end());
  };
  before = middle();
  session.train_step({rows, Array(std::vector<int64_t>{0}, {}), labels});
  EXPECT_EQ(middle(), before);
}

TEST(Loops, RefuseACountBeyondTheirLimit) {
  Session session(reused());
  Array rows(std::vector<float>(20, 0.5f), {5, 4}), labels(std::vector<int64_t>(5, 1), {5});
  for (int64_t count : {-1, 5}) {
    Error error =
        errorOf([&] { session.train_step({rows, Array(std::vector<int64_t>{count}, {}), labels}); });
    EXPECT_NE(error.message().find("'count'"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(std::isfinite(session.train_step({rows, Array(std::vector<int64_t>{4}, {}), labels})));
}

TEST(Loops, RunWhileAConditionOfDataIsTrue) { // as the introduction to autograd doubles a vector
  Tensor x = tensor({0.5, -1.0, 2.0}), y = x.requires_grad_();
  Tensor doubled = while_loop([](const Tensor &y) { return y.norm() < 1000; },
                              [](const Tensor &y) { return y * 2; }, y, 20);
  EXPECT_EQ((doubled == x * 512).all().item<bool>(), true);
  EXPECT_EQ((grad(doubled.sum(), y) == tensor({512.0, 512.0, 512.0})).all().item<bool>(), true);
}

TEST(Loops, CarrySeveralTensors) { // Euclid's algorithm beside a sum
  using Tensors = std::vector<Tensor>;
  Tensors result = while_loop([](const Tensors &t) { return t[1] > 0; },
                              [](const Tensors &t) { return Tensors{t[1], remainder(t[0], t[1]), t[2] + 1}; },
                              {tensor(252), tensor(105), tensor(0.0)}, 8);
  EXPECT_EQ(result[0].item<int64_t>(), 21);
  EXPECT_EQ(result[2].item<float>(), 3);
}

TEST(Loops, GiveNaNWhereTheirLimitIsTooLow) {
  auto endless = [](int64_t limit) {
    return while_loop([](const Tensor &x) { return x < 10; }, [](const Tensor &x) { return x + 1; },
                      tensor(0.0), limit)
        .item<float>();
  };
  EXPECT_EQ(endless(10), 10);
  EXPECT_TRUE(std::isnan(endless(9)));
  Tensor five = tensor({2, 3}).sum();
  auto twice = [](int64_t, const Tensor &x) { return x * 2; };
  EXPECT_EQ(for_loop(five, twice, tensor(1.0), 5).item<float>(), 32);
  EXPECT_TRUE(std::isnan(for_loop(five, twice, tensor(1.0), 4).item<float>()));
}

TEST(Loops, HaveFiniteGradientsWhereTheirRunsHave) {
  // The last result is 0, and the derivative of the root is infinite there: a run that does not count must
  // not compute with it.
  Tensor x = tensor(4.0).requires_grad_();
  Tensor y = for_loop(tensor(1), [](int64_t, const Tensor &x) { return sqrt(x) - 2; }, x, 3);
  EXPECT_EQ(y.item<float>(), 0);
  EXPECT_EQ(grad(y, x).item<float>(), 0.25f);
}

TEST(Loops, SayWhatTheyNeed) {
  Tensor x = zeros({2}), n = tensor(2);
  auto same = [](int64_t, const Tensor &x) { return x; };
  EXPECT_MESSAGE(for_loop(n, same, x, 0), "for_loop: expected max_trips from 1 to 512, got 0");
  EXPECT_MESSAGE(for_loop(n, same, x, 513), "got 513");
  EXPECT_MESSAGE(for_loop(x, same, x, 3), "for_loop: expected a count of one integer, got float32 [2]");
  EXPECT_MESSAGE(for_loop(n, same, n, 3), "for_loop: expected a tensor of floating-point numbers");
  EXPECT_MESSAGE(for_loop(
                     n, [](int64_t, const Tensor &x) { return x.sum(); }, x, 3),
                 "for_loop: expected that the body keeps shape and dtype, float32 [2], got float32 []");
  EXPECT_MESSAGE(while_loop([](const Tensor &x) { return x > 0; }, [](const Tensor &x) { return x; }, x, 3),
                 "while_loop: expected a condition of one truth value, got bool [2]");
  // An error in a body stands at its own line.
  EXPECT_MESSAGE(for_loop(
                     n, [](int64_t, const Tensor &x) { return x + zeros({3}); }, x, 3),
                 "add: expects shapes that broadcast");
}

struct Moving : nn::Module {
  Tensor forward(Tensor x) override {
    return for_loop(tensor(1), [&](int64_t, const Tensor &x) { return norm(x); }, x, 1);
  }
  nn::BatchNorm1d norm = register_module("norm", nn::BatchNorm1d(4));
};

TEST(Loops, MoveNoBuffers) {
  Moving net;
  Error error = errorOf([&] { net(input("x", {8, 4})); });
  EXPECT_NE(error.message().find("buffer 'running_mean' would move in runs of a loop"), std::string::npos)
      << error.what();
  net.eval();
  EXPECT_EQ(net(input("x", {8, 4})).shape(), (Shape{8, 4}));
}

} // namespace
