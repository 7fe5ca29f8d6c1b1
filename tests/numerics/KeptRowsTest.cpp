//===- KeptRowsTest.cpp - rows that a GPU's threads keep in registers ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A normalization and a softmax go through the same row several times, forward and backward. Where threads
// have few elements each, and as many, they keep what they read and computed (compiler/machine/gpu/Rows.h);
// next to these sizes are those at which they do not.
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"
#include "tests/numerics/FirstStep.h"

namespace dlc::numerics {
namespace {

struct RowsCase {
  const char *name;
  int64_t rows, width;
  const char *type = "f32", *precision = "fp32";

  friend void PrintTo(const RowsCase &it, std::ostream *stream) { *stream << it.name; }
};

struct KeptRows : testing::TestWithParam<RowsCase> {
  void SetUp() override { CompiledModel::loadDialects(); }
};

// The parameter has a number for each row: finite differences take a while for more. What the product at the
// end reads is rounded where precision is low, in the kernel that computes it.
constexpr char formula[] = R"mlir(
train.program @rows {
  train.state parameter @p : tensor<ROWSx1xTYPE> = dense<0.25>
  train.input @x : FULL
  train.input @w : tensor<WIDTHx2xTYPE>
  train.input target @t : tensor<ROWSx2xTYPE>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %p = train.read @p : tensor<ROWSx1xTYPE>
    %x = train.read @x : FULL
    %w = train.read @w : tensor<WIDTHx2xTYPE>
    %t = train.read @t : tensor<ROWSx2xTYPE>
    %scale = nn.constant dense<1.5> : tensor<WIDTHxTYPE>
    %bias = nn.constant dense<-0.5> : tensor<WIDTHxTYPE>
    %square = nn.mul %x, %x : FULL, FULL
    %0 = nn.mul %square, %p : FULL, tensor<ROWSx1xTYPE>
    %1 = nn.add %0, %x : FULL, FULL
    %2, %mean, %rstd = nn.layer_norm %1, %scale, %bias axis 1 epsilon 1.0e-5 : FULL, tensor<WIDTHxTYPE>, tensor<WIDTHxTYPE>
    %3 = nn.softmax %2 axis 1 : FULL
    %4 = nn.mul %3, %x : FULL, FULL
    %5 = nn.add %4, %2 : FULL, FULL
    %y = nn.matmul %5, %w : FULL, tensor<WIDTHx2xTYPE>
    %loss, %weight = nn.mse_loss mean %y, %t : tensor<ROWSx2xTYPE>, tensor<ROWSx2xTYPE>
    train.loss %loss, %weight : tensor<TYPE>, tensor<TYPE>
  }
})mlir";

TEST_P(KeptRows, TrainAsTheInterpreterDoes) {
  const RowsCase &it = GetParam();
  std::string text = formula;
  auto put = [&](const std::string &what, const std::string &by) {
    for (size_t at; (at = text.find(what)) != std::string::npos;)
      text.replace(at, what.size(), by);
  };
  put("FULL", "tensor<ROWSxWIDTHxTYPE>");
  put("ROWS", std::to_string(it.rows));
  put("WIDTH", std::to_string(it.width));
  put("TYPE", it.type);
  Program program(text);
  ASSERT_TRUE(program) << takeErrors() << text;
  program.addToRecipe({{"precision", it.precision}});
  EXPECT_EQ(compareFirstStep(program, {}).difference, "");
}

INSTANTIATE_TEST_SUITE_P(Sizes, KeptRows,
                         testing::Values(RowsCase{"two_each", 8, 64}, RowsCase{"three_each", 16, 96},
                                         RowsCase{"sixteen_each", 8, 512}, RowsCase{"by_two_warps", 4, 768},
                                         RowsCase{"doubles", 8, 128, "f64"},
                                         RowsCase{"narrow", 8, 64, "f32", "bf16"}, RowsCase{"one_row", 1, 64},
                                         RowsCase{"odd_rows", 135, 64}, RowsCase{"not_for_each", 8, 65}),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace dlc::numerics
