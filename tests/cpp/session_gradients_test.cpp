//===- session_gradients_test.cpp - what a step does with gradients, and steps in parts ---===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/cpp/Expect.h"
#include "tests/cpp/SessionModels.h"
#include <algorithm>
#include <cmath>
#include <functional>

using namespace dlc;
using namespace models;

namespace {

/// How far the first step of SGD with the rate 1 moves the parameters: as far as the gradients are long.
double lengthOfStep(const Optimizer &optimizer, double max_grad_norm = 0) {
  Session session(classifier(8, 8, optimizer), {.max_grad_norm = max_grad_norm});
  StateDict before = session.state_dict();
  auto [x, labels] = rows(8);
  session.train_step({x, labels});
  double squares = 0;
  for (const auto &[name, tensor] : before) {
    const Array after = session.parameter(name);
    for (size_t i = 0; i < tensor.size(); ++i)
      squares += std::pow(tensor.values<float>()[i] - after.values<float>()[i], 2);
  }
  return std::sqrt(squares);
}

TEST(Session, ClipsGradients) {
  const optim::SGD sgd({.lr = 1});
  EXPECT_GT(lengthOfStep(sgd), 0.3);
  EXPECT_NEAR(lengthOfStep(optim::SGD(sgd).clip_grad_norm(0.01)), 0.01, 1e-5);
  EXPECT_NEAR(lengthOfStep(sgd, 0.02), 0.02, 1e-5);
  EXPECT_NEAR(lengthOfStep(optim::SGD(sgd).clip_grad_norm(0.01), 0.02), 0.02, 1e-5);
  const double byValue = lengthOfStep(optim::SGD(sgd).clip_grad_value(0.001));
  EXPECT_LT(byValue, 0.009); // of 67 numbers
  EXPECT_NEAR(lengthOfStep(optim::SGD(sgd).clip_grad_value(0.001), 0.02), 0.02, 1e-5);
  EXPECT_MESSAGE(Session(classifier(), {.max_grad_norm = -1}),
                 "max_grad_norm: expected a number of at least 0");
}

TEST(Session, TellsTheNormOfGradientsWithoutClipping) {
  auto [x, labels] = rows(8);
  const optim::SGD sgd({.lr = 1});
  const double expected = lengthOfStep(sgd);
  Session session(classifier(8, 8, sgd));
  session.grad_step({x, labels});
  EXPECT_NEAR(session.grad_norm(), expected, 1e-5); // computed now
  // The weight of the labels, which is kept beside the gradients, is none of them.
  Session joining(classifier(8, 8, optim::SGD(sgd).accumulate("mean")));
  joining.grad_step({x, labels});
  EXPECT_NEAR(joining.grad_norm(), expected, 1e-5);
  session.apply();
  session.train_step({x, labels});
  EXPECT_MESSAGE(session.grad_norm(), "call grad_step before, as train_step keeps none");

  Session measuring(classifier(8, 8, sgd), {.grad_norm = true});
  EXPECT_MESSAGE(measuring.grad_norm(), "no train_step or apply has computed a norm yet");
  measuring.train_step({x, labels});
  EXPECT_NEAR(measuring.grad_norm(), expected, 1e-5);
  EXPECT_EQ(std::ranges::count(measuring.hyperparameters(), "max_grad_norm"), 0);
  // Before each number of it is clipped, and with the same parameters afterwards as without.
  Session byValue(classifier(8, 8, optim::SGD(sgd).clip_grad_value(0.001)), {.grad_norm = true});
  byValue.train_step({x, labels});
  EXPECT_NEAR(byValue.grad_norm(), expected, 1e-5);
  Session plain(classifier(8, 8, sgd));
  plain.train_step({x, labels});
  for (const auto &[name, tensor] : plain.state_dict())
    EXPECT_EQ(measuring.parameter(name), tensor) << name;
}

TEST(Session, HalvesOfAStep) {
  Session whole(classifier()), halves(classifier());
  auto [x, labels] = rows(8);
  EXPECT_EQ(whole.train_step({x, labels}), halves.grad_step({x, labels}));
  EXPECT_EQ(halves.gradient("fc1.weight").shape(), (std::vector<int64_t>{8, 4}));
  halves.apply();
  EXPECT_EQ(whole.state_dict(), halves.state_dict());
  halves.grad_step({x, labels});
  Array once = halves.gradient("fc2.bias");
  halves.accumulate({x, labels});
  for (size_t i = 0; i < once.size(); ++i)
    EXPECT_EQ(halves.gradient("fc2.bias").values<float>()[i], 2 * once.values<float>()[i]);
}

/// Rows [from, to) of an array.
template <typename T> View part(const Array &array, int64_t from, int64_t to) {
  std::vector<int64_t> shape = array.shape();
  int64_t row = int64_t(array.size()) / shape[0];
  shape[0] = to - from;
  return View(array.values<T>().subspan(from * row, shape[0] * row), shape);
}

/// Several batches whose gradients are averaged are one batch: with labels that are ignored, of other sizes,
/// and with losses of the model's own.
TEST(Session, JoinsBatches) {
  namespace F = nn::functional;
  using LossOf = std::function<Tensor(const Tensor &, const Tensor &)>;
  const std::pair<double, LossOf> losses[] = {
      {13, [](const Tensor &x, const Tensor &y) { return F::cross_entropy(x, y); }},
      {13, [](const Tensor &x,
              const Tensor &y) { return 0.5 * F::cross_entropy(x, y) + F::cross_entropy(2 * x, y); }},
      {16, [](const Tensor &x, const Tensor &) { return (x * x).mean(); }},
      {16, [](const Tensor &x, const Tensor &) { return (x * x).sum(-1).mean(); }},
      {0, [](const Tensor &x, const Tensor &) { return (x * x).sum(); }},
      {16, [](const Tensor &x, const Tensor &) {
         return F::kl_div(log_softmax(x, -1), full({x.size(0), 3}, 1 / 3.0), {.reduction = "batchmean"});
       }}};
  auto [x, labels] = rows(16);
  for (int i : {0, 3, 11})
    labels.values<int64_t>()[i] = -100;
  for (const auto &[weight, lossOf] : losses) {
    auto described = [lossOf = lossOf] {
      manual_seed(1);
      Net net;
      Tensor scores = net(input("x", {Dim("batch", 16), 4}));
      return program(net, scores, lossOf(scores, input("labels", {Dim("batch", 16)}, int64)),
                     optim::SGD({.lr = 0.01}).accumulate("mean"));
    };
    auto batch = [&, x = x, labels = labels, hasLabels = weight == 13](int64_t from, int64_t to) {
      std::vector<View> views = {part<float>(x, from, to)};
      if (hasLabels)
        views.push_back(part<int64_t>(labels, from, to));
      return views;
    };
    Session whole(described()), apart(described());
    for (int step = 0; step < 5; ++step) {
      whole.train_step(batch(0, 16));
      apart.grad_step(batch(0, 4));
      apart.accumulate(batch(4, 5));
      apart.accumulate(batch(5, 16));
      if (weight == 0)
        EXPECT_MESSAGE(apart.gradient_weight(), "no gradient of 'gradient_weight'");
      else
        EXPECT_EQ(std::fmod(apart.gradient_weight(), weight), 0); // of elements, there are more than rows
      apart.apply();
    }
    StateDict a = apart.state_dict(), b = whole.state_dict();
    for (size_t i = 0; i < a.size(); ++i)
      for (size_t k = 0; k < a[i].second.size(); ++k)
        EXPECT_NEAR(a[i].second.values<float>()[k], b[i].second.values<float>()[k], 1e-6) << a[i].first;
  }
  Net net;
  Tensor scores = net(input("x", {Dim("batch", 16), 4})), mean = (scores * scores).mean();
  Optimizer sgd = optim::SGD({.lr = 0.1}).accumulate("mean");
  EXPECT_MESSAGE(Session(program(net, scores, sqrt(mean), sgd)),
                 "'sqrt' computes with a number of the whole batch");
}

/// The gradients of half a step with their weight, moved to another session, are gone on from as if they were
/// its own.
TEST(Session, GoesOnFromGradientsOfAnother) {
  const Program averaging = classifier(8, 8, optim::SGD({.lr = 0.1}).accumulate("mean"));
  Session one(averaging), other(averaging), forgetful(averaging);
  auto [x, labels] = rows(8);
  auto batch = [&, x = x, labels = labels](int64_t from, int64_t to) {
    return std::vector<View>{part<float>(x, from, to), part<int64_t>(labels, from, to)};
  };
  one.grad_step(batch(0, 5));
  EXPECT_EQ(one.gradient_weight(), 5);
  for (Session *session : {&other, &forgetful})
    for (const auto &[name, value] : one.state_dict())
      session->set_gradient(name, one.gradient(name));
  other.set_gradient_weight(one.gradient_weight());
  for (Session *session : {&one, &other, &forgetful}) {
    session->accumulate(batch(5, 8));
    session->apply();
  }
  EXPECT_EQ(one.gradient_weight(), 8);
  EXPECT_EQ(other.gradient_weight(), 8);
  EXPECT_EQ(other.state_dict(), one.state_dict());
  EXPECT_EQ(forgetful.gradient_weight(), 3); // those that were set count for nothing
  EXPECT_NE(forgetful.state_dict(), one.state_dict());

  for (double wrong : {-1.0, std::nan(""), double(INFINITY)})
    EXPECT_MESSAGE(other.set_gradient_weight(wrong),
                   "the weight of gradients: expected a number of at least 0");
  EXPECT_EQ(other.gradient_weight(), 8);
  Session adding(classifier());
  adding.grad_step({x, labels});
  EXPECT_MESSAGE(adding.set_gradient_weight(1), "no gradient of 'gradient_weight'");
}

} // namespace
