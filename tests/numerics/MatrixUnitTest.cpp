//===- MatrixUnitTest.cpp - products by AMX ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is compiled for AMX, on a machine that has it, and on any with vectors of 512 bits with calls of an
// emulator (tiles.c) in the place of the instructions.
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <random>

namespace dlc::numerics {
namespace {

struct Unit {
  const char *name, *cpu;
  bool calls;
  friend void PrintTo(const Unit &unit, std::ostream *stream) { *stream << unit.name; }
};
constexpr Unit units[] = {{"instructions", "sapphirerapids", false}, {"calls", "x86-64-v4", true}};

pipeline::Options optionsFor(const Unit &unit) {
  pipeline::Options options;
  options.cpu = unit.cpu;
  options.amxCalls = unit.calls;
  return options;
}

/// One of many products of a program.
struct Product {
  int64_t rows, steps, columns;
  std::vector<int64_t> left(bool across) const {
    return across ? std::vector{steps, rows} : std::vector{rows, steps};
  }
  std::vector<int64_t> right(bool across) const {
    return across ? std::vector{columns, steps} : std::vector{steps, columns};
  }
};

std::string matrixType(llvm::ArrayRef<int64_t> shape) {
  return llvm::formatv("tensor<{0}x{1}xf32>", shape[0], shape[1]).str();
}

/// Each dim in turn has each of these sizes, around multiples of a register's rows, columns and steps.
std::vector<Product> products() {
  std::vector<Product> all;
  for (int64_t size : {1, 15, 16, 17, 31, 33, 63, 65})
    for (Product product : {Product{size, 64, 65}, Product{65, size, 63}, Product{63, 65, size}})
      all.push_back(product);
  all.push_back({130, 1200, 100});
  all.push_back({33, 33, 33});
  all.push_back({300, 4096, 70}); // more than the second-level cache holds of rows
  return all;
}

struct MatrixUnit : testing::TestWithParam<std::tuple<Unit, bool, bool>> {
  void SetUp() override {
    CompiledModel::loadDialects();
    if (!CompiledModel::runsHere(std::get<0>(GetParam()).cpu))
      GTEST_SKIP() << "this machine lacks instructions of " << std::get<0>(GetParam()).cpu;
  }
};

/// Small whole numbers, whose products and sums bf16 and float32 have exactly.
TEST_P(MatrixUnit, IsExact) {
  auto [unit, rowsAcross, columnsAcross] = GetParam();
  std::string declared, body;
  std::vector<Tensor> inputs, outputs;
  std::mt19937 random(1);
  auto numbers = [&](const std::vector<int64_t> &shape) {
    Tensor tensor = Tensor::zeros(interpret::DType::F32, shape);
    for (double &number : tensor.floats)
      number = int(random() % 15) - 7;
    inputs.push_back(tensor);
  };
  const std::vector<Product> all = products();
  for (auto [i, product] : llvm::enumerate(all)) {
    std::string x = matrixType(product.left(rowsAcross)), w = matrixType(product.right(columnsAcross)),
                y = matrixType({product.rows, product.columns});
    declared += llvm::formatv("  train.input @x{0} : {1}\n  train.input @w{0} : {2}\n"
                              "  train.output prediction @y{0} : {3}\n",
                              i, x, w, y);
    body += llvm::formatv("    %x{0} = train.read @x{0} : {1}\n    %w{0} = train.read @w{0} : {2}\n"
                          "    %y{0} = nn.matmul %x{0}, %w{0}{4}{5} : {1}, {2}\n"
                          "    train.write %y{0}, @y{0} : {3}\n",
                          i, x, w, y, rowsAcross ? " transpose_a" : "", columnsAcross ? " transpose_b" : "");
    numbers(product.left(rowsAcross));
    numbers(product.right(columnsAcross));
    outputs.push_back(Tensor::zeros(interpret::DType::F32, {product.rows, product.columns}));
  }
  Program program("train.program @products {\n" + declared + "  train.function forward @forward {\n" + body +
                  "  }\n}");
  ASSERT_TRUE(program);
  program.addToRecipe({{"precision", "bf16"}});
  auto model = CompiledModel::compile(program, optionsFor(unit), 3);
  ASSERT_TRUE(model);
  ASSERT_TRUE(model->predict(1, inputs, outputs));
  for (auto [i, product] : llvm::enumerate(all)) {
    const Tensor &left = inputs[2 * i], &right = inputs[2 * i + 1];
    for (int64_t row = 0; row < product.rows; ++row)
      for (int64_t column = 0; column < product.columns; ++column) {
        double sum = 0;
        for (int64_t step = 0; step < product.steps; ++step)
          sum +=
              left.floats[rowsAcross ? step * product.rows + row : row * product.steps + step] *
              right.floats[columnsAcross ? column * product.steps + step : step * product.columns + column];
        ASSERT_EQ(outputs[i].floats[row * product.columns + column], sum)
            << "row " << row << ", column " << column << " of " << product.rows << "x" << product.columns
            << ", " << product.steps << " steps";
      }
  }
}

std::string productName(const testing::TestParamInfo<MatrixUnit::ParamType> &info) {
  auto [unit, rowsAcross, columnsAcross] = info.param;
  return llvm::formatv("{0}{1}{2}", unit.name, rowsAcross ? "_rows_across" : "",
                       columnsAcross ? "_columns_across" : "")
      .str();
}

INSTANTIATE_TEST_SUITE_P(Products, MatrixUnit,
                         testing::Combine(testing::ValuesIn(units), testing::Bool(), testing::Bool()),
                         productName);

/// Of open sizes: rows and, in the second product, steps are known only when the program runs.
struct OpenMatrixUnit : testing::TestWithParam<Unit> {
  void SetUp() override {
    CompiledModel::loadDialects();
    if (!CompiledModel::runsHere(GetParam().cpu))
      GTEST_SKIP() << "this machine lacks instructions of " << GetParam().cpu;
  }
};

TEST_P(OpenMatrixUnit, IsExact) {
  Program program(R"mlir(
train.program @open {
  train.dim @batch = 70
  train.input @x : tensor<?x64xf32, #nn.dims<batch, _>>
  train.input @w : tensor<64x65xf32>
  train.output prediction @y : tensor<?x65xf32, #nn.dims<batch, _>>
  train.output prediction @z : tensor<64x65xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<?x64xf32, #nn.dims<batch, _>>
    %w = train.read @w : tensor<64x65xf32>
    %y = nn.matmul %x, %w : tensor<?x64xf32, #nn.dims<batch, _>>, tensor<64x65xf32>
    train.write %y, @y : tensor<?x65xf32, #nn.dims<batch, _>>
    %r = nn.relu %y : tensor<?x65xf32, #nn.dims<batch, _>>
    %z = nn.matmul %x, %r transpose_a : tensor<?x64xf32, #nn.dims<batch, _>>, tensor<?x65xf32, #nn.dims<batch, _>>
    train.write %z, @z : tensor<64x65xf32>
  }
})mlir");
  ASSERT_TRUE(program);
  program.addToRecipe({{"precision", "bf16"}});
  auto model = CompiledModel::compile(program, optionsFor(GetParam()), 2);
  ASSERT_TRUE(model);
  std::mt19937 random(1);
  for (int64_t rows : {70, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65}) {
    Tensor x = Tensor::zeros(interpret::DType::F32, {rows, 64}),
           w = Tensor::zeros(interpret::DType::F32, {64, 65});
    for (Tensor *tensor : {&x, &w})
      for (double &number : tensor->floats)
        number = random() % 8 == 0 ? int(random() % 3) - 1 : 0; // so that sums of the first are exact in bf16
    std::vector<Tensor> outputs{Tensor::zeros(interpret::DType::F32, {rows, 65}),
                                Tensor::zeros(interpret::DType::F32, {64, 65})};
    ASSERT_TRUE(model->predict(rows, {x, w}, outputs));
    auto y = [&](int64_t row, int64_t column) {
      double sum = 0;
      for (int64_t step = 0; step < 64; ++step)
        sum += x.floats[row * 64 + step] * w.floats[step * 65 + column];
      return sum;
    };
    for (int64_t column = 0; column < 65; ++column) {
      std::vector<double> sums(64);
      for (int64_t row = 0; row < rows; ++row) {
        ASSERT_EQ(outputs[0].floats[row * 65 + column], y(row, column)) << rows << " rows";
        for (int64_t i = 0; i < 64; ++i)
          sums[i] += x.floats[row * 64 + i] * std::max(y(row, column), 0.0);
      }
      for (int64_t i = 0; i < 64; ++i)
        ASSERT_EQ(outputs[1].floats[i * 65 + column], sums[i]) << rows << " steps";
    }
  }
}

/// Sums that are rounded: near those in double precision, and the same bits however many threads share them.
TEST_P(OpenMatrixUnit, IsRoundedAlikeByAnyNumberOfThreads) {
  constexpr int64_t rows = 130, steps = 1200, columns = 300;
  Program program(R"mlir(
train.program @rounded {
  train.input @x : tensor<130x1200xf32>
  train.input @w : tensor<1200x300xf32>
  train.output prediction @y : tensor<130x300xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<130x1200xf32>
    %w = train.read @w : tensor<1200x300xf32>
    %y = nn.matmul %x, %w : tensor<130x1200xf32>, tensor<1200x300xf32>
    train.write %y, @y : tensor<130x300xf32>
  }
})mlir");
  ASSERT_TRUE(program);
  program.addToRecipe({{"precision", "bf16"}});
  auto model = CompiledModel::compile(program, optionsFor(GetParam()), 1);
  ASSERT_TRUE(model);
  std::mt19937 random(1);
  Tensor x = Tensor::zeros(interpret::DType::F32, {rows, steps}),
         w = Tensor::zeros(interpret::DType::F32, {steps, columns});
  for (Tensor *tensor : {&x, &w})
    for (double &number : tensor->floats) // as bf16 has it, of many magnitudes
      number = std::ldexp(int(random() % 255) - 127, -int(random() % 12));
  std::vector<double> first;
  for (int threads : {1, 2, 5}) {
    ASSERT_TRUE(threads == 1 || model->startAnew(threads));
    std::vector<Tensor> outputs{Tensor::zeros(interpret::DType::F32, {rows, columns})};
    ASSERT_TRUE(model->predict(1, {x, w}, outputs));
    if (threads == 1)
      first = outputs[0].floats;
    EXPECT_TRUE(outputs[0].floats == first) << threads << " threads";
  }
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      double sum = 0, sizes = 0;
      for (int64_t step = 0; step < steps; ++step) {
        const double term = x.floats[row * steps + step] * w.floats[step * columns + column];
        sum += term;
        sizes += std::abs(term);
      }
      ASSERT_NEAR(first[row * columns + column], sum, 1e-6 * sizes) << "row " << row << ", column " << column;
    }
}

INSTANTIATE_TEST_SUITE_P(Products, OpenMatrixUnit, testing::ValuesIn(units),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace dlc::numerics
