//===- ManyPointsTest.cpp - elements side by side, and long columns --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// So many points that a GPU's thread takes several neighbours, and columns so long that all threads of a
// block add them up. Reference: the same formulas in double precision.
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"

#include <algorithm>
#include <cmath>

namespace dlc::numerics {
namespace {

TEST(ManyPoints, AreComputedWithTheirNeighbours) {
  CompiledModel::loadDialects();
  constexpr int64_t rows = 352, columns = 384;
  Program program{R"mlir(
train.program @points {
  train.input @x : tensor<352x384xf32>
  train.input @scale : tensor<384xf32>
  train.input @row : tensor<352x1xf32>
  train.output prediction @y : tensor<352x384xf32>
  train.output prediction @z : tensor<352x384xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<352x384xf32>
    %scale = train.read @scale : tensor<384xf32>
    %row = train.read @row : tensor<352x1xf32>
    %0 = nn.mul %x, %scale : tensor<352x384xf32>, tensor<384xf32>
    %y = nn.add %0, %row : tensor<352x384xf32>, tensor<352x1xf32>
    %z = nn.relu %y : tensor<352x384xf32>
    train.write %y, @y : tensor<352x384xf32>
    train.write %z, @z : tensor<352x384xf32>
  }
})mlir"};
  ASSERT_TRUE(program);
  auto model = CompiledModel::compile(program);
  ASSERT_TRUE(model) << takeErrors();
  Tensor x = Tensor::zeros(interpret::DType::F32, {rows, columns});
  Tensor scale = Tensor::zeros(interpret::DType::F32, {columns});
  Tensor row = Tensor::zeros(interpret::DType::F32, {rows, 1});
  for (int64_t i = 0; i < rows * columns; ++i)
    x.floats[i] = double(i % 1021 - 510) / 256;
  for (int64_t i = 0; i < columns; ++i)
    scale.floats[i] = double(i % 37 - 18) / 8;
  for (int64_t i = 0; i < rows; ++i)
    row.floats[i] = double(i % 29 - 14) / 4;
  std::vector<Tensor> found{x, x};
  ASSERT_TRUE(model->predict(1, {x, scale, row}, found));
  for (int64_t i = 0; i < rows * columns; ++i) {
    double y = x.floats[i] * scale.floats[i % columns] + row.floats[i / columns];
    ASSERT_NEAR(found[0].floats[i], y, 1e-5) << i;
    ASSERT_NEAR(found[1].floats[i], std::max(y, 0.0), 1e-5) << i;
  }
}

TEST(ManyPoints, OfLongColumnsAreAddedUp) {
  CompiledModel::loadDialects();
  constexpr int64_t rows = 2053, columns = 43;
  Program program{R"mlir(
train.program @columns {
  train.input @x : tensor<2053x43xf32>
  train.input @row : tensor<2053x1xf32>
  train.output prediction @y : tensor<43xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<2053x43xf32>
    %row = train.read @row : tensor<2053x1xf32>
    %0 = nn.mul %x, %row : tensor<2053x43xf32>, tensor<2053x1xf32>
    %y = nn.sum %0 axes [0] : tensor<2053x43xf32>
    train.write %y, @y : tensor<43xf32>
  }
})mlir"};
  ASSERT_TRUE(program);
  auto model = CompiledModel::compile(program);
  ASSERT_TRUE(model) << takeErrors();
  Tensor x = Tensor::zeros(interpret::DType::F32, {rows, columns});
  Tensor row = Tensor::zeros(interpret::DType::F32, {rows, 1});
  Tensor y = Tensor::zeros(interpret::DType::F32, {columns});
  for (int64_t i = 0; i < rows * columns; ++i)
    x.floats[i] = double(i % 1021 - 510) / 256;
  for (int64_t i = 0; i < rows; ++i)
    row.floats[i] = double(i % 29 - 14) / 4;
  ASSERT_TRUE(model->predict(1, {x, row}, y));
  for (int64_t column = 0; column < columns; ++column) {
    double sum = 0;
    for (int64_t i = 0; i < rows; ++i)
      sum += x.floats[i * columns + column] * row.floats[i];
    EXPECT_NEAR(y.floats[column], sum, 2e-3) << column;
  }
}

} // namespace
} // namespace dlc::numerics
