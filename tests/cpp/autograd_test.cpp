//===- autograd_test.cpp - gradients as tensors ----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against closed forms, which stand beside the numbers, and against PyTorch where it chooses.
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace dlc;
using Numbers = std::vector<double>;

static void expectNear(const Tensor &tensor, const Numbers &expected, double tolerance = 1e-6) {
  Numbers got = tensor.values();
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], tolerance * std::max(1.0, std::fabs(expected[i]))) << "element " << i;
}

TEST(Grad, OfTheSumOfCubes) {
  Tensor x = tensor({1.0, -2, 3}).requires_grad_();
  Tensor g = grad((x * x * x).sum(), x); // 3 x^2
  EXPECT_EQ(g.values(), (Numbers{3, 12, 27}));
  EXPECT_FALSE(g.requires_grad());
}

TEST(Grad, OfSeveralInputs) { // (a b + c)^2
  Tensor a = tensor({2.0}).requires_grad_(), b = tensor({3.0}).requires_grad_(),
         c = tensor({-1.0}).requires_grad_();
  Tensor y = (a * b + c).pow(2);
  std::vector<Tensor> g = grad(y, {a, b, c}); // 2 (a b + c) times b, a, 1
  EXPECT_EQ(g[0].values(), (Numbers{30}));
  EXPECT_EQ(g[1].values(), (Numbers{20}));
  EXPECT_EQ(g[2].values(), (Numbers{10}));
}

TEST(Grad, OfSeveralOutputsIsTheirSumTimesSeeds) {
  Tensor x = tensor({{1.0, 2, 3}}).requires_grad_();
  Tensor y = x * x, z = y.sum(1);
  Tensor g =
      grad({y, z}, {x}, {.grad_outputs = {tensor({{1.0, 0, -1}}), tensor({10.0})}})[0]; // 2 x (seed + 10)
  EXPECT_EQ(g.values(), (Numbers{22, 40, 54}));
  // One output twice, and an output that is the input.
  EXPECT_EQ(grad({z, z}, {x})[0].values(), (Numbers{4, 8, 12}));
  EXPECT_EQ(grad(x, x, {.grad_outputs = {tensor({{5.0, 6, 7}})}}).values(), (Numbers{5, 6, 7}));
  EXPECT_EQ(grad({y, z}, {y}, {.grad_outputs = {ones({1, 3}), tensor({2.0})}})[0].values(),
            (Numbers{3, 3, 3}));
}

TEST(Grad, ByWhatIsBetween) {
  Tensor x = tensor({1.0, 2}).requires_grad_(), y = x * 3, z = (y * y).sum();
  std::vector<Tensor> g = grad(z, {y, x}); // 2 y; 6 y
  EXPECT_EQ(g[0].values(), (Numbers{6, 12}));
  EXPECT_EQ(g[1].values(), (Numbers{18, 36}));
}

TEST(Grad, OfHigherOrder) {
  Tensor x = tensor({2.0, -1}).requires_grad_();
  Tensor y = x.pow(4).sum();
  Tensor first = grad(y, x, {.create_graph = true});            // 4 x^3
  Tensor second = grad(first.sum(), x, {.create_graph = true}); // 12 x^2
  Tensor third = grad(second.sum(), x);                         // 24 x
  EXPECT_TRUE(first.requires_grad());
  EXPECT_EQ(first.values(), (Numbers{32, -4}));
  EXPECT_EQ(second.values(), (Numbers{48, 12}));
  EXPECT_EQ(third.values(), (Numbers{48, -24}));
}

// H v of a function with mixed derivatives: y = sin(a) b^2.
/// The gradient of a product is 0 where another factor is, and its own gradient is not.
TEST(Grad, OfProductsWithZeros) {
  auto hessianTimes = [](std::initializer_list<double> factors) {
    Tensor x = tensor(factors).requires_grad_(), first = grad(x.prod(), x, {.create_graph = true});
    return grad((first * tensor({1.0, 10, 100})).sum(), x);
  };
  expectNear(hessianTimes({1, 2, 3}), {230, 103, 12});
  expectNear(hessianTimes({0, 2, 3}), {230, 3, 2});
  expectNear(hessianTimes({0, 0, 3}), {30, 3, 0});
  expectNear(hessianTimes({0, 0, 0}), {0, 0, 0});
}

TEST(Grad, HessianTimesVector) {
  Tensor a = tensor({0.5}).requires_grad_(), b = tensor({3.0}).requires_grad_();
  std::vector<Tensor> first = grad((sin(a) * b * b).sum(), {a, b}, {.create_graph = true});
  std::vector<Tensor> product = grad(first, {a, b}, {.grad_outputs = {tensor({2.0}), tensor({-1.0})}});
  double s = std::sin(0.5), c = std::cos(0.5);
  expectNear(product[0], {2 * -s * 9 - c * 6});
  expectNear(product[1], {2 * c * 6 - s * 2});
}

TEST(Grad, ThroughNamedDims) {
  Tensor x =
      input("grads", {Dim("rows_of_grads", 8), 2}, tensor({{1.0, 2}, {3, 4}, {5, 6}})).requires_grad_();
  EXPECT_EQ(grad(x.mean(), x).values(), Numbers(6, float(1.0 / 6)));
  Tensor g = grad((x * x).sum(), x);
  EXPECT_EQ(g.shape()[0].str(), "rows_of_grads");
  EXPECT_EQ(g.values(), (Numbers{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(grad(x.select(1, 0).sum() + floor(x).sum() * 0, x).values(), (Numbers{1, 0, 1, 0, 1, 0}));
}

TEST(Grad, OfOddShapes) {
  Tensor s = full({}, 3).requires_grad_();
  EXPECT_EQ(grad(s * s, s).item(), 6);
  Tensor none = zeros({0, 3}).requires_grad_();
  EXPECT_EQ(grad((none * 2).sum(), none).shape(), (Shape{0, 3}));
  Tensor row = ones({1, 3}).requires_grad_(), column = ones({2, 1}).requires_grad_();
  std::vector<Tensor> g = grad((row * column).sum(), {row, column});
  EXPECT_EQ(g[0].values(), (Numbers{2, 2, 2}));
  EXPECT_EQ(g[1].values(), (Numbers{3, 3}));
}

TEST(Grad, ByParameters) {
  nn::Linear layer(2, 1);
  Tensor x = tensor({{1.0, 2}, {3, 4}});
  std::vector<Tensor> g = grad(layer(x).sum(), layer.parameters());
  EXPECT_EQ(g[0].values(), (Numbers{4, 6}));
  EXPECT_EQ(g[1].values(), (Numbers{2}));
  layer.parameter("bias").requires_grad_(false);
  EXPECT_EQ(layer.parameter_count(), 2);
  layer.freeze("weight");
  EXPECT_EQ(layer.parameter_count(), 0);
}

TEST(Detach, StopsGradients) {
  Tensor x = tensor({2.0, 3}).requires_grad_();
  EXPECT_EQ(grad((x * x.detach()).sum(), x).values(), (Numbers{2, 3}));
  EXPECT_FALSE(x.detach().requires_grad());
  EXPECT_EQ(x.detach().values(), (Numbers{2, 3}));
}

TEST(Detach, NoGradDetachesWhatIsComputed) {
  Tensor x = tensor({2.0, 3}).requires_grad_();
  Tensor y;
  {
    NoGrad off;
    {
      NoGrad nested;
    }
    y = x * x;
  }
  EXPECT_FALSE(y.requires_grad());
  EXPECT_EQ(grad((y * x).sum(), x).values(), (Numbers{4, 9}));
  EXPECT_TRUE((x * x).requires_grad());
}

TEST(Detach, AUnusedInputHasNoGradient) {
  Tensor x = tensor({2.0}).requires_grad_(), other = tensor({3.0}).requires_grad_();
  std::vector<Tensor> g = grad(x * x, {x, other}, {.allow_unused = true});
  EXPECT_EQ(g[0].values(), (Numbers{4}));
  EXPECT_FALSE(g[1].defined());
}

/// The gradient of a dropout drops the same elements: both draw from one stream.
TEST(Grad, ThroughDropout) {
  struct Net : nn::Module {
    nn::Linear fc = register_module("fc", nn::Linear(3, 3));
    nn::Dropout first = register_module("first", nn::Dropout(0.5)),
                second = register_module("second", nn::Dropout(0.5));
    Tensor forward(Tensor x) override {
      x.requires_grad_();
      return grad(second(fc(first(x))).pow(2).sum(), x, {.create_graph = true});
    }
  } net;
  Tensor x = input("x", {Dim("batch", 4), 3});
  std::string text = program(net, loss::MSE(), optim::SGD({.lr = 0.1}), x).str();
  auto count = [&](const std::string &part) {
    int found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("stream 0"), 2) << text;
  EXPECT_EQ(count("stream 1"), 2) << text;
  EXPECT_EQ(count("nn.dropout"), 4) << text;
}

/// What follows the detached tensor is trained, what comes before it is not: the program says so.
TEST(Detach, InAProgram) {
  struct Net : nn::Module {
    nn::Linear body = register_module("body", nn::Linear(3, 3)),
               head = register_module("head", nn::Linear(3, 1));
    Tensor forward(Tensor x) override { return head(body(x).detach()); }
  } net;
  Tensor x = input("x", {Dim("batch", 4), 3});
  std::string text = program(net, loss::MSE(), optim::SGD({.lr = 0.1}), x).str();
  EXPECT_NE(text.find("train.stop_gradient"), std::string::npos);
  EXPECT_NE(text.find("@body.weight frozen"), std::string::npos) << text;
  EXPECT_EQ(text.find("@head.weight frozen"), std::string::npos) << text;
}
