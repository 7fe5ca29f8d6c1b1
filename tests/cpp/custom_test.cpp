//===- custom_test.cpp - operations of the user's own, in C -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The example's operation in models that are described and trained in this process, beside the same ones of
// dlc's own operations.
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "dlc/session.h"
#include "tests/cpp/Expect.h"
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>

using namespace dlc;

static const std::string file = CUSTOM_OPS;

struct Swish : nn::Module {
  Tensor bias = register_parameter("bias", full({4}, 0.25)),
         beta = register_parameter("beta", full({4}, 1.5));
  bool isCustom;
  explicit Swish(bool isCustom) : isCustom(isCustom) {}
  Tensor forward(Tensor x) override {
    if (isCustom)
      return custom(file, "BiasSwish", {x, bias, beta})[0];
    Tensor z = x + bias;
    return z * sigmoid(beta * z);
  }
};

static std::vector<float> losses(bool isCustom) {
  manual_seed(1);
  nn::Sequential net(nn::Linear(3, 4), Swish(isCustom), nn::Linear(4, 2));
  Session session(program(net, loss::MSE(), optim::SGD({.lr = 0.1}), input("x", {Dim("batch", 5), 3})));
  std::vector<float> x(15), y(10), found;
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = std::sin(float(i));
  for (size_t i = 0; i < y.size(); ++i)
    y[i] = std::cos(float(3 * i));
  for (int step = 0; step < 10; ++step)
    found.push_back(session.train_step({Array(x, {5, 3}), Array(y, {5, 2})}));
  return found;
}

TEST(CustomOps, TrainAsTheSameOfDlcsOwn) {
  std::vector<float> found = losses(true), expected = losses(false);
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-5f * expected[i]) << "step " << i;
  EXPECT_LT(found.back(), 0.9f * found.front());
}

TEST(CustomOps, HaveTypesButNoElements) {
  Tensor x = tensor({{1.0, 2, 3, 4}}), scale = ones({4}).requires_grad_();
  Tensor y = custom(file, "BiasSwish", {x, ones({4}), scale})[0];
  EXPECT_EQ(str(y.shape()), "[1, 4]");
  EXPECT_TRUE(y.requires_grad());
  EXPECT_MESSAGE(y.values(),
                 "the value depends on the custom operation 'my.ops.BiasSwish', which only a compiled "
                 "program computes");
  EXPECT_EQ(str(grad(y.sum(), scale).shape()), "[4]");
}

TEST(CustomOps, SayWhatIsWrong) {
  Tensor x = ones({2, 4}), four = ones({4});
  EXPECT_MESSAGE(custom(file, "Nothing", {x}), "there is no operation 'Nothing'");
  EXPECT_MESSAGE(custom("none.json", "BiasSwish", {x}),
                 "custom operations in 'none.json': cannot read the file");
  EXPECT_MESSAGE(custom(file, "BiasSwish", {x, four}), "'my.ops.BiasSwish' has 3 inputs, got 2");
  EXPECT_MESSAGE(custom(file, "BiasSwish", {x, four, ones({5})}),
                 "input 'beta' of 'my.ops.BiasSwish' has 'channels' = 5, but it is 4 in another input");
  EXPECT_MESSAGE(custom(file, "BiasSwish", {x, four, Tensor()}), "a tensor without a value was given");
  EXPECT_MESSAGE(custom(file, "BiasSwish", {x, four, four}, {{"scale", 2}}),
                 "attribute 'scale' is not declared for 'my.ops.BiasSwish'");
}

TEST(CustomOps, HaveAttributesOfTheirTypes) {
  std::string ops = testing::TempDir() + "attributes.json";
  std::ofstream(testing::TempDir() + "attributes.c")
      << "void f(const float *x, float *y, int64_t n, int64_t i, "
         "double d) { *y = (float)((double)(i + n) + d + *x); }\n";
  std::ofstream(ops)
      << R"({"domain": "of.attributes", "ops": [{"name": "F", "source": "attributes.c", "function": "f",
    "inputs": [{"name": "x", "type": "float32", "shape": ["n..."]}],
    "outputs": [{"name": "y", "type": "float32", "shape": ["n..."]}],
    "attributes": [{"name": "i", "type": "int"}, {"name": "d", "type": "float", "default": 0.5}]}]})";
  Tensor x = ones({});
  EXPECT_MESSAGE(custom(ops, "F", {x}), "'of.attributes.F' needs its attribute 'i', which has no default");
  EXPECT_MESSAGE(custom(ops, "F", {x}, {{"i", 1.5}}), "attribute 'i': expected a whole number, got 1.5");
  EXPECT_MESSAGE(custom(ops, "F", {x}, {{"i", NAN}}), "attribute 'i': expected a whole number");
  EXPECT_EQ(str(custom(ops, "F", {x}, {{"i", -3}, {"d", 1.5}})[0].shape()), "[]");
  // A second file of the same names.
  std::string again = testing::TempDir() + "again.json";
  std::ofstream(again) << std::ifstream(ops).rdbuf();
  EXPECT_MESSAGE(custom(again, "F", {x}, {{"i", 1}}), "another file has an operation 'of.attributes.F', too");
}
