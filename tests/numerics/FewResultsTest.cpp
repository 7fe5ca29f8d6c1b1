//===- FewResultsTest.cpp - sums of many terms with few results ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each element is summed up in several accumulators, which take its terms in turn
// (compiler/schedule/cpu/Accumulators.cpp). The numbers are such that every order of a sum gives the same,
// exact result.
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"

#include "llvm/Support/FormatVariadic.h"
#include <random>

namespace dlc::numerics {
namespace {

struct Sizes {
  int64_t terms, rows, columns;
};

struct FewResults : testing::TestWithParam<Sizes> {
  void SetUp() override { CompiledModel::loadDialects(); }
};

// Sums and extremes of columns, and a product of matrices, which both sum along the first dim.
TEST_P(FewResults, AreExact) {
  const Sizes &s = GetParam();
  Program program(llvm::formatv(R"mlir(
train.program @sums {{
  train.input @a : tensor<{0}x{1}xf32>
  train.input @b : tensor<{0}x{2}xf32>
  train.output prediction @sum : tensor<{2}xf32>
  train.output prediction @least : tensor<{2}xf32>
  train.output prediction @product : tensor<{1}x{2}xf32>
  train.function forward @forward {{
    %a = train.read @a : tensor<{0}x{1}xf32>
    %b = train.read @b : tensor<{0}x{2}xf32>
    %0 = nn.sum %b axes [0] : tensor<{0}x{2}xf32>
    train.write %0, @sum : tensor<{2}xf32>
    %1 = nn.reduce_min %b axes [0] : tensor<{0}x{2}xf32>
    train.write %1, @least : tensor<{2}xf32>
    %2 = nn.matmul %a, %b transpose_a : tensor<{0}x{1}xf32>, tensor<{0}x{2}xf32>
    train.write %2, @product : tensor<{1}x{2}xf32>
  }
})mlir",
                                s.terms, s.rows, s.columns));
  ASSERT_TRUE(program);
  auto model = CompiledModel::compile(program);
  ASSERT_TRUE(model) << takeErrors();
  Tensor a = Tensor::zeros(interpret::DType::F32, {s.terms, s.rows});
  Tensor b = Tensor::zeros(interpret::DType::F32, {s.terms, s.columns});
  std::mt19937 random(1);
  for (Tensor *tensor : {&a, &b})
    for (double &number : tensor->floats)
      number = double(int64_t(random() % 9) - 3) / 2;
  std::vector<Tensor> results{Tensor::zeros(interpret::DType::F32, {s.columns}),
                              Tensor::zeros(interpret::DType::F32, {s.columns}),
                              Tensor::zeros(interpret::DType::F32, {s.rows, s.columns})};
  ASSERT_TRUE(model->predict(1, {a, b}, results));
  for (int64_t column = 0; column < s.columns; ++column) {
    double sum = 0, least = 10;
    std::vector<double> product(s.rows);
    for (int64_t term = 0; term < s.terms; ++term) {
      double number = b.floats[term * s.columns + column];
      sum += number;
      least = std::min(least, number);
      for (int64_t row = 0; row < s.rows; ++row)
        product[row] += a.floats[term * s.rows + row] * number;
    }
    ASSERT_EQ(results[0].floats[column], sum) << column;
    ASSERT_EQ(results[1].floats[column], least) << column;
    for (int64_t row = 0; row < s.rows; ++row)
      ASSERT_EQ(results[2].floats[row * s.columns + column], product[row]) << row << ", " << column;
  }
}

INSTANTIATE_TEST_SUITE_P(Shape, FewResults,
                         testing::Values(Sizes{63, 1, 16}, // too few terms
                                         Sizes{64, 1, 16}, Sizes{65, 2, 1}, Sizes{66, 2, 8}, Sizes{67, 2, 16},
                                         Sizes{500, 1, 17}, Sizes{501, 3, 16}, Sizes{502, 4, 16}, // two
                                         Sizes{503, 1, 40}, Sizes{127, 5, 16}, Sizes{129, 16, 2}),
                         [](const testing::TestParamInfo<Sizes> &info) {
                           const Sizes &s = info.param;
                           return llvm::formatv("{0}x{1}x{2}", s.terms, s.rows, s.columns).str();
                         });

} // namespace
} // namespace dlc::numerics
