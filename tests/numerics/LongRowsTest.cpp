//===- LongRowsTest.cpp - kernels whose rows do not fit a stack ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"

#include <cmath>

namespace dlc::numerics {
namespace {

// What operations of one kernel hand to each other is longer here than the schedule leaves on the stack.
TEST(LongRows, LieInTheArena) {
  CompiledModel::loadDialects();
  constexpr int64_t length = 20003, rows = 37;
  const char text[] = R"mlir(
train.program @rows {
  train.input @x : tensor<37x20003xf32>
  train.output prediction @y : tensor<37x20003xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<37x20003xf32>
    %0 = nn.tanh %x : tensor<37x20003xf32>
    %1 = nn.softmax %0 axis 1 : tensor<37x20003xf32>
    %2 = nn.mul %1, %x : tensor<37x20003xf32>, tensor<37x20003xf32>
    %3 = nn.softmax %2 axis 1 : tensor<37x20003xf32>
    %4 = nn.mul %3, %0 : tensor<37x20003xf32>, tensor<37x20003xf32>
    train.write %4, @y : tensor<37x20003xf32>
  }
})mlir";
  Program program{text};
  ASSERT_TRUE(program);
  auto model = CompiledModel::compile(program);
  ASSERT_TRUE(model);
  Tensor x = Tensor::zeros(interpret::DType::F32, {rows, length}), y = x;
  for (int64_t i = 0; i < rows * length; ++i)
    x.floats[i] = double(i % 1021 - 510) / 256;
  ASSERT_TRUE(model->predict(1, {x}, y));
  for (int64_t row = 0; row < rows; ++row) {
    double sums[2] = {0, 0};
    auto at = [&](int64_t i) { return x.floats[row * length + i]; };
    for (int64_t i = 0; i < length; ++i)
      sums[0] += std::exp(std::tanh(at(i)));
    auto second = [&](int64_t i) { return std::exp(std::exp(std::tanh(at(i))) / sums[0] * at(i)); };
    for (int64_t i = 0; i < length; ++i)
      sums[1] += second(i);
    double worst = 0;
    for (int64_t i = 0; i < length; ++i) {
      double expected = second(i) / sums[1] * std::tanh(at(i));
      worst = std::max(worst, std::fabs(y.floats[row * length + i] - expected) * length);
    }
    EXPECT_LT(worst, 1e-3); // sums of many f32 numbers
  }
}

} // namespace
} // namespace dlc::numerics
