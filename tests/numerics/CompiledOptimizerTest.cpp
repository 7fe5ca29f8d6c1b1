//===- CompiledOptimizerTest.cpp - compiled updates against torch.optim ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each optimizer, compiled for float32, must give torch.optim's parameters in float64 to within 1e-6 of them
// after one update, and little more after three.
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"
#include "tests/numerics/OptimizerCases.h"

#include <algorithm>

namespace dlc::numerics {
namespace {

constexpr interpret::DType dtype = interpret::DType::F32;

void checkUpdates(const OptimizerCase &test, tests::Differences &differences) {
  SCOPED_TRACE(test.title);
  differences.startCase(test.optimizer);
  Program program(test.program("f32"));
  ASSERT_TRUE(program);
  program.addToRecipe(test.recipe());
  auto model = CompiledModel::compile(program);
  ASSERT_TRUE(model) << takeErrors();
  ASSERT_TRUE(model->write("w", test.tensorOf(test.parameter, dtype)));
  for (size_t step = 0; step < test.gradients.size(); ++step) {
    float loss = 0;
    Tensor w = test.tensorOf(test.parameter, dtype);
    ASSERT_TRUE(model->trainStep({test.tensorOf(test.gradients[step], dtype)}, loss));
    ASSERT_TRUE(model->read("w", w));
    EXPECT_TRUE(agree(w, test.tensorOf(test.updated[step], dtype), 1e-6 * double(step + 1), 1e-2))
        << "step " << step + 1;
    note(differences, w, test.tensorOf(test.updated[step], dtype), 1e-2);
  }
}

TEST(CompiledOptimizer, UpdatesAsPyTorchDoes) {
  CompiledModel::loadDialects();
  tests::Differences differences;
  for (const OptimizerCase &test : optimizerCases())
    if (test.initialSum.value_or(0) == 0) // a slot's start is no parameter: it is 0
      checkUpdates(test, differences);
}

TEST(CompiledOptimizer, UpdatesTheSameByGroups) {
  CompiledModel::loadDialects();
  tests::Differences differences;
  for (const OptimizerCase &test : optimizerCases())
    if (test.initialSum.value_or(0) == 0)
      checkUpdates(byGroup(test), differences);
}

/// The first case: gradient descent with the rate 0.1 alone.
OptimizerCase plainDescent() { return optimizerCases().front(); }

TEST(CompiledOptimizer, PutsGradientsBetweenBounds) {
  CompiledModel::loadDialects();
  OptimizerCase test = plainDescent();
  Program program(test.program("f32"));
  program.addToRecipe(test.recipe());
  program.addToRecipe({{"clip_grad_value", "0.5"}});
  auto model = CompiledModel::compile(program);
  ASSERT_TRUE(model && model->write("w", test.tensorOf(test.parameter, dtype))) << takeErrors();
  std::vector<double> expected = test.parameter;
  for (const std::vector<double> &gradient : test.gradients) {
    float loss = 0;
    Tensor w = test.tensorOf(test.parameter, dtype);
    ASSERT_TRUE(model->trainStep({test.tensorOf(gradient, dtype)}, loss) && model->read("w", w));
    for (size_t i = 0; i < expected.size(); ++i)
      expected[i] -= 0.1 * std::clamp(gradient[i], -0.5, 0.5);
    EXPECT_TRUE(agree(w, test.tensorOf(expected, dtype), 1e-6));
  }
}

TEST(CompiledOptimizer, AveragesParametersAsPyTorchDoes) {
  // torch.optim.swa_utils.AveragedModel with get_ema_multi_avg_fn(0.75): a copy first, then a moving average.
  CompiledModel::loadDialects();
  OptimizerCase test = plainDescent();
  Program program(test.program("f32"));
  program.addToRecipe(test.recipe());
  program.addToRecipe({{"ema_decay", "0.75"}});
  auto model = CompiledModel::compile(program);
  ASSERT_TRUE(model && model->write("w", test.tensorOf(test.parameter, dtype))) << takeErrors();
  std::vector<double> expected = test.updated[0];
  for (size_t step = 0; step < test.gradients.size(); ++step) {
    float loss = 0;
    Tensor average = test.tensorOf(test.parameter, dtype);
    ASSERT_TRUE(model->trainStep({test.tensorOf(test.gradients[step], dtype)}, loss));
    ASSERT_TRUE(model->read("w.ema", average));
    for (size_t i = 0; i < expected.size(); ++i)
      expected[i] += 0.25 * (test.updated[step][i] - expected[i]);
    EXPECT_TRUE(agree(average, test.tensorOf(expected, dtype), 1e-6)) << "step " << step + 1;
  }
}

} // namespace
} // namespace dlc::numerics
