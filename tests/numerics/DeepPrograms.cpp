//===- DeepPrograms.cpp - programs of several equal layers ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/numerics/DeepPrograms.h"
#include "llvm/Support/FormatVariadic.h"

namespace dlc::numerics {

using llvm::formatv;

const Layers perceptron{"perceptron",
                        [](int i) -> std::string {
                          return formatv(R"mlir(
  train.state parameter @s{0} : tensor<70xf32> = dense<1.0>
  train.state parameter @b{0} : tensor<70xf32> = dense<0.1>
  train.state parameter @w{0} : tensor<70x150xf32> = dense<0.0>
  train.state parameter @v{0} : tensor<150x70xf32> = dense<0.0>)mlir",
                                         i);
                        },
                        [](int i) -> std::string {
                          return formatv(R"mlir(
    %s{0} = train.read @s{0} : tensor<70xf32>
    %b{0} = train.read @b{0} : tensor<70xf32>
    %w{0} = train.read @w{0} : tensor<70x150xf32>
    %v{0} = train.read @v{0} : tensor<150x70xf32>
    %n{0}, %mean{0}, %rstd{0} = nn.layer_norm %h{0}, %s{0}, %b{0} axis 1 epsilon 1.0e-5 : tensor<41x70xf32>, tensor<70xf32>, tensor<70xf32>
    %p{0} = nn.matmul %n{0}, %w{0} : tensor<41x70xf32>, tensor<70x150xf32>
    %g{0} = nn.gelu %p{0} : tensor<41x150xf32>
    %d{0} = nn.dropout %g{0}, %rng ratio 0.3 stream {0} : tensor<41x150xf32>, tensor<2xi64>
    %q{0} = nn.matmul %d{0}, %v{0} : tensor<41x150xf32>, tensor<150x70xf32>
    %h{1} = nn.add %h{0}, %q{0} : tensor<41x70xf32>, tensor<41x70xf32>)mlir",
                                         i, i + 1);
                        },
                        "tensor<41x70xf32>",
                        {{"s", {70}}, {"b", {70}}, {"w", {70, 150}}, {"v", {150, 70}}},
                        {41, 70}};

const Layers images{"images",
                    [](int i) -> std::string {
                      return formatv(R"mlir(
  train.state parameter @s{0} : tensor<9xf32> = dense<1.0>
  train.state parameter @b{0} : tensor<9xf32> = dense<0.1>
  train.state parameter @w{0} : tensor<9x9x3x3xf32> = dense<0.0>
  train.state buffer @m{0} : tensor<9xf32> = dense<0.0>
  train.state buffer @v{0} : tensor<9xf32> = dense<1.0>)mlir",
                                     i);
                    },
                    [](int i) -> std::string {
                      return formatv(R"mlir(
    %s{0} = train.read @s{0} : tensor<9xf32>
    %b{0} = train.read @b{0} : tensor<9xf32>
    %w{0} = train.read @w{0} : tensor<9x9x3x3xf32>
    %c{0} = nn.conv %h{0}, %w{0} strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1 : tensor<5x9x13x7xf32>, tensor<9x9x3x3xf32>
    %n{0} = train.batch_norm %c{0}, %s{0}, %b{0} running @m{0}, @v{0} momentum 0.9 epsilon 1.0e-5 : tensor<5x9x13x7xf32>, tensor<9xf32>, tensor<9xf32>
    %r{0} = nn.relu %n{0} : tensor<5x9x13x7xf32>
    %d{0} = nn.dropout %r{0}, %rng ratio 0.2 stream {0} : tensor<5x9x13x7xf32>, tensor<2xi64>
    %h{1} = nn.add %d{0}, %h{0} : tensor<5x9x13x7xf32>, tensor<5x9x13x7xf32>)mlir",
                                     i, i + 1);
                    },
                    "tensor<5x9x13x7xf32>",
                    {{"s", {9}}, {"b", {9}}, {"w", {9, 9, 3, 3}}, {"m", {9}}, {"v", {9}}},
                    {5, 9, 13, 7}};

const Layers wide{"wide",
                  [](int i) -> std::string {
                    return formatv(R"mlir(
  train.state parameter @w{0} : tensor<24x512xf32> = dense<0.0>
  train.state parameter @v{0} : tensor<512x24xf32> = dense<0.0>)mlir",
                                   i);
                  },
                  [](int i) -> std::string {
                    return formatv(R"mlir(
    %w{0} = train.read @w{0} : tensor<24x512xf32>
    %v{0} = train.read @v{0} : tensor<512x24xf32>
    %p{0} = nn.matmul %h{0}, %w{0} : tensor<96x24xf32>, tensor<24x512xf32>
    %g{0} = nn.gelu %p{0} : tensor<96x512xf32> loc("gelu{0}")
    %q{0} = nn.matmul %g{0}, %v{0} : tensor<96x512xf32>, tensor<512x24xf32>
    %h{1} = nn.add %h{0}, %q{0} : tensor<96x24xf32>, tensor<96x24xf32>)mlir",
                                   i, i + 1);
                  },
                  "tensor<96x24xf32>",
                  {{"w", {24, 512}}, {"v", {512, 24}}},
                  {96, 24}};

std::string programText(const Layers &layers) {
  std::string declarations, body;
  for (int i = 0; i < depth; ++i) {
    declarations += layers.declarations(i);
    body += layers.body(i);
  }
  return formatv(R"mlir(
train.program @deep {{{1}
  train.state rng @rng : tensor<2xi64>
  train.input @x : {0}
  train.input target @t : {0}
  train.output prediction @y : {0}
  train.output loss @loss : tensor<f32>
  train.function forward @forward {{
    %rng = train.read @rng : tensor<2xi64>
    %h0 = train.read @x : {0}
    {2}
    train.write %h{3}, @y : {0}
    %t = train.read @t : {0}
    %loss, %weight = nn.mse_loss mean %h{3}, %t : {0}, {0}
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
})mlir",
                 layers.type, declarations, body, depth);
}

interpret::Tensor randomTensor(std::mt19937 &numbers, llvm::ArrayRef<int64_t> shape, double size) {
  auto tensor = interpret::Tensor::zeros(interpret::DType::F32, shape);
  for (double &number : tensor.floats)
    number = float(double(int64_t(numbers() % 257) - 128) / 128 * size);
  return tensor;
}

} // namespace dlc::numerics
