//===- LargeLossTest.cpp - losses of more classes than a cache holds -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loss and its gradient each compute the exponentials then (compiler/fuse/recompute/ComputeTwice.cpp),
// and the gradient is written over the scores.
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"
#include "tests/numerics/FirstStep.h"

namespace dlc::numerics {
namespace {

struct LargeLoss : testing::TestWithParam<const char *> {
  void SetUp() override { CompiledModel::loadDialects(); }
};

TEST_P(LargeLoss, TrainsAsTheInterpreterDoes) {
  std::string text = R"mlir(
train.program @words {
  train.state parameter @w : tensor<5x2003xf32> = dense<0.1>
  train.input @x : tensor<307x5xf32>
  train.input target @t range[0, 2003) ignore 7 : tensor<307xi64>
  train.output prediction @y : tensor<307x2003xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<307x5xf32>
    %w = train.read @w : tensor<5x2003xf32>
    %y = nn.matmul %x, %w : tensor<307x5xf32>, tensor<5x2003xf32>
    train.write %y, @y : tensor<307x2003xf32>
    %t = train.read @t : tensor<307xi64>
    %loss, %weight = nn.softmax_cross_entropy mean %y, %t ignore_index 7 OPTIONS: tensor<307x2003xf32>, tensor<307xi64>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
})mlir";
  text.replace(text.find("OPTIONS"), 7, GetParam());
  Program program(text);
  ASSERT_TRUE(program) << takeErrors();
  EXPECT_EQ(compareFirstStep(program, {}).difference, "");
}

INSTANTIATE_TEST_SUITE_P(Options, LargeLoss, testing::Values("", "{label_smoothing = 0.1 : f64} "));

} // namespace
} // namespace dlc::numerics
