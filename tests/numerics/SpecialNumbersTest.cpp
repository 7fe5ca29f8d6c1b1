//===- SpecialNumbersTest.cpp - one NaN in a net, numbers next to zero ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What single operations make of NaN and infinities is among the cases of CompiledOpsTest.cpp.
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"

#include <cmath>
#include <limits>

namespace dlc::numerics {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// Each kind of layer through which a gradient comes back by a choice: relu in front of a pooling, in front of
// a dropout and alone, the pooling and the dropout.
constexpr const char *net = R"mlir(
train.program @net {
  train.input @image : tensor<3x1x8x8xf32>
  train.input target @label : tensor<3xi64>
  train.state parameter @filter : tensor<4x1x3x3xf32> = dense<0.25>
  train.state parameter @offset : tensor<4x1x1xf32> = dense<0.0>
  train.state parameter @w1 : tensor<64x19xf32> = dense<0.5>
  train.state parameter @b1 : tensor<19xf32> = dense<0.0>
  train.state parameter @w2 : tensor<19x23xf32> = dense<0.5>
  train.state parameter @b2 : tensor<23xf32> = dense<0.0>
  train.state parameter @w3 : tensor<23x5xf32> = dense<0.5>
  train.state rng @rng : tensor<2xi64>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @image : tensor<3x1x8x8xf32>
    %filter = train.read @filter : tensor<4x1x3x3xf32>
    %offset = train.read @offset : tensor<4x1x1xf32>
    %w1 = train.read @w1 : tensor<64x19xf32>
    %b1 = train.read @b1 : tensor<19xf32>
    %w2 = train.read @w2 : tensor<19x23xf32>
    %b2 = train.read @b2 : tensor<23xf32>
    %w3 = train.read @w3 : tensor<23x5xf32>
    %rng = train.read @rng : tensor<2xi64>
    %label = train.read @label : tensor<3xi64>
    %0 = nn.conv %x, %filter strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1 : tensor<3x1x8x8xf32>, tensor<4x1x3x3xf32>
    %1 = nn.add %0, %offset : tensor<3x4x8x8xf32>, tensor<4x1x1xf32>
    %2 = nn.relu %1 : tensor<3x4x8x8xf32>
    %3, %places = nn.max_pool %2 kernel [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1] : tensor<3x4x8x8xf32>
    %4 = nn.reshape %3 : tensor<3x4x4x4xf32> -> tensor<3x64xf32>
    %5 = nn.matmul %4, %w1 : tensor<3x64xf32>, tensor<64x19xf32>
    %6 = nn.add %5, %b1 : tensor<3x19xf32>, tensor<19xf32>
    %7 = nn.relu %6 : tensor<3x19xf32>
    %8 = nn.dropout %7, %rng ratio 0.5 stream 0 : tensor<3x19xf32>, tensor<2xi64>
    %9 = nn.matmul %8, %w2 : tensor<3x19xf32>, tensor<19x23xf32>
    %10 = nn.add %9, %b2 : tensor<3x23xf32>, tensor<23xf32>
    %11 = nn.relu %10 : tensor<3x23xf32>
    %12 = nn.matmul %11, %w3 : tensor<3x23xf32>, tensor<23x5xf32>
    %loss, %weight = nn.softmax_cross_entropy mean %12, %label ignore_index -100 : tensor<3x5xf32>, tensor<3xi64>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
})mlir";

// In PyTorch, the gradients of the same net are NaN in all places. A gradient that stays finite would update
// its parameter as if nothing had happened.
TEST(SpecialNumbers, OneNaNInAnInputIsInAllGradients) {
  CompiledModel::loadDialects();
  Program program(net);
  ASSERT_TRUE(program) << takeErrors();
  auto model = CompiledModel::compile(program);
  ASSERT_TRUE(model) << takeErrors();
  Tensor image = Tensor::zeros(interpret::DType::F32, {3, 1, 8, 8}),
         label = Tensor::zeros(interpret::DType::I64, {3});
  for (auto [i, number] : llvm::enumerate(image.floats))
    number = std::sin(static_cast<double>(i));
  image.floats[9] = nan;
  float loss = 0;
  ASSERT_TRUE(model->gradStep({image, label}, loss));
  EXPECT_TRUE(std::isnan(loss));
  const std::pair<const char *, std::vector<int64_t>> parameters[] = {
      {"filter", {4, 1, 3, 3}}, {"offset", {4, 1, 1}}, {"w1", {64, 19}}, {"b1", {19}},
      {"w2", {19, 23}},         {"b2", {23}},          {"w3", {23, 5}}};
  for (const auto &[name, shape] : parameters) {
    Tensor gradient = Tensor::zeros(interpret::DType::F32, shape);
    ASSERT_TRUE(model->readGradient(name, gradient));
    for (auto [i, number] : llvm::enumerate(gradient.floats))
      EXPECT_TRUE(std::isnan(number)) << "the gradient of '" << name << "' at " << i << " is " << number;
  }
}

// A number that is dropped is multiplied by zero, as in PyTorch: NaN stays NaN.
TEST(SpecialNumbers, DropoutHidesNoNaN) {
  CompiledModel::loadDialects();
  Program program(R"mlir(
train.program @dropped {
  train.input @x : tensor<3x19xf32>
  train.input target @label : tensor<3xi64>
  train.state parameter @w : tensor<19xf32> = dense<1.0>
  train.state rng @rng : tensor<2xi64>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x19xf32>
    %w = train.read @w : tensor<19xf32>
    %rng = train.read @rng : tensor<2xi64>
    %label = train.read @label : tensor<3xi64>
    %0 = nn.mul %x, %w : tensor<3x19xf32>, tensor<19xf32>
    %1 = nn.dropout %0, %rng ratio 0.5 stream 0 : tensor<3x19xf32>, tensor<2xi64>
    %loss, %weight = nn.softmax_cross_entropy mean %1, %label ignore_index -100 : tensor<3x19xf32>, tensor<3xi64>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
})mlir");
  ASSERT_TRUE(program) << takeErrors();
  auto model = CompiledModel::compile(program);
  ASSERT_TRUE(model) << takeErrors();
  Tensor x = Tensor::zeros(interpret::DType::F32, {3, 19}), label = Tensor::zeros(interpret::DType::I64, {3});
  x.floats[23] = nan;
  for (int step = 0; step < 16; ++step) { // it is dropped in about half of them
    float loss = 0;
    ASSERT_TRUE(model->gradStep({x, label}, loss));
    EXPECT_TRUE(std::isnan(loss)) << step << ": " << loss;
  }
}

// docs/accuracy.md says that a step takes numbers below the least normal one, 1.18e-38, for zero.
TEST(SpecialNumbers, DenormalsAreZero) {
  CompiledModel::loadDialects();
  Program program(R"mlir(
train.program @logarithms {
  train.input @x : tensor<19xf32>
  train.output prediction @y : tensor<19xf32>
  train.output prediction @z : tensor<19xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<19xf32>
    %y = nn.log %x : tensor<19xf32>
    %z = nn.mul %x, %x : tensor<19xf32>, tensor<19xf32>
    train.write %y, @y : tensor<19xf32>
    train.write %z, @z : tensor<19xf32>
  }
})mlir");
  ASSERT_TRUE(program) << takeErrors();
  auto model = CompiledModel::compile(program);
  ASSERT_TRUE(model) << takeErrors();
  Tensor x = Tensor::zeros(interpret::DType::F32, {19});
  for (auto [i, number] : llvm::enumerate(x.floats))
    number = i % 3 == 0 ? 1e-42 : i % 3 == 1 ? 0x1p-126 : 1e-20;
  Tensor results[] = {x, x};
  ASSERT_TRUE(model->predict(1, {x}, results));
  for (int i = 0; i < 19; ++i) {
    const double least = std::log(0x1p-126), small = std::log(1e-20);
    const double expected = i % 3 == 0 ? -infinity : i % 3 == 1 ? least : small;
    if (std::isinf(expected))
      EXPECT_EQ(results[0].floats[i], expected) << i;
    else
      EXPECT_NEAR(results[0].floats[i], expected, 1e-5) << i;
    EXPECT_EQ(results[1].floats[i], 0) << i; // 1e-40 in PyTorch, of 1e-20
  }
}

} // namespace
} // namespace dlc::numerics
