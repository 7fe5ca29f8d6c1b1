//===- OptimizerTest.cpp - updates against torch.optim --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stage backward attaches each optimizer to a program with one parameter as it does for a model. Its
// steps must give torch.optim's numbers in float64, also after the updates were decomposed.
//===----------------------------------------------------------------------===//
#include "compiler/backward/Passes.h"
#include "compiler/forward/Passes.h"
#include "compiler/lower/Passes.h"
#include "tests/numerics/OptimizerCases.h"
#include "tests/numerics/Programs.h"

namespace dlc::numerics {
namespace {

constexpr interpret::DType dtype = interpret::DType::F64;

void checkUpdates(const OptimizerCase &test, bool decompose, tests::Differences &differences) {
  SCOPED_TRACE(test.title);
  differences.startCase(test.optimizer);
  Program program(test.program("f64"));
  ASSERT_TRUE(program);
  program.addToRecipe(test.recipe());
  program.run(forward::createResolveModes());
  program.runBackward();
  if (decompose)
    program.run(lower::createDecompose());
  auto interpreter = interpret::Interpreter::create(program.get());
  ASSERT_TRUE(mlir::succeeded(interpreter)) << takeErrors();
  ASSERT_TRUE(mlir::succeeded(interpreter->setState("w", test.tensorOf(test.parameter, dtype))))
      << takeErrors();
  if (test.initialSum) {
    std::vector<double> sum(test.parameter.size(), *test.initialSum);
    ASSERT_TRUE(mlir::succeeded(interpreter->setState("w.sum", test.tensorOf(sum, dtype)))) << takeErrors();
  }
  for (size_t step = 0; step < test.gradients.size(); ++step) {
    Tensors inputs;
    inputs["g"] = test.tensorOf(test.gradients[step], dtype);
    ASSERT_TRUE(mlir::succeeded(interpreter->run("train_step", inputs))) << takeErrors();
    EXPECT_TRUE(agree(*interpreter->state("w"), test.tensorOf(test.updated[step], dtype), 1e-12, 1e-3))
        << "step " << step + 1;
    note(differences, *interpreter->state("w"), test.tensorOf(test.updated[step], dtype), 1e-3);
  }
  EXPECT_EQ(interpreter->state("step")->ints[0], int64_t(test.gradients.size()));
}

TEST(Optimizer, UpdatesAsPyTorchDoes) {
  tests::Differences differences;
  for (const OptimizerCase &test : optimizerCases())
    checkUpdates(test, /*decompose=*/false, differences);
}

TEST(Optimizer, UpdatesTheSameByGroups) {
  tests::Differences differences;
  for (const OptimizerCase &test : optimizerCases())
    checkUpdates(byGroup(test), /*decompose=*/false, differences);
}

TEST(Optimizer, UpdatesTheSameDecomposed) {
  tests::Differences differences;
  for (const OptimizerCase &test : optimizerCases())
    checkUpdates(test, /*decompose=*/true, differences);
}

} // namespace
} // namespace dlc::numerics
