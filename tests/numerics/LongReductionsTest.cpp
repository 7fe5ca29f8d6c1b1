//===- LongReductionsTest.cpp - reductions of many elements to few ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They are computed in parts (compiler/fuse/SplitReductions.cpp), and each part in blocks
// (compiler/codegen/cpu/ loops/LoopSums.cpp). Where the numbers are such that every order of a sum gives the
// same result, it is exact; other sums are as close as their blocks are short, also of sizes that are open or
// prime numbers.
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"

#include "llvm/Support/FormatVariadic.h"
#include <random>

namespace dlc::numerics {
namespace {

struct Sizes {
  int64_t outer, middle, columns; ///< outer and middle are reduced; columns too where `all`
  bool all;
};

struct LongReductions : testing::TestWithParam<Sizes> {
  void SetUp() override { CompiledModel::loadDialects(); }
};

TEST_P(LongReductions, AreExact) {
  const Sizes &s = GetParam();
  const std::string from = llvm::formatv("tensor<{0}x{1}x{2}xf32>", s.outer, s.middle, s.columns);
  const std::string to = s.all ? "tensor<f32>" : llvm::formatv("tensor<{0}xf32>", s.columns).str();
  const std::string axes = s.all ? "0, 1, 2" : "0, 1";
  const std::string text = llvm::formatv(R"mlir(
train.program @sums {{
  train.input @x : {0}
  train.output prediction @sum : {1}
  train.output prediction @squares : {1}
  train.output prediction @largest : {1}
  train.function forward @forward {{
    %x = train.read @x : {0}
    %0 = nn.sum %x axes [{2}] : {0}
    train.write %0, @sum : {1}
    %1 = nn.mul %x, %x : {0}, {0}
    %2 = nn.sum %1 axes [{2}] : {0}
    train.write %2, @squares : {1}
    %3 = nn.reduce_max %x axes [{2}] : {0}
    train.write %3, @largest : {1}
  }
})mlir",
                                         from, to, axes);
  Program program(text);
  ASSERT_TRUE(program);
  auto model = CompiledModel::compile(program);
  ASSERT_TRUE(model);
  Tensor x = Tensor::zeros(interpret::DType::F32, {s.outer, s.middle, s.columns});
  std::mt19937 random(1);
  for (double &number : x.floats)
    number = double(int64_t(random() % 5) - 2) / 2 - (s.columns == 1); // where there are few, one sign too
  std::vector<Tensor> results(
      3,
      Tensor::zeros(interpret::DType::F32, s.all ? std::vector<int64_t>{} : std::vector<int64_t>{s.columns}));
  ASSERT_TRUE(model->predict(1, {x}, results));
  const int64_t outputs = s.all ? 1 : s.columns;
  for (int64_t column = 0; column < outputs; ++column) {
    double sum = 0, squares = 0, largest = -10;
    for (int64_t i = column; i < int64_t(x.floats.size()); i += outputs) {
      sum += x.floats[i];
      squares += x.floats[i] * x.floats[i];
      largest = std::max(largest, x.floats[i]);
    }
    ASSERT_EQ(results[0].floats[column], sum) << column;
    ASSERT_EQ(results[1].floats[column], squares) << column;
    ASSERT_EQ(results[2].floats[column], largest) << column;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shape, LongReductions,
    testing::Values(Sizes{32, 1024, 24, false}, // a part is one iteration of the outer loop
                    Sizes{96, 17, 150, false},  // parts of the outer loop
                    Sizes{7, 4096, 65, false},  // parts of the middle loop
                    Sizes{1, 131101, 3, false}, // a prime number: no parts
                    Sizes{5, 513, 511, false},  // parts of 27 steps; 511 columns
                    Sizes{1, 300000, 1, true}, Sizes{11, 64, 300, true}, Sizes{1, 131101, 1, true}),
    [](const testing::TestParamInfo<Sizes> &info) {
      const Sizes &s = info.param;
      return llvm::formatv("{0}x{1}x{2}{3}", s.outer, s.middle, s.columns, s.all ? "_all" : "").str();
    });

struct LongSums : testing::TestWithParam<Sizes> {
  void SetUp() override { CompiledModel::loadDialects(); }
};

/// The sums of loss and prediction, where the rows are as many as the caller has.
TEST_P(LongSums, AreAccurateForOpenSizes) {
  const Sizes &s = GetParam();
  const std::string from = llvm::formatv("tensor<?x{0}x{1}xf32, #nn.dims<batch, _, _>>", s.middle, s.columns);
  const std::string text = llvm::formatv(R"mlir(
train.program @sums {{
  train.dim @batch = {0}
  train.state parameter @w : tensor<f32>
  train.input @x : {1}
  train.input target @t : {1}
  train.output prediction @columns : tensor<{2}xf32>
  train.output prediction @middle : tensor<{3}xf32>
  train.output prediction @scaled : {1}
  train.output loss @loss : tensor<f32>
  train.function forward @forward {{
    %x = train.read @x : {1}
    %w = train.read @w : tensor<f32>
    %t = train.read @t : {1}
    %0 = nn.sum %x axes [0, 1] : {1}
    train.write %0, @columns : tensor<{2}xf32>
    %1 = nn.sum %x axes [0, 2] : {1}
    train.write %1, @middle : tensor<{3}xf32>
    %2 = nn.mul %x, %w : {1}, tensor<f32>
    train.write %2, @scaled : {1}
    %loss, %weight = nn.mse_loss mean %2, %t : {1}, {1}
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
})mlir",
                                         s.outer, from, s.columns, s.middle);
  Program program(text);
  ASSERT_TRUE(program) << takeErrors();
  auto model = CompiledModel::compile(program);
  ASSERT_TRUE(model) << takeErrors();
  ASSERT_TRUE(model->write("w", Tensor::scalar(0.5, interpret::DType::F32)));
  const llvm::SmallVector<int64_t> shape{s.outer, s.middle, s.columns};
  Tensor x = Tensor::zeros(interpret::DType::F32, shape), t = x;
  std::mt19937 random(1);
  for (double &number : x.floats)
    number = float(1 + random() % 1000003 / 1e6);
  std::vector<double> columns(s.columns), middle(s.middle);
  double losses = 0;
  for (int64_t i = 0; i < x.size(); ++i) {
    columns[i % s.columns] += x.floats[i];
    middle[i / s.columns % s.middle] += x.floats[i];
    losses += 0.25 * x.floats[i] * x.floats[i];
  }
  std::vector<Tensor> found{Tensor::zeros(interpret::DType::F32, {s.columns}),
                            Tensor::zeros(interpret::DType::F32, {s.middle}), x};
  ASSERT_TRUE(model->predict(s.outer, {x}, found));
  // A thousand terms of one sign lose some units in the last place, whatever their number.
  const double part = 1.5e-6;
  for (int64_t i = 0; i < s.columns; ++i)
    ASSERT_NEAR(found[0].floats[i], columns[i], part * columns[i]) << "column " << i;
  for (int64_t i = 0; i < s.middle; ++i)
    ASSERT_NEAR(found[1].floats[i], middle[i], part * middle[i]) << "place " << i;
  dlc_metrics metrics{};
  ASSERT_TRUE(model->evalStep(s.outer, {x, t}, metrics));
  EXPECT_NEAR(metrics.loss_sum, losses, part * losses);
}

INSTANTIATE_TEST_SUITE_P(Shape, LongSums,
                         testing::Values(Sizes{32, 1, 50000, false}, Sizes{600000, 1, 3, false},
                                         Sizes{1, 900001, 1, false}, Sizes{300, 70, 70, false},
                                         Sizes{130, 1031, 17, false}, Sizes{5, 7, 9, false}),
                         [](const testing::TestParamInfo<Sizes> &info) {
                           const Sizes &s = info.param;
                           return llvm::formatv("{0}x{1}x{2}", s.outer, s.middle, s.columns).str();
                         });

} // namespace
} // namespace dlc::numerics
