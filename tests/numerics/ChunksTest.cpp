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

// Where the outer loops are short, several are cut: two threads then meet inside a row of the grid of chunks.
struct Grids : testing::TestWithParam<std::vector<int64_t>> {};

TEST_P(Grids, AreSharedByThreads) {
  CompiledModel::loadDialects();
  const std::vector<int64_t> &sizes = GetParam();
  const size_t spread =
      sizes.size() > 3 ? 1 : 0; // the bias is the same along this dim, so that loops stay apart
  std::vector<int64_t> biasSizes(sizes);
  biasSizes[spread] = 1;
  std::string type = "tensor<", turned = "tensor<", bias = "tensor<", order;
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    bool isLast = dim + 2 >= sizes.size(); // the last two are exchanged
    size_t from = isLast ? 2 * sizes.size() - 3 - dim : dim;
    type += llvm::formatv("{0}x", sizes[dim]);
    bias += llvm::formatv("{0}x", biasSizes[dim]);
    turned += llvm::formatv("{0}x", sizes[from]);
    order += llvm::formatv("{0}{1}", dim ? ", " : "", from);
  }
  Program program(llvm::formatv(R"mlir(
train.program @grid {{
  train.input @x : {0}
  train.input @bias : {4}
  train.output prediction @y : {0}
  train.output prediction @t : {1}
  train.function forward @forward {{
    %x = train.read @x : {0}
    %bias = train.read @bias : {4}
    %z = nn.add %x, %bias : {0}, {4}
    %y = nn.softmax %z axis {2} : {0}
    train.write %y, @y : {0}
    %t = nn.transpose %x [{3}] : {0}
    train.write %t, @t : {1}
  }
})mlir",
                                type + "f32>", turned + "f32>", sizes.size() - 1, order, bias + "f32>"));
  ASSERT_TRUE(program);
  auto model = CompiledModel::compile(program);
  ASSERT_TRUE(model) << takeErrors();
  const int64_t columns = sizes[sizes.size() - 1], rows = sizes[sizes.size() - 2];
  std::vector<int64_t> turnedSizes(sizes);
  std::swap(turnedSizes[sizes.size() - 1], turnedSizes[sizes.size() - 2]);
  Tensor x = Tensor::zeros(interpret::DType::F32, sizes), y = x,
         t = Tensor::zeros(interpret::DType::F32, turnedSizes);
  for (size_t i = 0; i < x.floats.size(); ++i)
    x.floats[i] = double(int64_t(i * 37 % 1021) - 510) / 256;
  Tensor b = Tensor::zeros(interpret::DType::F32, biasSizes);
  for (size_t i = 0; i < b.floats.size(); ++i)
    b.floats[i] = double(i % 7) / 8;
  std::vector<Tensor> found{y, t};
  ASSERT_TRUE(model->predict(1, {x, b}, found));
  int64_t inside = 1; // elements of x for each step along the dim that the bias does not have
  for (size_t dim = spread + 1; dim < sizes.size(); ++dim)
    inside *= sizes[dim];
  auto sum = [&](size_t i) {
    return x.floats[i] + b.floats[i / (inside * sizes[spread]) * inside + i % inside];
  };
  for (size_t row = 0; row < x.floats.size() / columns; ++row) {
    double total = 0;
    for (int64_t i = 0; i < columns; ++i)
      total += std::exp(sum(row * columns + i));
    for (int64_t i = 0; i < columns; ++i) {
      y.floats[row * columns + i] = std::exp(sum(row * columns + i)) / total;
      t.floats[(row / rows * columns + i) * rows + row % rows] = x.floats[row * columns + i];
    }
  }
  EXPECT_TRUE(agree(found[0], y, 1e-6));
  EXPECT_TRUE(agree(found[1], t, 0));
}

INSTANTIATE_TEST_SUITE_P(Sizes, Grids,
                         testing::Values(std::vector<int64_t>{5, 41, 100}, std::vector<int64_t>{3, 2, 53, 70},
                                         std::vector<int64_t>{2, 3, 2, 37, 50},
                                         std::vector<int64_t>{1, 129, 130}),
                         [](const testing::TestParamInfo<std::vector<int64_t>> &info) {
                           std::string name;
                           for (int64_t size : info.param)
                             name += llvm::formatv("{0}{1}", name.empty() ? "" : "x", size);
                           return name;
                         });

} // namespace
} // namespace dlc::numerics
