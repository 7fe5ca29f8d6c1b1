//===- ScatterTest.cpp - sums at computed positions, in chunks -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables large enough that several chunks own parts of them, and indices that repeat, that count from the
// end, and that are no positions at all. Sums are rounded after each step, so only those in the order of the
// indices have the right bits.
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"
#include "llvm/Support/FormatVariadic.h"

#include <random>

namespace dlc::numerics {
namespace {

struct Case {
  const char *name;
  std::vector<int64_t> table, indices;
  size_t axis;
  const char *indexType, *elementType;
};

std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text;
}

int64_t product(llvm::ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

struct Scatter : testing::TestWithParam<std::tuple<Case, const char *>> {
  void SetUp() override { CompiledModel::loadDialects(); }
};

TEST_P(Scatter, AddsWhereTheIndicesSay) {
  auto [c, cpu] = GetParam();
  if (llvm::StringRef(cpu) == "x86-64-v3" && !__builtin_cpu_supports("avx2"))
    GTEST_SKIP() << "this machine has no AVX2";
  llvm::ArrayRef<int64_t> table = c.table;
  std::vector<int64_t> before = table.take_front(c.axis).vec(), after = table.drop_front(c.axis + 1).vec();
  std::vector<int64_t> updates = before;
  llvm::append_range(updates, c.indices);
  llvm::append_range(updates, after);
  std::string indexType = "tensor<" + shapeText(c.indices) + c.indexType + ">";
  std::string updateType = "tensor<" + shapeText(updates) + c.elementType + ">";
  std::string tableType = "tensor<" + shapeText(table) + c.elementType + ">";
  Program program(llvm::formatv(R"mlir(
train.program @scatter {{
  train.input @ids : {0}
  train.input @u : {1}
  train.output prediction @y : {2}
  train.function forward @forward {{
    %ids = train.read @ids : {0}
    %u = train.read @u : {1}
    %y = nn.scatter_add %ids, %u axis {3} : {0}, {1} -> {2}
    train.write %y, @y : {2}
  }
})mlir",
                                indexType, updateType, tableType, c.axis)
                      .str());
  ASSERT_TRUE(program);
  pipeline::Options options;
  options.cpu = cpu;
  auto model = CompiledModel::compile(program, options);
  ASSERT_TRUE(model);

  std::mt19937 random(1);
  auto dtype = llvm::StringRef(c.elementType) == "f32"   ? interpret::DType::F32
               : llvm::StringRef(c.elementType) == "f64" ? interpret::DType::F64
                                                         : interpret::DType::I64;
  Tensor ids = Tensor::zeros(
      llvm::StringRef(c.indexType) == "i64" ? interpret::DType::I64 : interpret::DType::I32, c.indices);
  Tensor u = Tensor::zeros(dtype, updates), y = Tensor::zeros(dtype, table), expected = y;
  int64_t size = table[c.axis];
  for (size_t i = 0; i < ids.ints.size(); ++i) {
    int64_t any = int64_t(random() % uint64_t(2 * size)) - size; // negative ones count from the end
    int64_t often = size / 3,
            outside = i % 2 ? size + int64_t(random() % 5) : -size - 1 - int64_t(random() % 5);
    ids.ints[i] = i % 7 == 0 ? often : i % 11 == 0 ? outside : any;
  }
  for (int64_t i = 0; i < u.size(); ++i) {
    int64_t number = int64_t(random() % 65) - 32;
    if (u.isFloat())
      u.floats[i] = static_cast<float>(double(number) / 63);
    else
      u.ints[i] = number;
  }
  int64_t inner = product(after), count = product(c.indices);
  for (int64_t a = 0; a < product(before); ++a)
    for (int64_t i = 0; i < count; ++i) {
      int64_t at = ids.ints[i] < 0 ? ids.ints[i] + size : ids.ints[i];
      for (int64_t d = 0; d < inner && at >= 0 && at < size; ++d) {
        int64_t to = (a * size + at) * inner + d, from = (a * count + i) * inner + d;
        if (u.isFloat())
          expected.floats[to] = dtype == interpret::DType::F32 ? static_cast<float>(expected.floats[to]) +
                                                                     static_cast<float>(u.floats[from])
                                                               : expected.floats[to] + u.floats[from];
        else
          expected.ints[to] += u.ints[from];
      }
    }
  ASSERT_TRUE(model->predict(1, {ids, u}, y));
  EXPECT_EQ(y.floats, expected.floats);
  EXPECT_EQ(y.ints, expected.ints);
}

const Case cases[] = {
    {"words", {1009, 37}, {301}, 0, "i64", "f32"},
    {"fewWords", {3, 9001}, {40}, 0, "i32", "f32"},
    {"oneLane", {30011}, {5000}, 0, "i64", "f32"},
    {"lastDim", {33, 515}, {70}, 1, "i64", "f32"},
    {"between", {5, 300, 17}, {4, 9}, 1, "i32", "f32"},
    {"doubles", {515, 50}, {6, 25}, 0, "i64", "f64"},
    {"integers", {700, 31}, {64}, 0, "i64", "i64"},
    {"moreIndicesThanWords", {7, 16}, {4099}, 0, "i64", "f32"},
};

INSTANTIATE_TEST_SUITE_P(All, Scatter,
                         testing::Combine(testing::ValuesIn(cases),
                                          testing::ValuesIn(CompiledModel::cpus({"native", "x86-64-v3"}))),
                         [](const auto &info) {
                           std::string cpu = std::get<1>(info.param);
                           return std::string(std::get<0>(info.param).name) +
                                  (cpu == "native" ? "" : "_avx2");
                         });

} // namespace
} // namespace dlc::numerics
