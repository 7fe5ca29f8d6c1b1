//===- LargeProductsTest.cpp - contractions in blocks, with copied operands ===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reduction is longer than a block, and no size is a multiple of a tile, a vector or a block. The factors
// are small multiples of a power of two, so that all sums are exact.
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <random>

namespace dlc::numerics {
namespace {

struct Product {
  const char *name;
  int64_t m, n, k;
  bool transposeA, transposeB;
  bool keep;         ///< whether the product is an output too, beside what the epilogue makes of it
  bool gelu = false; ///< follows instead of a ReLU
};

std::string programText(const Product &p) {
  std::string a = p.transposeA ? llvm::formatv("tensor<{0}x{1}xf32>", p.k, p.m)
                               : llvm::formatv("tensor<{0}x{1}xf32>", p.m, p.k);
  std::string b = p.transposeB ? llvm::formatv("tensor<{0}x{1}xf32>", p.n, p.k)
                               : llvm::formatv("tensor<{0}x{1}xf32>", p.k, p.n);
  std::string c = llvm::formatv("tensor<{0}x{1}xf32>", p.m, p.n);
  return llvm::formatv(R"mlir(
train.program @product {{
  train.input @a : {0}
  train.input @b : {1}
  train.input @bias : tensor<{3}xf32>
  train.output prediction @y : {2}
  {5}train.output prediction @c : {2}
  train.function forward @forward {{
    %a = train.read @a : {0}
    %b = train.read @b : {1}
    %bias = train.read @bias : tensor<{3}xf32>
    %c = nn.matmul %a, %b {4} : {0}, {1}
    %0 = nn.add %c, %bias : {2}, tensor<{3}xf32>
    %y = nn.{6} %0 : {2}
    train.write %y, @y : {2}
    {5}train.write %c, @c : {2}
  }
})mlir",
                       a, b, c, p.n,
                       p.transposeA   ? "transpose_a"
                       : p.transposeB ? "transpose_b"
                                      : "",
                       p.keep ? "" : "// ", p.gelu ? "gelu" : "relu");
}

struct LargeProducts : testing::TestWithParam<std::tuple<Product, const char *>> {
  void SetUp() override { CompiledModel::loadDialects(); }
};

TEST_P(LargeProducts, AreSumsInOrder) {
  auto [p, cpu] = GetParam();
  if (!CompiledModel::runsHere(cpu))
    GTEST_SKIP() << "this machine lacks instructions of " << cpu;
  Program program(programText(p));
  ASSERT_TRUE(program);
  pipeline::Options options;
  options.cpu = cpu;
  auto model = CompiledModel::compile(program, options);
  ASSERT_TRUE(model);
  std::mt19937 random(1);
  auto numbers = [&](std::vector<int64_t> shape) {
    Tensor tensor = Tensor::zeros(interpret::DType::F32, shape);
    for (double &number : tensor.floats)
      number = double(int64_t(random() % 65) - 32) / 64;
    return tensor;
  };
  Tensor a = p.transposeA ? numbers({p.k, p.m}) : numbers({p.m, p.k});
  Tensor b = p.transposeB ? numbers({p.n, p.k}) : numbers({p.k, p.n});
  Tensor bias = numbers({p.n});
  std::vector<Tensor> outputs(p.keep ? 2 : 1, Tensor::zeros(interpret::DType::F32, {p.m, p.n}));
  ASSERT_TRUE(model->predict(1, {a, b, bias}, outputs));
  for (int64_t i = 0; i < p.m; ++i)
    for (int64_t j = 0; j < p.n; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < p.k; ++k)
        sum += a.floats[p.transposeA ? k * p.m + i : i * p.k + k] *
               b.floats[p.transposeB ? j * p.k + k : k * p.n + j];
      double y = outputs[0].floats[i * p.n + j], x = sum + bias.floats[j];
      if (p.gelu)
        ASSERT_NEAR(y, 0.5 * x * std::erfc(-x * M_SQRT1_2), 1e-6 * std::abs(x)) << i << ", " << j;
      else
        ASSERT_EQ(y, std::max(0.0, x)) << i << ", " << j;
      if (p.keep)
        ASSERT_EQ(outputs[1].floats[i * p.n + j], sum) << i << ", " << j;
    }
}

std::string nameOf(const testing::TestParamInfo<LargeProducts::ParamType> &info) {
  llvm::StringRef cpu = std::get<1>(info.param);
  return std::get<0>(info.param).name + std::string(cpu == "native"      ? ""
                                                    : cpu == "x86-64-v3" ? "_avx2"
                                                                         : "_intel");
}

INSTANTIATE_TEST_SUITE_P(
    Shape, LargeProducts,
    testing::Combine(
        testing::Values(Product{"rows_and_columns", 301, 269, 2101, true, false, false},
                        Product{"kept", 301, 269, 2101, true, false, true},
                        Product{"few_columns", 301, 330, 700, true, false, false}, // rows are shared too
                        Product{"columns", 141, 301, 1025, false, false, false},
                        Product{"across", 133, 37, 2117, false, true, false},
                        Product{"across_kept", 259, 141, 700, false, true, true},
                        Product{"many_columns_across", 67, 4113, 129, false, true, false}, // panel by panel
                        Product{"batch", 301, 269, 200, true, false, false},
                        Product{"batch_kept", 301, 269, 200, true, false, true},
                        Product{"few_rows", 13, 70, 9001, false, false, false},
                        Product{"gelu", 31, 301, 40, false, false, false, true}, // functions, row by row
                        Product{"gelu_of_long", 64, 128, 700, true, false, true, true}),
        testing::ValuesIn(CompiledModel::cpus({"native", "x86-64-v3", "cascadelake"}))),
    nameOf);

} // namespace
} // namespace dlc::numerics
