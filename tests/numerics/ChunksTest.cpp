//===- ChunksTest.cpp - kernels in chunks, the last one shorter ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of a kernel is cut into chunks of equal size, so that the last one has less to do. What it would
// do beyond its end lies outside the caller's memory, which is guarded.
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace dlc::numerics {
namespace {

struct Chunks : testing::TestWithParam<int64_t> {};

TEST_P(Chunks, EndWithTheRows) {
  CompiledModel::loadDialects();
  const int64_t rows = GetParam(), length = 100;
  Program program(llvm::formatv(R"mlir(
train.program @rows {{
  train.input @x : tensor<{0}x100xf32>
  train.output prediction @y : tensor<{0}x100xf32>
  train.output prediction @s : tensor<{0}xf32>
  train.function forward @forward {{
    %x = train.read @x : tensor<{0}x100xf32>
    %y = nn.softmax %x axis 1 : tensor<{0}x100xf32>
    train.write %y, @y : tensor<{0}x100xf32>
    %0 = nn.mul %y, %x : tensor<{0}x100xf32>, tensor<{0}x100xf32>
    %s = nn.sum %0 axes [1] : tensor<{0}x100xf32>
    train.write %s, @s : tensor<{0}xf32>
  }
})mlir",
                                rows));
  ASSERT_TRUE(program);
  auto model = CompiledModel::compile(program);
  ASSERT_TRUE(model) << takeErrors();
  Tensor x = Tensor::zeros(interpret::DType::F32, {rows, length}), y = x,
         s = Tensor::zeros(interpret::DType::F32, {rows});
  for (size_t i = 0; i < x.floats.size(); ++i)
    x.floats[i] = double(int64_t(i * 37 % 1021) - 510) / 256;
  std::vector<Tensor> found{y, s};
  ASSERT_TRUE(model->predict(1, {x}, found));
  for (int64_t row = 0; row < rows; ++row) {
    double total = 0;
    for (int64_t i = 0; i < length; ++i)
      total += std::exp(x.floats[row * length + i]);
    for (int64_t i = 0; i < length; ++i) {
      double share = std::exp(x.floats[row * length + i]) / total;
      y.floats[row * length + i] = share;
      s.floats[row] += share * x.floats[row * length + i];
    }
  }
  EXPECT_TRUE(agree(found[0], y, 1e-6));
  EXPECT_TRUE(agree(found[1], s, 1e-5));
}

// In chunks of 4 rows: whole ones, and last ones of 3, 2 and 1 rows.
INSTANTIATE_TEST_SUITE_P(Rows, Chunks, testing::Values(200, 203, 206, 209),
                         testing::PrintToStringParamName());

} // namespace
} // namespace dlc::numerics
