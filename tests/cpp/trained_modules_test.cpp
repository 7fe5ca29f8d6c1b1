//===- trained_modules_test.cpp - modules show what sessions have trained ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/cpp/Expect.h"
#include "tests/cpp/SessionModels.h"
#include <optional>
#include <sstream>
#include <thread>

using namespace dlc;

namespace {

struct Normed : nn::Module {
  nn::Linear fc = register_module("fc", nn::Linear(3, 4));
  nn::BatchNorm1d norm = register_module("norm", nn::BatchNorm1d(4));
  nn::Linear head = register_module("head", nn::Linear(4, 2));
  Tensor forward(Tensor x) override { return head(relu(norm(fc(x)))); }
};

Program programOf(Normed &net) {
  return program(net, loss::CrossEntropy(), optim::SGD({.lr = 0.1}), input("x", {Dim("batch", 4), 3}));
}

void train(Session &session, int steps = 3) {
  const std::vector<float> x = {1, 2, 3, -1, 0.5f, 2, 0, 1, 0, 2, -2, 1};
  for (int step = 0; step < steps; ++step)
    session.train_step(View(x, {4, 3}), View(std::vector<int64_t>{0, 1, 1, 0}, {4}));
}

std::vector<double> numbers(const Array &array) {
  std::vector<double> result;
  for (float value : array.values<float>())
    result.push_back(value);
  return result;
}
std::string textOf(const Tensor &tensor) { return (std::ostringstream() << tensor).str(); }

struct Trained : testing::Test {
  Trained() { manual_seed(7); }
  Normed net;
};

TEST_F(Trained, ParametersAndBuffersFollowTheSession) {
  const auto before = net.fc.weight.values();
  const std::string printed = textOf(net.fc.weight);
  const Tensor sum = net.fc.weight.sum(); // asked for its value later
  Session session(programOf(net));
  EXPECT_EQ(net.fc.weight.values(), before) << "nothing was trained yet";
  train(session);
  const auto expected = numbers(session.parameter("fc.weight"));
  EXPECT_NE(before, expected);
  EXPECT_EQ(net.fc.weight.values(), expected);
  EXPECT_NE(textOf(net.fc.weight), printed);
  EXPECT_EQ(net.get_buffer("norm.running_mean").values(), numbers(session.parameter("norm.running_mean")));
  EXPECT_NE(net.get_buffer("norm.running_mean").values(), std::vector<double>(4, 0));
  EXPECT_EQ(net.state_dict(), session.state_dict());
  double total = 0;
  for (double value : expected)
    total += value;
  EXPECT_NEAR(sum.item(), total, 1e-6);
  train(session);
  EXPECT_EQ(net.fc.weight.values(), numbers(session.parameter("fc.weight")));
}

TEST_F(Trained, WhatASessionComputesAnExampleHas) {
  Session session(programOf(net));
  train(session);
  net.eval();
  const std::vector<float> x = {1, 2, 3};
  const auto found = net(from_data(std::vector<double>{1, 2, 3}, {1, 3})).values();
  const Array expected = session.predict({View(x, {1, 3})})[0];
  ASSERT_EQ(found.size(), 2u);
  for (size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(found[i], expected.values<float>()[i], 1e-5);
}

TEST_F(Trained, ValuesOutliveTheSession) {
  std::optional<Session> session(programOf(net));
  const auto before = net.head.weight.values();
  train(*session);
  const StateDict expected = session->state_dict();
  session.reset();
  EXPECT_NE(net.head.weight.values(), before);
  EXPECT_EQ(net.state_dict(), expected);
  EXPECT_EQ(net.state_dict(), expected) << "asked again";
}

TEST_F(Trained, ASessionMayEndInAnotherThread) {
  const Program program = programOf(net);
  StateDict expected;
  std::thread([&] {
    Session session(program);
    train(session);
    expected = session.state_dict();
  }).join();
  EXPECT_EQ(net.state_dict(), expected);
}

TEST_F(Trained, TheLatestChangeCounts) {
  const Program program = programOf(net);
  Session one(program);
  std::optional<Session> other(program);
  train(one, 1);
  train(*other, 2);
  EXPECT_EQ(net.state_dict(), other->state_dict());
  train(*other, 1);
  train(one, 2); // both since they were asked
  EXPECT_EQ(net.state_dict(), one.state_dict());
  other.reset(); // it was not the last to change them
  EXPECT_EQ(net.state_dict(), one.state_dict());
  EXPECT_EQ(Session(program).parameter("fc.weight"), Session(program).parameter("fc.weight"));
  EXPECT_EQ(net.state_dict(), one.state_dict()) << "sessions that nothing changed";
}

TEST_F(Trained, AnotherProgramGoesOn) {
  Session first(programOf(net));
  train(first);
  net.fc.freeze();
  Session second(programOf(net));
  EXPECT_EQ(second.state_dict(), first.state_dict());
  train(second);
  EXPECT_EQ(second.parameter("fc.weight"), first.parameter("fc.weight"));
  EXPECT_NE(second.parameter("head.weight"), first.parameter("head.weight"));
  EXPECT_EQ(net.state_dict(), second.state_dict());
}

TEST_F(Trained, WhatTheModuleLoadsIsItsOwn) {
  const StateDict initial = net.state_dict();
  Session session(programOf(net));
  train(session);
  net.load_state_dict(initial);
  EXPECT_EQ(net.state_dict(), initial);
  EXPECT_NE(session.state_dict(), initial) << "the session goes on with its own";
  train(session);
  EXPECT_EQ(net.state_dict(), session.state_dict());
  session.load_state_dict(initial);
  EXPECT_EQ(net.state_dict(), initial);
}

TEST_F(Trained, AllThatChangesASession) {
  Tensor x = input("x", {Dim("batch", 4), 3});
  Session session(program(net, loss::CrossEntropy(), optim::SGD({.lr = 0.1}).ema(0.5), x));
  const std::vector<float> rows(12, 0.5f);
  session.grad_step({View(rows, {4, 3}), View(std::vector<int64_t>{0, 1, 1, 0}, {4})});
  session.apply();
  EXPECT_EQ(net.state_dict(), session.state_dict());
  train(session);
  const auto trained = net.fc.weight.values();
  session.use_average();
  EXPECT_NE(net.fc.weight.values(), trained);
  EXPECT_EQ(net.state_dict(), session.state_dict());
  session.use_average(false);
  EXPECT_EQ(net.fc.weight.values(), trained);
  Array zeros = session.parameter("fc.bias");
  for (float &value : zeros.values<float>())
    value = 0;
  session.set_parameter("fc.bias", zeros);
  EXPECT_EQ(net.fc.bias.values(), std::vector<double>(4, 0));
  const std::string file = testing::TempDir() + "trained_modules.safetensors";
  session.save(file);
  train(session);
  session.load(file);
  EXPECT_EQ(net.fc.bias.values(), std::vector<double>(4, 0));
  EXPECT_EQ(net.state_dict(), session.state_dict());
}

TEST_F(Trained, ReloadingHandsValuesOn) {
  Session session(programOf(net));
  train(session);
  const StateDict before = session.state_dict();
  manual_seed(8);
  Normed other;
  session.reload(programOf(other));
  EXPECT_EQ(other.state_dict(), before);
  train(session);
  EXPECT_EQ(other.state_dict(), session.state_dict());
  EXPECT_EQ(net.state_dict(), before) << "what it was when it was left";
}

} // namespace
