//===- KeptRowsTest.cpp - rows that a GPU's threads keep in registers ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A normalization and a softmax go through the same row several times, forward and backward. Where threads have
// few elements each, and as many, they keep what they read and computed (compiler/target/gpu/Rows.h); next to
// these sizes are those at which they do not.
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"
#include "tests/numerics/FirstStep.h"

namespace dlc::numerics {
namespace {

struct RowsCase {
  const char *name;
  int64_t rows, width;
  const char *type = "f32";
  bool isNarrow = false; ///< a product of bfloat16 follows
};

struct KeptRows : testing::TestWithParam<RowsCase> {
  void SetUp() override { CompiledModel::loadDialects(); }
};

constexpr char formula[] = R"mlir(
train.program @rows {
  train.state parameter @p : ROW = dense<0.25>
  train.state parameter @scale : ROW = dense<1.5>
  train.state parameter @bias : ROW = dense<-0.5>
  train.input @x : FULL
  train.input target @t : FULL
  train.output loss @loss : tensor<TYPE>
  train.function forward @forward {
    %p = train.read @p : ROW
    %scale = train.read @scale : ROW
    %bias = train.read @bias : ROW
    %x = train.read @x : FULL
    %t = train.read @t : FULL
    %0 = nn.mul %x, %p : FULL, ROW
    %1, %mean, %rstd = nn.layer_norm %0, %scale, %bias axis 1 epsilon 1.0e-5 : FULL, ROW, ROW
    %2 = nn.softmax %1 axis 1 : FULL
    %3 = nn.mul %2, %x : FULL, FULL
    %4 = nn.add %3, %1 : FULL, FULL
LAST
    %loss, %weight = nn.mse_loss mean %y, %t : FULL, FULL
    train.loss %loss, %weight : tensor<TYPE>, tensor<TYPE>
  }
})mlir";

TEST_P(KeptRows, TrainAsTheInterpreterDoes) {
  const RowsCase &it = GetParam();
  const std::string width = std::to_string(it.width);
  std::string text = formula;
  auto put = [&](const std::string &what, const std::string &by) {
    for (size_t at; (at = text.find(what)) != std::string::npos;)
      text.replace(at, what.size(), by);
  };
  put("LAST", it.isNarrow ? "    %y = nn.matmul %4, %w : FULL, SQUARE" : "    %y = nn.mul %4, %2 : FULL, FULL");
  if (it.isNarrow) {
    put("  train.input @x", "  train.state parameter @w : SQUARE = dense<0.01>\n  train.input @x ");
    put("    %x = train.read", "    %w = train.read @w : SQUARE\n    %x  = train.read");
  }
  put("FULL", "tensor<" + std::to_string(it.rows) + "x" + width + "xTYPE>");
  put("SQUARE", "tensor<" + width + "x" + width + "xTYPE>");
  put("ROW", "tensor<" + width + "xTYPE>");
  put("TYPE", it.type);
  Program program(text);
  ASSERT_TRUE(program) << takeErrors() << text;
  pipeline::Options options;
  options.precision = it.isNarrow ? "bf16" : "fp32";
  EXPECT_EQ(compareFirstStep(program, options).difference, "");
}

INSTANTIATE_TEST_SUITE_P(Sizes, KeptRows,
                         testing::Values(RowsCase{"two_each", 8, 64}, RowsCase{"three_each", 16, 96},
                                         RowsCase{"sixteen_each", 8, 512}, RowsCase{"by_two_warps", 4, 768},
                                         RowsCase{"doubles", 8, 128, "f64"},
                                         RowsCase{"before_a_narrow_product", 8, 64, "f32", true},
                                         RowsCase{"one_row", 1, 64}, RowsCase{"odd_rows", 271, 64},
                                         RowsCase{"not_for_each_thread", 8, 65}),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace dlc::numerics
