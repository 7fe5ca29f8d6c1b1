//===- average_test.cpp - averages of parameters and of gradients in sessions
//-----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "dlc/session.h"
#include "tests/cpp/Expect.h"

using namespace dlc;

namespace {

using Numbers = std::vector<float>;

Program describe(nn::Linear &net, const Optimizer &optimizer) {
  return program(net, loss::MSE(), optimizer, input("x", {Dim("batch", 4), 2}));
}

void expectNear(const Array &found, const Numbers &expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(found.values<float>()[i], expected[i], 1e-6);
}

/// torch 2.13 on a CPU: after torch.manual_seed(3), Linear(2, 1), SGD(lr=0.1), and of swa_utils AveragedModel
/// with get_ema_multi_avg_fn(0.9), after three steps of one batch.
TEST(Session, AveragesOfParameters) {
  manual_seed(3);
  nn::Linear net(2, 1);
  Session session(describe(net, optim::SGD({.lr = 0.1}).ema(0.9)));
  const Array x(Numbers{1, 2, 3, -1, 0.5, 0}, {3, 2}), y(Numbers{1, -1, 2}, {3, 1});
  EXPECT_MESSAGE(session.use_average(), "no step has been made that could be averaged");
  for (double loss : {5.830597400665283, 2.1818454265594482, 1.4105082750320435})
    EXPECT_NEAR(session.train_step({x, y}), loss, 1e-6);
  expectNear(session.parameter("weight"), {-0.224211365f, 0.193625376f});
  EXPECT_NEAR(session.evaluate({x, y}).loss(), 1.0828355550765991, 1e-6);

  session.use_average();
  expectNear(session.parameter("weight"), {-0.230402052f, -0.137504429f});
  EXPECT_NEAR(session.evaluate({x, y}).loss(), 1.9525938034057617, 1e-6);
  expectNear(session.predict({x})[0], {-0.318515778f, -0.366806626f, 0.0716941208f});
  const char *first = "the averages are in the places of the parameters; call use_average";
  EXPECT_MESSAGE(session.train_step({x, y}), first);
  EXPECT_MESSAGE(session.load_state_dict(session.state_dict()), first);
  EXPECT_MESSAGE(session.set_parameter("bias", session.parameter("bias")), first);
  EXPECT_MESSAGE(session.reload(describe(net, optim::SGD({}))), first);
  net.load_state_dict(session.state_dict());
  EXPECT_NEAR(net.parameter("bias").item(), 0.186895147, 1e-6);

  session.use_average(false);
  expectNear(session.parameter("weight"), {-0.224211365f, 0.193625376f});
  session.train_step({x, y});
  Session without(describe(net, optim::SGD({})));
  EXPECT_MESSAGE(without.use_average(), "was compiled without averages");
}

/// Of two batches in two sessions, as of both in one.
TEST(Session, AveragesOfGradients) {
  auto make = [] {
    manual_seed(3);
    nn::Linear net(2, 1);
    return Session(describe(net, optim::SGD({.lr = 0.1})));
  };
  Session whole = make(), one = make(), other = make();
  const Numbers x{1, 2, 3, -1, 0.5, 0, 2, 2}, y{1, -1, 2, 0};
  whole.train_step({View(x, {4, 2}), View(y, {4, 1})});
  one.grad_step({View(std::span(x).first(4), {2, 2}), View(std::span(y).first(2), {2, 1})});
  other.grad_step({View(std::span(x).last(4), {2, 2}), View(std::span(y).last(2), {2, 1})});
  for (const char *name : {"weight", "bias"}) {
    Array mean = one.gradient(name);
    const Array more = other.gradient(name);
    for (size_t i = 0; i < mean.size(); ++i)
      mean.values<float>()[i] = (mean.values<float>()[i] + more.values<float>()[i]) / 2;
    one.set_gradient(name, mean);
    EXPECT_EQ(one.gradient(name), mean);
  }
  one.apply();
  for (const auto &[name, tensor] : whole.state_dict())
    expectNear(one.parameter(name), {tensor.values<float>().begin(), tensor.values<float>().end()});
  EXPECT_MESSAGE(one.set_gradient("bias", View(x, {8})), "'bias' is float32 [1]; got float32 [8]");
  EXPECT_MESSAGE(one.set_gradient("scale", View(x, {8})),
                 "the model has no parameter 'scale'; it has weight, bias");
}

} // namespace
