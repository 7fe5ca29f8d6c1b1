//===- LargeTilesTest.cpp - products in the largest tiles of GPUs ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with so many results that a GPU gets its largest tiles, in more than one order of blocks, with
// edges, and with so few rows or columns that tiles are half as large that way; and products with so few
// results that tiles of partial sums are computed. The factors are small
// multiples of a power of two, so that they are numbers of bf16 and all sums are exact.
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"
#include "llvm/Support/FormatVariadic.h"

#include <random>

namespace dlc::numerics {
namespace {

struct Sizes {
  const char *name, *type;
  int64_t m, n, k;
  bool transposeA = false, transposeB = false;
};

std::string shapeOf(int64_t rows, int64_t columns, bool transposed) {
  return transposed ? llvm::formatv("{1}x{0}", rows, columns) : llvm::formatv("{0}x{1}", rows, columns);
}

Tensor transposed(const Tensor &matrix) {
  const int64_t rows = matrix.shape[0], columns = matrix.shape[1];
  Tensor result = Tensor::zeros(interpret::DType::F32, {columns, rows});
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      result.floats[j * rows + i] = matrix.floats[i * columns + j];
  return result;
}

struct LargeTiles : testing::TestWithParam<Sizes> {};

TEST_P(LargeTiles, HaveExactSums) {
  CompiledModel::loadDialects();
  const Sizes &p = GetParam();
  Program program(llvm::formatv(R"mlir(
train.program @product {{
  train.input @a : tensor<{5}xf32>
  train.input @b : tensor<{6}xf32>
  train.output prediction @y : tensor<{0}x{1}xf32>
  train.function forward @forward {{
    %a = train.read @a : tensor<{5}xf32>
    %b = train.read @b : tensor<{6}xf32>
    %left = nn.cast %a to {3} : tensor<{5}xf32>
    %right = nn.cast %b to {3} : tensor<{6}xf32>
    %y = nn.matmul %left, %right{7}{8}{4} : tensor<{5}x{3}>, tensor<{6}x{3}>
    train.write %y, @y : tensor<{0}x{1}xf32>
  }
})mlir",
                                p.m, p.n, p.k, p.type, p.type == llvm::StringRef("f32") ? "" : " wide",
                                shapeOf(p.m, p.k, p.transposeA), shapeOf(p.k, p.n, p.transposeB),
                                p.transposeA ? " transpose_a" : "", p.transposeB ? " transpose_b" : ""));
  ASSERT_TRUE(program);
  auto model = CompiledModel::compile(program);
  ASSERT_TRUE(model) << takeErrors();
  std::mt19937 random(1);
  auto numbers = [&](std::vector<int64_t> shape) {
    Tensor tensor = Tensor::zeros(interpret::DType::F32, shape);
    for (double &number : tensor.floats)
      number = double(int64_t(random() % 33) - 16) / 16;
    return tensor;
  };
  // As they are multiplied; where a factor is transposed, it lies the other way.
  const Tensor a = numbers({p.m, p.k}), b = numbers({p.k, p.n});
  Tensor y = Tensor::zeros(interpret::DType::F32, {p.m, p.n});
  ASSERT_TRUE(model->predict(1, {p.transposeA ? transposed(a) : a, p.transposeB ? transposed(b) : b}, y));
  for (int64_t i = 0; i < p.m; ++i)
    for (int64_t j = 0; j < p.n; ++j) {
      double sum = 0;
      for (int64_t step = 0; step < p.k; ++step)
        sum += a.floats[i * p.k + step] * b.floats[step * p.n + j];
      ASSERT_EQ(y.floats[i * p.n + j], sum) << i << ", " << j;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, LargeTiles,
    testing::Values(Sizes{"rows_of_tiles", "bf16", 1280, 2304, 40}, Sizes{"edges", "bf16", 1300, 1282, 24},
                    Sizes{"edges_fp16", "f16", 1300, 1282, 24},
                    Sizes{"along_rows_fp16", "f16", 1288, 1280, 168, true, false},
                    Sizes{"words", "tf32", 1300, 1284, 24}, Sizes{"tall", "bf16", 12300, 60, 24},
                    Sizes{"wide", "tf32", 57, 12300, 24}, Sizes{"tall_exact", "f32", 12300, 61, 24},
                    Sizes{"wide_exact", "f32", 50, 12300, 24}, Sizes{"wide_steps", "bf16", 64, 12296, 200},
                    Sizes{"along_steps", "bf16", 1280, 1288, 168, false, true},
                    Sizes{"along_rows", "bf16", 1288, 1280, 168, true, false},
                    Sizes{"left_transposed", "bf16", 1280, 1280, 104, true, true},
                    Sizes{"one_by_one", "bf16", 1281, 1283, 71, true, true},
                    Sizes{"shared", "bf16", 64, 40, 4096}, Sizes{"shared_words", "tf32", 60, 44, 4096},
                    Sizes{"shared_exact", "f32", 61, 43, 4096}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace dlc::numerics
