//===- buffer_test.cpp - buffers that a forward moves ------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of torch 2.13 on a CPU: the same modules, whose quantizer assigns its buffers under no_grad() while
// it is in training, after torch.manual_seed(7), with SGD(lr=0.3).
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "dlc/session.h"
#include "tests/cpp/Expect.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace dlc;
namespace F = dlc::nn::functional;

namespace {

/// Vectors become the nearest of a codebook, which follows them (van den Oord, Vinyals and Kavukcuoglu 2017,
/// appendix A.1).
struct Quantizer : nn::Module {
  Quantizer(int64_t codes, int64_t width) : codes(codes) {
    std::vector<float> numbers;
    for (int64_t i = 0; i < codes * width; ++i)
      numbers.push_back(float(i * 7 % 11) / 11 - 0.4f);
    Tensor book = from_blob(numbers.data(), {codes, width});
    register_buffer("codebook", book);
    register_buffer("sizes", ones({codes}));
    register_buffer("sums", book);
    register_buffer("steps", zeros({}, int64));
  }
  Tensor forward(Tensor x) override {
    Tensor book = parameter("codebook");
    Tensor distance = (x * x).sum({1}, true) - 2 * x.matmul(book.t()) + (book * book).sum({1});
    Tensor one = F::one_hot(distance.argmin(1), codes).to(x.dtype());
    Tensor nearest = one.matmul(book);
    Tensor sizes = 0.9 * parameter("sizes") + 0.1 * one.sum({0});
    Tensor sums = 0.9 * parameter("sums") + 0.1 * one.t().matmul(x);
    update_buffer("sizes", sizes);
    update_buffer("sums", sums);
    update_buffer("codebook", sums / sizes.unsqueeze(1));
    update_buffer("steps", parameter("steps") + 1);
    commitment = (x - nearest.detach()).square().mean();
    return x + (nearest - x).detach();
  }
  Tensor commitment;
  int64_t codes;
};

struct Net : nn::Module {
  nn::Linear encoder = register_module("encoder", nn::Linear(3, 2));
  Quantizer quantizer = register_module("quantizer", Quantizer(4, 2));
  nn::Linear decoder = register_module("decoder", nn::Linear(2, 3));
  Tensor forward(Tensor x) override { return decoder(quantizer(encoder(x))); }
};

Program describe(Net &net) {
  Tensor x = input("x", {Dim("batch", 8), 3}), y = net(x);
  return program(net, y, (y - x).square().mean() + 0.25 * net.quantizer.commitment, optim::SGD({.lr = 0.3}));
}

Array rows(int64_t count, int64_t first) {
  std::vector<float> x;
  for (int64_t i = 0; i < count * 3; ++i)
    x.push_back(float((first + i) * 7 % 13 / 6.5 - 1));
  return Array(x, {count, 3});
}

void expectNear(const Array &found, const std::vector<float> &expected, const std::string &what) {
  auto values = found.values<float>();
  ASSERT_EQ(values.size(), expected.size()) << what;
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(values[i], expected[i], 2e-6) << what << ", element " << i;
}

TEST(UpdatedBuffers, MoveWithTrainingStepsAsInPyTorch) {
  manual_seed(7);
  Net net;
  Session session(describe(net), {.threads = 1});
  const double losses[] = {0.481821269, 0.446584314, 0.466044575, 0.368299514, 0.373309255, 0.36230728};
  for (int64_t step = 0; step < 6; ++step) {
    Array x = rows(step % 2 ? 5 : 4, step * 5);
    if (step == 3) { // in two halves
      EXPECT_NEAR(session.grad_step({x}), losses[step], 1e-6);
      session.apply();
      continue;
    }
    EXPECT_NEAR(session.train_step({x}), losses[step], 1e-6) << step;
  }
  auto expectState = [&] {
    expectNear(session.parameter("quantizer.codebook"),
               {-0.372010708f, 0.102884367f, -0.114462465f, 0.412860513f, 0.145454556f, -0.218181834f,
                0.418181807f, 0.0545454584f},
               "the codebook");
    expectNear(session.parameter("quantizer.sizes"), {1.41706896f, 1.76665878f, 0.531440914f, 0.531440914f},
               "the sizes");
    EXPECT_EQ(session.parameter("quantizer.steps").values<int64_t>()[0], 6);
  };
  expectState();
  expectNear(session.parameter("decoder.bias"), {-0.228788257f, -0.0359039009f, 0.0351648293f}, "the bias");
  EXPECT_NEAR(session.evaluate({rows(4, 3)}).loss(), 0.321485996, 1e-6);
  expectNear(session.predict({rows(1, 3)})[0], {-0.012935996f, -0.064607978f, -0.127598912f}, "the outputs");
  expectState(); // which evaluation leaves alone
}

TEST(UpdatedBuffers, StayInEval) {
  manual_seed(7);
  Net net;
  net.quantizer.eval();
  Session session(describe(net), {.threads = 1});
  session.train_step({rows(4, 0)});
  EXPECT_EQ(session.parameter("quantizer.steps").values<int64_t>()[0], 0);
  expectNear(session.parameter("quantizer.sizes"), {1, 1, 1, 1}, "the sizes");
}

/// Counts calls, and keeps what it was called with last.
struct Last : nn::Module {
  Last() {
    register_parameter("scale", ones({2}));
    register_buffer("last", zeros({2}));
    register_buffer("calls", zeros({}, int64));
  }
  Tensor forward(Tensor x) override {
    update_buffer("last", x.mean({0}));
    update_buffer("calls", parameter("calls") + 1);
    return x * parameter("scale");
  }
};

TEST(UpdatedBuffers, AreThoseOfTheProgramsOwnInputs) {
  Last module;
  Tensor x = input("x", {4, 2}), other = input("other", {4, 2});
  Tensor y = module(x), z = module(other);
  Session session(program(module, z, z.square().mean(), optim::SGD({.lr = 0})));
  session.train_step({Array(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, {4, 2})});
  expectNear(session.parameter("last"), {4, 5}, "the mean");
  EXPECT_EQ(session.parameter("calls").values<int64_t>()[0], 1);
  EXPECT_MESSAGE(program(module, y, (y + z).square().mean(), optim::SGD({.lr = 0})),
                 "buffer 'last' is updated twice in one training step, at ");
}

TEST(UpdatedBuffers, DoNotMakeParametersTrained) {
  struct Shifted : nn::Module {
    nn::Linear used = register_module("used", nn::Linear(2, 1)),
               kept = register_module("kept", nn::Linear(2, 1));
    Shifted() { register_buffer("mean", zeros({1})); }
    Tensor forward(Tensor x) override {
      update_buffer("mean", kept(x).mean({0}));
      return used(x);
    }
  };
  manual_seed(1);
  Shifted net;
  Session session(
      program(net, loss::MSE(), optim::SGD({.lr = 0.1, .weight_decay = 0.5}), input("x", {4, 2})));
  Array before = session.parameter("kept.weight");
  Array x(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, {4, 2}), target(std::vector<float>{1, 2, 3, 4}, {4, 1});
  session.train_step({x, target});
  Array after = session.parameter("kept.weight");
  EXPECT_TRUE(std::ranges::equal(after.values<float>(), before.values<float>()));
  EXPECT_NE(session.parameter("mean").values<float>()[0], 0);
}

TEST(ByMode, TrainsWhatTrainingComputes) {
  struct Either : nn::Module {
    nn::Linear noisy = register_module("noisy", nn::Linear(2, 1)),
               calm = register_module("calm", nn::Linear(2, 1));
    Tensor forward(Tensor x) override { return by_mode(noisy(x) + 1, calm(x)); }
  };
  manual_seed(1);
  Either net;
  Session session(
      program(net, loss::MSE(), optim::SGD({.lr = 0.1, .weight_decay = 0.5}), input("x", {4, 2})));
  std::vector<Array> before{session.parameter("noisy.weight"), session.parameter("calm.weight")};
  Array x(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, {4, 2}), target(std::vector<float>{1, 2, 3, 4}, {4, 1});
  session.train_step({x, target});
  Array noisy = session.parameter("noisy.weight"), calm = session.parameter("calm.weight");
  EXPECT_FALSE(std::ranges::equal(noisy.values<float>(), before[0].values<float>()));
  EXPECT_TRUE(std::ranges::equal(calm.values<float>(), before[1].values<float>()));
  auto weight = calm.values<float>();
  const float bias = session.parameter("calm.bias").values<float>()[0];
  EXPECT_NEAR(session.predict({x})[0].values<float>()[0], weight[0] + 2 * weight[1] + bias, 1e-6);
  EXPECT_MESSAGE(by_mode(zeros({2}), zeros({3})), "by_mode: expected two tensors of one type, got ");
  EXPECT_MESSAGE(by_mode(zeros({2}), rand({2}) * 0 == 0), "by_mode: expected two tensors of one type, got ");
}

TEST(ByMode, HasAGradientInEachMode) {
  struct Slope : nn::Module {
    Slope() { register_parameter("w", full({}, 5)); }
    Tensor forward(Tensor x) override {
      Tensor w = parameter("w");
      return w * grad(by_mode(2 * w * x, 3 * w * x).sum(), w);
    }
  };
  Slope net;
  Tensor x = input("x", {2}), y = net(x);
  Session session(program(net, y, y, optim::SGD({.lr = 0.1})));
  Array numbers(std::vector<float>{1, 2}, {2});
  EXPECT_FLOAT_EQ(session.evaluate({numbers}).loss(), 5 * 3 * 3);
  EXPECT_FLOAT_EQ(session.train_step({numbers}), 5 * 2 * 3);
  EXPECT_FLOAT_EQ(session.parameter("w").values<float>()[0], 5 - 0.1f * 2 * 3);
}

TEST(UpdatedBuffers, BecomeWhatOtherBuffersWere) {
  struct Turning : nn::Module {
    Turning() {
      register_parameter("scale", ones({2}));
      register_buffer("a", tensor({1.0, 2}));
      register_buffer("b", tensor({3.0, 4}));
      register_buffer("c", tensor({5.0, 6}));
      register_buffer("seen", zeros({4, 2}));
      register_buffer("known", zeros({2}));
    }
    Tensor forward(Tensor x) override {
      update_buffer("a", parameter("b"));
      update_buffer("b", parameter("a"));
      update_buffer("c", parameter("scale"));
      update_buffer("seen", x);
      update_buffer("known", tensor({7.0, 8}));
      return x * parameter("scale") + parameter("a");
    }
  };
  Turning net;
  Tensor x = input("x", {4, 2}), y = net(x);
  Session session(program(net, y, y.sum(), optim::SGD({.lr = 1})));
  Array rows(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, {4, 2});
  EXPECT_FLOAT_EQ(session.train_step({rows}), 36 + 4 * 3);
  expectNear(session.parameter("a"), {3, 4}, "a");
  expectNear(session.parameter("b"), {1, 2}, "b");
  expectNear(session.parameter("c"), {1, 1}, "c"); // before the step
  expectNear(session.parameter("scale"), {-15, -19}, "the scale");
  expectNear(session.parameter("seen"), {1, 2, 3, 4, 5, 6, 7, 8}, "the input");
  expectNear(session.parameter("known"), {7, 8}, "a constant");
  EXPECT_FLOAT_EQ(session.train_step({rows}), -15 * 16 - 19 * 20 + 4 * 7);
  expectNear(session.parameter("a"), {1, 2}, "a");
  expectNear(session.parameter("c"), {-15, -19}, "c");
}

TEST(UpdatedBuffers, SayWhatDoesNotFit) {
  Last module;
  EXPECT_MESSAGE(module.update_buffer("scale", zeros({2})), "update_buffer: Last has no buffer 'scale'");
  EXPECT_MESSAGE(module.update_buffer("last", zeros({3})),
                 "update_buffer: buffer 'last' is float32 [2], got float32 [3]");
  EXPECT_MESSAGE(module.update_buffer("calls", zeros({})),
                 "update_buffer: buffer 'calls' is int64 [], got float32 []");
  EXPECT_MESSAGE(module.update_buffer("last", Tensor()),
                 "update_buffer: buffer 'last' is given a tensor without a value");
}

} // namespace
