//===- ShortRowsTest.cpp - rows of a few elements, side by side ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of two to seventeen elements, in as many groups of lanes as fit and a rest: what is read, what
// operations hand to each other and what is stored are exchanged between rows and lanes.
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace dlc::numerics {
namespace {

struct ShortRows : testing::TestWithParam<std::tuple<int, const char *, const char *>> {};

TEST_P(ShortRows, AreExchangedWithLanes) {
  auto [size, dtype, cpu] = GetParam();
  if (!CompiledModel::runsHere(cpu))
    GTEST_SKIP() << "this machine lacks instructions of " << cpu;
  CompiledModel::loadDialects();
  constexpr int64_t outer = 2, rows = 155;
  std::string type = llvm::formatv("tensor<{0}x{1}x{2}x{3}>", outer, rows, size, dtype);
  Program program(llvm::formatv(R"mlir(
train.program @rows {{
  train.input @x : {0}
  train.input @z : {0}
  train.output prediction @p : {0}
  train.output prediction @q : {0}
  train.function forward @forward {{
    %x = train.read @x : {0}
    %z = train.read @z : {0}
    %p = nn.softmax %x axis 2 : {0}
    train.write %p, @p : {0}
    %0 = nn.mul %p, %z : {0}, {0}
    %q = nn.softmax %0 axis 2 : {0}
    train.write %q, @q : {0}
  }
})mlir",
                                type));
  ASSERT_TRUE(program);
  pipeline::Options options;
  options.cpu = cpu;
  auto model = CompiledModel::compile(program, options);
  ASSERT_TRUE(model) << takeErrors();
  bool isDouble = llvm::StringRef(dtype) == "f64";
  Tensor x = Tensor::zeros(isDouble ? interpret::DType::F64 : interpret::DType::F32, {outer, rows, size}),
         z = x;
  for (size_t i = 0; i < x.floats.size(); ++i) {
    x.floats[i] = double(int64_t(i * 37 % 101) - 50) / 32;
    z.floats[i] = double(int64_t(i * 53 % 97) - 48) / 8;
  }
  std::vector<Tensor> found{x, x};
  ASSERT_TRUE(model->predict(1, {x, z}, found));
  Tensor p = x, q = x;
  auto softmax = [size = size](const double *from, double *to) {
    double sum = 0;
    for (int i = 0; i < size; ++i)
      sum += std::exp(from[i]);
    for (int i = 0; i < size; ++i)
      to[i] = std::exp(from[i]) / sum;
  };
  for (int64_t row = 0; row < outer * rows; ++row) {
    int64_t at = row * size;
    softmax(&x.floats[at], &p.floats[at]);
    for (int64_t i = at; i < at + size; ++i)
      q.floats[i] = p.floats[i] * z.floats[i];
    softmax(&q.floats[at], &q.floats[at]);
  }
  double tolerance = isDouble ? 1e-14 : 1e-6;
  EXPECT_TRUE(agree(found[0], p, tolerance));
  EXPECT_TRUE(agree(found[1], q, tolerance));
}

INSTANTIATE_TEST_SUITE_P(Size, ShortRows,
                         testing::Combine(testing::Values(2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 16, 17),
                                          testing::Values("f32", "f64"),
                                          testing::ValuesIn(CompiledModel::cpus({"native", "x86-64-v3"}))),
                         [](const testing::TestParamInfo<ShortRows::ParamType> &info) {
                           llvm::StringRef cpu = std::get<2>(info.param);
                           return llvm::formatv("{0}_{1}_{2}", std::get<0>(info.param),
                                                std::get<1>(info.param), cpu == "native" ? "native" : "avx2")
                               .str();
                         });

} // namespace
} // namespace dlc::numerics
