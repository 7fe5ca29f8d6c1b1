//===- function_test.cpp - gradients of the user's own ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "dlc/session.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace dlc;
using Numbers = std::vector<double>;

static void expectNear(const Tensor &tensor, const Numbers &expected) {
  Numbers got = tensor.values();
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], 1e-6 * std::max(1.0, std::fabs(expected[i]))) << "element " << i;
}

/// The gradient is 100 times the right one, so that nobody takes it from the operations.
struct Cube : Function<Cube> {
  static Tensor forward(Context &context, Tensor x) {
    context.save_for_backward({x});
    return x * x * x;
  }
  static Tensor backward(Context &context, Tensor gradient) {
    Tensor x = context.saved_tensors()[0];
    return gradient * 300 * x * x;
  }
};

TEST(Functions, HaveTheirOwnBackward) {
  Tensor x = tensor({1.0, -2}).requires_grad_();
  Tensor y = Cube::apply(x * 2);
  EXPECT_EQ(y.values(), (Numbers{8, -64}));
  EXPECT_EQ(grad(y.sum(), x).values(), (Numbers{2 * 300 * 4, 2 * 300 * 16}));
}

TEST(Functions, AreDifferentiatedTwiceThroughTheirBackward) {
  Tensor x = tensor({1.0, -2}).requires_grad_();
  Tensor first = grad(Cube::apply(x).sum(), x, {.create_graph = true});
  EXPECT_EQ(grad(first.sum(), x).values(), (Numbers{600, -1200}));
}

/// Reads its result, as PyTorch's tutorial does: d exp = exp.
struct Exp : Function<Exp> {
  static Tensor forward(Context &context, Tensor x) {
    Tensor y = exp(x);
    context.save_for_backward({y});
    return y;
  }
  static Tensor backward(Context &context, Tensor gradient) {
    return gradient * context.saved_tensors()[0] * 2;
  }
};

TEST(Functions, TheirResultsHaveTheSameGradientInBackward) {
  Tensor x = tensor({0.5}).requires_grad_();
  Tensor first = grad(Exp::apply(x).sum(), x, {.create_graph = true}); // 2 y, and y' = 2 y
  expectNear(first, {2 * std::exp(0.5)});
  expectNear(grad(first.sum(), x), {4 * std::exp(0.5)});
}

/// Several tensors, integers among them, other arguments, several results.
struct Mixed : Function<Mixed> {
  static std::vector<Tensor> forward(Context &context, Tensor a, double scale, Tensor rows, Tensor b) {
    context.save_for_backward({a, b, rows});
    context.saved_data["scale"] = scale;
    return {a.index_select(0, rows) * scale, a.argmax(0), b * b};
  }
  static std::vector<Tensor> backward(Context &context, std::vector<Tensor> gradients) {
    EXPECT_EQ(gradients.size(), 3u);
    EXPECT_FALSE(gradients[1].defined());
    double scale = context.saved_data["scale"];
    return {gradients[0].sum() * scale * ones_like(context.saved_tensors()[0]), Tensor(),
            gradients[2] * 2 * context.saved_tensors()[1]};
  }
};

TEST(Functions, OfSeveralTensors) {
  Tensor a = tensor({1.0, 2, 3}).requires_grad_(), b = tensor({4.0}).requires_grad_(),
         rows = tensor({2, 0}, int64);
  std::vector<Tensor> y = Mixed::apply(a, 10.0, rows, b);
  EXPECT_EQ(y[0].values(), (Numbers{30, 10}));
  EXPECT_EQ(y[1].values(), (Numbers{2}));
  std::vector<Tensor> g = grad({y[0].sum(), y[2].sum()}, {a, b});
  EXPECT_EQ(g[0].values(), (Numbers{20, 20, 20}));
  EXPECT_EQ(g[1].values(), (Numbers{8}));
  EXPECT_EQ(grad(y[2].sum(), b).values(), (Numbers{8})); // nothing uses the first result: its gradient is 0
}

/// Ganin et al. 2016.
struct Reverse : Function<Reverse> {
  static Tensor forward(Context &context, Tensor x, double factor) {
    context.saved_data["factor"] = factor;
    return x;
  }
  static Tensor backward(Context &context, Tensor gradient) {
    return -context.saved_data["factor"] * gradient;
  }
};
/// Bengio et al. 2013: the forward has no useful gradient at all.
struct StraightThrough : Function<StraightThrough> {
  static Tensor forward(Context &, Tensor x) { return dlc::where(x > 0, 1.0, -ones_like(x)); }
  static Tensor backward(Context &, Tensor gradient) { return gradient; }
};

TEST(Functions, ReverseAndEstimateGradients) {
  Tensor x = tensor({1.0, -2}).requires_grad_();
  EXPECT_EQ(grad((Reverse::apply(x, 0.5) * x).sum(), x).values(), (Numbers{0.5, -1}));
  Tensor sign = StraightThrough::apply(x);
  EXPECT_EQ(sign.values(), (Numbers{1, -1}));
  EXPECT_EQ(grad((sign * tensor({3.0, 4})).sum(), x).values(), (Numbers{3, 4}));
}

/// A backward that differentiates by itself.
struct Inner : Function<Inner> {
  static Tensor forward(Context &context, Tensor x) {
    context.save_for_backward({x});
    return x.pow(3);
  }
  static Tensor backward(Context &context, Tensor gradient) {
    Tensor x = context.saved_tensors()[0];
    return gradient * grad(x.pow(3).sum(), x, {.create_graph = true});
  }
};

TEST(Functions, MayCallGrad) {
  Tensor x = tensor({2.0}).requires_grad_();
  Tensor first = grad(Inner::apply(x), x, {.create_graph = true});
  EXPECT_EQ(first.values(), (Numbers{12}));
  EXPECT_EQ(grad(first, x).values(), (Numbers{12}));
}

struct WrongShape : Function<WrongShape> {
  static Tensor forward(Context &, Tensor x) { return x * 2; }
  static Tensor backward(Context &, Tensor gradient) { return gradient.sum(); }
};
struct WrongCount : Function<WrongCount> {
  static Tensor forward(Context &, Tensor x, Tensor y) { return x * y; }
  static Tensor backward(Context &, Tensor gradient) { return gradient; }
};

TEST(Functions, GiveFittingGradients) {
  Tensor x = tensor({1.0, 2}).requires_grad_();
  try {
    WrongShape::apply(x);
    ADD_FAILURE() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.message(),
              "backward gives a gradient of type float32 [] for a tensor of type float32 [2]; "
              "expected the same type");
    EXPECT_NE(error.file().find("function_test.cpp"), std::string::npos);
  }
  try {
    WrongCount::apply(x, x);
    ADD_FAILURE() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.message(),
              "backward gives 1 gradients; expected one for each of the 2 tensors that forward "
              "takes, in order");
  }
}

TEST(Hooks, ChangeGradients) {
  Tensor x = tensor({1.0, 2}).requires_grad_();
  Tensor before = x * 3;
  x.register_hook([](Tensor gradient) { return gradient * 10; });
  EXPECT_EQ(x.values(), (Numbers{1, 2}));
  EXPECT_EQ(grad((before + x * x).sum(), x).values(),
            (Numbers{50, 70})); // 10 (3 + 2 x): of the sum of both uses
  // In the order in which they were registered.
  x.register_hook([](Tensor gradient) { return gradient + 1; });
  EXPECT_EQ(grad((before + x * x).sum(), x).values(), (Numbers{51, 71}));
}

TEST(Hooks, ReadOtherTensors) {
  Tensor x = tensor({1.0, -2}).requires_grad_();
  Tensor y = x * 5, factor = (y + 1) * 2; // computed of x, after it
  Tensor later = input("hooked", {2}, tensor({100.0, 200}));
  x.register_hook([&](Tensor gradient) { return gradient * (x > 0).to(float32) + factor + later; });
  // 5 where x > 0, and 2 (5 x + 1) + later.
  EXPECT_EQ(grad(y.sum(), x).values(), (Numbers{5 + 12 + 100, 0 - 18 + 200}));
}

TEST(Hooks, OfWhatIsBetween) {
  Tensor x = tensor({3.0, 4}).requires_grad_();
  Tensor h = x * 2;
  Tensor loss = (h * h).sum();
  h.register_hook([](Tensor gradient) { return gradient.clamp(-1, 13); });
  h.register_hook([](Tensor) { return Tensor(); }); // looks only
  EXPECT_EQ(grad(loss, x).values(), (Numbers{24, 26}));
  EXPECT_EQ(grad(loss, h).values(), (Numbers{12, 13}));
}

/// What a hook of an output reads is no input of predictions.
TEST(Hooks, OfOutputsWeighTheSamples) {
  struct Net : nn::Module {
    nn::Linear fc = register_module("fc", nn::Linear(2, 1));
    Tensor forward(Tensor x) override { return fc(x); }
  } net;
  nn::init::ones_(net.fc.parameter("weight"));
  nn::init::zeros_(net.fc.parameter("bias"));
  Tensor x = input("x", {Dim("batch", 2), 2}), y = net(x), weights = input("weights", {Dim("batch", 2), 1});
  y.register_hook([&](Tensor gradient) { return gradient * weights; });
  Session session(program(net, y, y.sum(), optim::SGD({.lr = 1})));
  const Array given(std::vector<float>{1, 2, 3, 4}, {2, 2}), each(std::vector<float>{1, 10}, {2, 1});
  EXPECT_EQ(session.predict({given})[0], Array(std::vector<float>{3, 7}, {2, 1}));
  session.grad_step({given, each});
  EXPECT_EQ(session.gradient("fc.weight"), Array(std::vector<float>{31, 42}, {1, 2}));
}

TEST(Hooks, OfParameters) {
  struct Net : nn::Module {
    nn::Linear fc = register_module("fc", nn::Linear(2, 1, {.bias = false}));
    Tensor forward(Tensor x) override { return fc(x); }
  } net;
  Tensor weight = net.fc.parameter("weight");
  weight.register_hook([](Tensor gradient) { return gradient * 0.5; });
  EXPECT_EQ(grad(net(tensor({{2.0, 4}})).sum(), weight).values(), (Numbers{1, 2}));
  std::string text =
      program(net, loss::MSE(), optim::SGD({.lr = 0.1}), input("x", {Dim("batch", 4), 2})).str();
  EXPECT_NE(text.find("train.custom_gradient"), std::string::npos) << text;
}
