//===- tutorial_gradients_test.cpp - gradients of introductions to PyTorch ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exercises that are done by hand there: what is expected is the formula's value.
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "tests/cpp/Expect.h"
#include <array>
#include <sstream>

using namespace dlc;

/// The text of x.grad() after backward() of what `function` makes of x.
template <typename Function> static std::string gradientOf(Tensor x, const Function &function) {
  x.requires_grad_().zero_grad(); // handles of one tensor share its gradient
  function(x).backward();
  std::ostringstream text;
  text << x.grad();
  return text.str();
}

TEST(Tutorials, GradientsOfPolynomials) {
  const Tensor two = tensor(2.0), three = tensor(3.0), pair = tensor({2.0, 3.0});
  EXPECT_EQ(gradientOf(pair, [](Tensor x) { return x.pow(2).sum(); }), "tensor([4., 6.])");
  EXPECT_EQ(gradientOf(tensor({1.0, 2.0, 3.0}), [](Tensor x) { return (2 * x).pow(2).mean(); }),
            "tensor([2.6667, 5.3333, 8.0000])");
  EXPECT_EQ(gradientOf(two, [](Tensor x) { return x.pow(2) + 3 * x; }), "tensor(7.)");       // 2x + 3
  EXPECT_EQ(gradientOf(three, [](Tensor x) { return x.pow(2) + 2 * x + 1; }), "tensor(8.)"); // 2x + 2
  EXPECT_EQ(gradientOf(pair, [](Tensor x) { return x[0].pow(2) + 3 * x[1]; }), "tensor([4., 3.])");
  EXPECT_EQ(gradientOf(tensor({1.0, 2.0, 3.0, 4.0}), [](Tensor x) { return x.pow(3).sum(); }),
            "tensor([ 3., 12., 27., 48.])"); // 3x^2
}

TEST(Tutorials, GradientsOfSeveralVariables) {
  auto variables = [] {
    return std::array{tensor(2.0).requires_grad_(), tensor(3.0).requires_grad_(),
                      tensor(1.0).requires_grad_()};
  };
  auto printed = [](const Tensor &a, const Tensor &b) {
    std::ostringstream text;
    text << a.grad() << b.grad();
    return text.str();
  };
  auto [a, b, c] = variables(); // (ab + c)^2 at 2, 3, 1
  (a * b + c).pow(2).backward();
  EXPECT_EQ(printed(a, b), "tensor(42.)tensor(28.)");
  EXPECT_EQ(printed(c, c), "tensor(14.)tensor(14.)");
  auto [d, e, unused] = variables(); // one variable in two places
  (d * e + d).pow(2).backward();
  EXPECT_EQ(printed(d, e), "tensor(64.)tensor(32.)");
  EXPECT_FALSE(unused.grad().defined());
  Tensor w = tensor({1.0, -2.0}).requires_grad_(), x = tensor({0.5, 4.0});
  (w * x).sum().backward();
  EXPECT_EQ(printed(w, w).substr(0, 24), "tensor([0.5000, 4.0000])");
}

TEST(Tutorials, GradientsOfReductions) {
  const Tensor values = tensor({1.0, 3.0, 3.0, 2.0});
  EXPECT_EQ(gradientOf(values, [](Tensor x) { return x.sum(); }), "tensor([1., 1., 1., 1.])");
  EXPECT_EQ(gradientOf(values, [](Tensor x) { return x.mean(); }),
            "tensor([0.2500, 0.2500, 0.2500, 0.2500])");
  // The largest elements share it.
  EXPECT_EQ(gradientOf(values, [](Tensor x) { return x.amax(); }),
            "tensor([0.0000, 0.5000, 0.5000, 0.0000])");
}

TEST(Tutorials, PowersThatTheProgramChooses) {
  for (auto [power, expected] : {std::pair(2, "tensor(12.)"), {3, "tensor(32.)"}, {4, "tensor(80.)"}})
    EXPECT_EQ(gradientOf(tensor(2.0),
                         [power = power](Tensor x) {
                           Tensor y = x;
                           for (int i = 0; i < power; ++i)
                             y = y * x;
                           return y;
                         }),
              expected);
}
