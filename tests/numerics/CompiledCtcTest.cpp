//===- CompiledCtcTest.cpp - the loss of sequences, compiled ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cases of CtcCases.h in float32: loss and gradient, evaluation of all sequences and of fewer, and what
// is refused before a step.
//===----------------------------------------------------------------------===//
#include "compiler/forward/Passes.h"
#include "tests/numerics/CompiledModel.h"
#include "tests/numerics/CtcCases.h"

#include <cmath>

namespace dlc::numerics {
namespace {

using interpret::DType;

struct CompiledCtc : testing::TestWithParam<CtcCase> {
  void SetUp() override { CompiledModel::loadDialects(); }
};

std::unique_ptr<CompiledModel> compiled(const CtcCase &test, std::vector<Tensor> &inputs,
                                        const train::RecipeSettings &more = {}) {
  Program program = test.program("f32");
  program.addToRecipe(test.recipe());
  program.run(forward::createAttachLoss());
  program.addToRecipe(more);
  auto model = CompiledModel::compile(program);
  inputs = test.targets();
  inputs.insert(inputs.begin(), test.input(DType::F32));
  EXPECT_TRUE(model && model->write("w", test.parameter(DType::F32))) << takeErrors();
  return model;
}

/// The first rows; a batch that is not the first axis is cut there.
Tensor firstRows(const Tensor &tensor, size_t axis, int64_t rows) {
  int64_t outer = 1, inner = 1;
  for (size_t i = 0; i < tensor.shape.size(); ++i)
    (i < axis ? outer : inner) *= i == axis ? 1 : tensor.shape[i];
  std::vector<int64_t> shape(tensor.shape.begin(), tensor.shape.end());
  shape[axis] = rows;
  Tensor part = Tensor::zeros(tensor.dtype, shape);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < rows * inner; ++i) {
      const int64_t from = o * tensor.shape[axis] * inner + i, to = o * rows * inner + i;
      if (tensor.isFloat())
        part.floats[to] = tensor.floats[from];
      else
        part.ints[to] = tensor.ints[from];
    }
  return part;
}

void checkEvaluation(const CtcCase &test, CompiledModel &model, const std::vector<Tensor> &inputs) {
  const Tensor parameter = test.parameter(DType::F64);
  const bool isMean = test.reduction == std::string("mean");
  double sum = 0;
  for (int64_t rows = 1; rows <= test.batch; ++rows) {
    sum += test.lossOf(rows - 1, parameter) /
           (isMean ? double(std::max<int64_t>(test.labelLengths[rows - 1], 1)) : 1);
    std::vector<Tensor> some;
    for (const Tensor &input : inputs)
      some.push_back(firstRows(input, some.empty() ? std::string(test.order).find('b') : 0, rows));
    dlc_metrics metrics;
    ASSERT_TRUE(model.evalStep(rows, some, metrics));
    if (std::isinf(sum))
      EXPECT_EQ(metrics.loss_sum, sum);
    else
      EXPECT_NEAR(metrics.loss_sum, sum, 2e-6 * std::fmax(1, sum));
    EXPECT_EQ(metrics.loss_weight, isMean ? double(rows) : 1);
    EXPECT_EQ(metrics.correct, 0);
  }
}

TEST_P(CompiledCtc, TrainsAndEvaluatesByTheDefinition) {
  const CtcCase &test = GetParam();
  std::vector<Tensor> inputs;
  auto model = compiled(test, inputs);
  ASSERT_TRUE(model);
  float loss = 0;
  ASSERT_TRUE(model->gradStep(inputs, loss));
  if (std::isinf(test.loss))
    EXPECT_EQ(loss, test.loss);
  else
    EXPECT_NEAR(loss, test.loss, 2e-6 * std::fmax(1, test.loss));
  Tensor gradient = Tensor::zeros(DType::F32, test.parameterShape());
  ASSERT_TRUE(model->readGradient("w", gradient));
  EXPECT_TRUE(agree(gradient, test.gradient(), 3e-6));
  checkEvaluation(test, *model, inputs);
}

INSTANTIATE_TEST_SUITE_P(Case, CompiledCtc, testing::ValuesIn(ctcCases()),
                         [](const auto &info) { return info.param.name; });

struct CtcPrograms : testing::Test {
  void SetUp() override { CompiledModel::loadDialects(); }
};

TEST_F(CtcPrograms, LabelsAndLengthsOutOfRangeAreRefused) {
  std::vector<Tensor> inputs;
  auto model = compiled(ctcCases().front(), inputs);
  ASSERT_TRUE(model);
  const struct {
    size_t input;
    int64_t value;
    const char *says;
  } wrong[] = {
      {1, 3, "input 'labels': value 3 at position 0, expected 0 to 2 (or -100 to ignore the row)"},
      {1, -1, "input 'labels': value -1 at position 0, expected 0 to 2"},
      {2, 6, "input 'input_lengths': value 6 at position 0, expected 0 to 5"},
      {2, -1, "input 'input_lengths': value -1 at position 0, expected 0 to 5"},
      {3, 3, "input 'label_lengths': value 3 at position 0, expected 0 to 2"},
      {3, -1, "input 'label_lengths': value -1 at position 0, expected 0 to 2"},
  };
  for (const auto &[input, value, says] : wrong) {
    std::vector<Tensor> given = inputs;
    given[input].ints[0] = value;
    float loss = 0;
    EXPECT_EQ(model->statusOfGradStep(given, loss), DLC_INDEX_OUT_OF_RANGE) << says;
    EXPECT_EQ(model->lastError().substr(0, std::string(says).size()), says);
  }
}

TEST_F(CtcPrograms, LowPrecisionRoundsNoLogarithm) {
  // The model has no product: with bf16 the loss is the same.
  std::vector<Tensor> inputs;
  const CtcCase &test = ctcCases().front();
  auto model = compiled(test, inputs, {{"precision", "bf16"}});
  ASSERT_TRUE(model);
  float loss = 0;
  ASSERT_TRUE(model->gradStep(inputs, loss));
  EXPECT_NEAR(loss, test.loss, 2e-6);
}

} // namespace
} // namespace dlc::numerics
