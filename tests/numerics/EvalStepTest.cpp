//===- EvalStepTest.cpp - compiled evaluation against PyTorch -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole of what eval_step gives, of every loss with its options, for a full batch and for fewer rows: the
// sum, what a mean divides by, and how many rows are right, as PyTorch has them (eval_steps.json, written by
// make_eval_steps.py).
//===----------------------------------------------------------------------===//
#include "compiler/forward/Passes.h"
#include "tests/numerics/CompiledModel.h"
#include "tests/numerics/LossOptions.h"

#include <cmath>

namespace dlc::numerics {
namespace {

std::vector<int64_t> integers(const llvm::json::Object &test, llvm::StringRef key) {
  std::vector<int64_t> numbers;
  for (const llvm::json::Value &number : *test.getArray(key))
    numbers.push_back(*number.getAsInteger());
  return numbers;
}

/// Scores that are an input times a parameter of ones, for up to `shape[0]` rows: of these it is not known
/// that they can become anything, with which some losses cannot work.
std::string programText(llvm::ArrayRef<int64_t> shape) {
  std::string sizes, dims;
  for (int64_t size : shape.drop_front()) {
    sizes += llvm::formatv("x{0}", size);
    dims += ", _";
  }
  return llvm::formatv(R"mlir(
train.program @scored {{
  train.dim @batch = {0}
  train.state parameter @b : tensor<1{1}xf32> = dense<1.0>
  train.input @x : {2}
  train.output prediction @y : {2}
  train.function forward @forward {{
    %x = train.read @x : {2}
    %b = train.read @b : tensor<1{1}xf32>
    %y = nn.mul %x, %b : {2}, tensor<1{1}xf32>
    train.write %y, @y : {2}
  }
})mlir",
                       shape.front(), sizes,
                       llvm::formatv("tensor<?{0}xf32, #nn.dims<batch{1}>>", sizes, dims));
}

/// The first rows.
Tensor firstRows(const Tensor &tensor, int64_t rows) {
  Tensor part = tensor;
  size_t count = static_cast<size_t>(tensor.size() / tensor.shape[0] * rows);
  part.shape[0] = rows;
  (tensor.isFloat() ? part.floats.resize(count) : part.ints.resize(count));
  return part;
}

struct EvalStep : testing::TestWithParam<size_t> {};

TEST_P(EvalStep, IsPyTorchs) {
  llvm::json::Value file = readJson("eval_steps.json");
  const llvm::json::Object &test = *(*file.getAsArray())[GetParam()].getAsObject();
  llvm::json::Value given(llvm::json::Object(*test.getObject("options")));
  SCOPED_TRACE(llvm::formatv("{0} {1}", test.getString("loss"), given).str());
  CompiledModel::loadDialects();
  LossOptions options(test);
  std::vector<int64_t> shape = integers(test, "shape"), labelShape = shape;
  labelShape.erase(labelShape.begin() + 1);
  Program program(programText(shape));
  ASSERT_TRUE(program);
  program.addToRecipe(options.recipe);
  program.run(forward::createAttachLoss());
  auto model = CompiledModel::compile(program);
  ASSERT_TRUE(model) << takeErrors();

  Tensor x = tensorFrom(*test.get("input"), shape, interpret::DType::F32);
  auto labelType = options.labelType == "i32" ? interpret::DType::I32 : interpret::DType::I64;
  Tensor target = test.get("labels") ? tensorFrom(*test.get("labels"), labelShape, labelType)
                                     : tensorFrom(*test.get("target"), shape, interpret::DType::F32);
  for (const auto &[count, expected] : *test.getObject("rows")) {
    int64_t rows = std::stoll(count.str());
    SCOPED_TRACE(llvm::formatv("{0} rows", rows).str());
    dlc_metrics metrics;
    ASSERT_TRUE(model->evalStep(rows, {firstRows(x, rows), firstRows(target, rows)}, metrics));
    const llvm::json::Array &numbers = *expected.getAsArray();
    double sum = *numbers[0].getAsNumber(), weight = *numbers[1].getAsNumber();
    EXPECT_NEAR(metrics.loss_sum, sum, 2e-6 * std::fmax(1, std::fabs(sum)));
    EXPECT_NEAR(metrics.loss_weight, weight, 1e-6 * weight);
    EXPECT_EQ(metrics.correct, *numbers[2].getAsInteger());
    int64_t labels = 0; // of which a row may have several, without those that are ignored
    for (int64_t label : firstRows(target, rows).ints)
      labels += label != options.ignoreIndex;
    EXPECT_EQ(metrics.count, test.get("labels") ? labels : rows);
  }
}

INSTANTIATE_TEST_SUITE_P(Case, EvalStep,
                         testing::Range(size_t(0), readJson("eval_steps.json").getAsArray()->size()));

} // namespace
} // namespace dlc::numerics
