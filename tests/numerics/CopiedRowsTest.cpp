//===- CopiedRowsTest.cpp - rows of products that are copied into panels ---===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intel's CPUs copy the rows of products whose steps lie close, where others read them as they lie. Gradients have to
// be the same, up to rounding, of a thread that has several chunks of a loop over a window, too, and of rows in panels
// whose ends tiles of six rows do not meet. The code for AVX2 is compared with the interpreter by the other tests.
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"
#include "tests/numerics/DeepPrograms.h"
#include "tests/numerics/FirstStep.h"
#include "llvm/Support/FormatVariadic.h"

namespace dlc::numerics {
namespace {

using Shapes = std::vector<std::pair<std::string, std::vector<int64_t>>>;

/// Two convolutions, the second one with a stride: what is between them lies as they want it.
const char *strided = R"mlir(
train.program @p {
  train.state parameter @w : tensor<16x1x3x3xf32> = dense<0.0>
  train.state parameter @v : tensor<16x16x3x3xf32> = dense<0.0>
  train.input @x : tensor<32x1x16x16xf32>
  train.input target @t : tensor<32x16x6x6xf32>
  train.output prediction @y : tensor<32x16x6x6xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<32x1x16x16xf32>
    %t = train.read @t : tensor<32x16x6x6xf32>
    %w = train.read @w : tensor<16x1x3x3xf32>
    %v = train.read @v : tensor<16x16x3x3xf32>
    %a = nn.conv %x, %w strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<32x1x16x16xf32>, tensor<16x1x3x3xf32>
    %b = nn.relu %a : tensor<32x16x14x14xf32>
    %y = nn.conv %b, %v strides [2, 2] dilations [1, 1] low [0, 0] high [0, 0] groups 1 : tensor<32x16x14x14xf32>, tensor<16x16x3x3xf32>
    train.write %y, @y : tensor<32x16x6x6xf32>
    %loss, %weight = nn.mse_loss mean %y, %t : tensor<32x16x6x6xf32>, tensor<32x16x6x6xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
})mlir";

/// Two layers, what is between them larger than a second-level cache: it is written in panels for the second one.
const char *layers = R"mlir(
train.program @p {
  train.state parameter @w : tensor<64x512xf32> = dense<0.0>
  train.state parameter @v : tensor<512x128xf32> = dense<0.0>
  train.input @x : tensor<8x256x64xf32>
  train.input target @t : tensor<8x256x128xf32>
  train.output prediction @y : tensor<8x256x128xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<8x256x64xf32>
    %t = train.read @t : tensor<8x256x128xf32>
    %w = train.read @w : tensor<64x512xf32>
    %v = train.read @v : tensor<512x128xf32>
    %a = nn.matmul %x, %w : tensor<8x256x64xf32>, tensor<64x512xf32>
    %b = nn.gelu %a : tensor<8x256x512xf32>
    %y = nn.matmul %b, %v : tensor<8x256x512xf32>, tensor<512x128xf32>
    train.write %y, @y : tensor<8x256x128xf32>
    %loss, %weight = nn.mse_loss mean %y, %t : tensor<8x256x128xf32>, tensor<8x256x128xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
})mlir";

/// The gradients of one step, by the code for a CPU.
std::vector<Tensor> gradientsOf(const char *text, const char *cpu, const Shapes &weights, const Shapes &inputs) {
  Program program(text);
  EXPECT_TRUE(program) << takeErrors();
  pipeline::Options options;
  options.cpu = cpu;
  std::unique_ptr<CompiledModel> model = CompiledModel::compile(program, options);
  EXPECT_TRUE(model);
  std::mt19937 random(5);
  for (auto &[name, shape] : weights)
    EXPECT_TRUE(model->write(name, randomTensor(random, shape, 0.2)));
  std::vector<Tensor> values, gradients;
  for (auto &[name, shape] : inputs)
    values.push_back(randomTensor(random, shape, 1));
  float loss = 0;
  EXPECT_TRUE(model->gradStep(values, loss));
  for (auto &[name, shape] : weights) {
    gradients.push_back(Tensor::zeros(interpret::DType::F32, shape));
    EXPECT_TRUE(model->readGradient(name, gradients.back()));
  }
  return gradients;
}

void expectSameGradients(const char *text, const Shapes &weights, const Shapes &inputs) {
  CompiledModel::loadDialects();
  const std::vector<const char *> cpus = CompiledModel::cpus({"x86-64-v3", "cascadelake"});
  if (cpus.size() < 2 || !CompiledModel::runsHere(cpus[0]) || !CompiledModel::runsHere(cpus[1]))
    GTEST_SKIP() << "this machine has not the instructions of the CPUs that are compared";
  const std::vector<Tensor> plain = gradientsOf(text, cpus[0], weights, inputs),
                            copied = gradientsOf(text, cpus[1], weights, inputs);
  for (auto [weight, one, other] : llvm::zip_equal(weights, plain, copied)) {
    double largest = 0, apart = 0;
    for (auto [a, b] : llvm::zip_equal(one.floats, other.floats)) {
      largest = std::max(largest, std::abs(a));
      apart = std::max(apart, std::abs(a - b));
    }
    EXPECT_GT(largest, 0) << weight.first;
    EXPECT_LE(apart, 1e-5 * largest) << weight.first;
  }
}

TEST(CopiedRows, OfAWindowInChunks) {
  expectSameGradients(strided, {{"w", {16, 1, 3, 3}}, {"v", {16, 16, 3, 3}}},
                      {{"x", {32, 1, 16, 16}}, {"t", {32, 16, 6, 6}}});
}

TEST(CopiedRows, InPanels) {
  expectSameGradients(layers, {{"w", {64, 512}}, {"v", {512, 128}}},
                      {{"x", {8, 256, 64}}, {"t", {8, 256, 128}}});
}

} // namespace
} // namespace dlc::numerics
