//===- CompiledOpsTest.cpp - compiled operations and gradients ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cases of a family become one program that predicts all their results at once, which is compiled
// through the whole pipeline; the numbers must be PyTorch's as far as float32 goes. Their gradients,
// compiled as a training program, must be those that the interpreter computes in double precision; at kinks,
// and where a number is NaN or infinite, those of PyTorch.
// Dropout is not among them: its random state is the program's own, not an operand to choose (see
// CompiledStepTest.cpp).
//===----------------------------------------------------------------------===//
#include "compiler/backward/Passes.h"
#include "compiler/forward/Passes.h"
#include "tests/numerics/Batch.h"
#include "tests/numerics/CompiledModel.h"

#include <cmath>

namespace dlc::numerics {
namespace {

struct CompiledOps : testing::TestWithParam<std::string> {
  void SetUp() override { CompiledModel::loadDialects(); }

  static std::vector<OpCase> choose(llvm::function_ref<bool(const OpCase &)> wanted) {
    std::vector<OpCase> chosen;
    for (const OpCase &test : opCases())
      if (test.family == GetParam() && wanted(test))
        chosen.push_back(test);
    return chosen;
  }

  static void checkValues(std::vector<OpCase> cases, int64_t rows) {
    if (cases.empty())
      return;
    Batch batch(std::move(cases), Batch::Trained::Nothing);
    Program program(batch.text());
    ASSERT_TRUE(program);
    batch.writeResults(program);
    auto model = CompiledModel::compile(program);
    ASSERT_TRUE(model);
    ASSERT_TRUE(model->predict(rows, batch.inputs, batch.outputs));
    size_t at = 0;
    for (const OpCase &test : batch.cases)
      for (Tensor expected : test.outputs) {
        const Tensor &found = batch.outputs[at++];
        if (found.isFloat()) {
          expected.dtype = found.dtype;
          expected.roundToDType();
        }
        EXPECT_TRUE(agree(found, expected, 2e-5)) << test.name << ": " << test.text;
      }
  }
};

TEST_P(CompiledOps, AgreeWithPyTorch) {
  checkValues(choose([](const OpCase &test) { return test.dims.empty(); }), 1);
}

// Sizes of named dims are the program's, so these cases have a program of their own.
TEST_P(CompiledOps, AgreeForFewerRowsThanTheBound) {
  checkValues(choose([](const OpCase &test) { return !test.dims.empty(); }), 5);
}

TEST_P(CompiledOps, HaveTheGradientsOfTheInterpreter) {
  Batch batch(choose([](const OpCase &test) {
                return test.dims.empty() && !test.differentiate.empty() && test.op != "nn.cast";
              }),
              Batch::Trained::Differentiated);
  Program compiled(batch.text()), interpreted(batch.text());
  ASSERT_TRUE(compiled && interpreted);
  batch.addLoss(compiled);
  batch.addLoss(interpreted);
  interpreted.run(forward::createResolveModes());
  interpreted.runBackward();
  auto interpreter = interpret::Interpreter::create(interpreted.get());
  auto model = CompiledModel::compile(compiled);
  ASSERT_TRUE(model && mlir::succeeded(interpreter));
  Tensors inputs;
  for (auto [name, tensor] : llvm::zip_equal(batch.inputNames, batch.inputs))
    inputs[name] = tensor;
  for (auto [name, tensor] : llvm::zip_equal(batch.parameterNames, batch.parameters)) {
    ASSERT_TRUE(mlir::succeeded(interpreter->setState(name, tensor))) << takeErrors();
    ASSERT_TRUE(model->write(name, tensor));
  }
  ASSERT_TRUE(mlir::succeeded(interpreter->run("grad_step", inputs))) << takeErrors();
  float loss = 0;
  ASSERT_TRUE(model->gradStep(batch.inputs, loss));
  EXPECT_NEAR(loss, interpreter->output("loss")->number(0), 1e-3 * std::fabs(loss) + 1e-3);
  for (auto [i, name] : llvm::enumerate(batch.parameterNames)) {
    Tensor gradient = batch.parameters[i];
    ASSERT_TRUE(model->readGradient(name, gradient));
    const Tensor &expected = *interpreter->state(name + ".grad");
    double largest = 1;
    for (double number : expected.floats)
      largest = std::max(largest, std::fabs(number));
    EXPECT_TRUE(agree(gradient, expected, 2e-5, largest)) << batch.origins[i];
  }
}

/// Of the gradients, what float32 holds: an infinity or NaN is one there, too.
TEST_P(CompiledOps, HaveTheGradientsOfPyTorchAtKinks) {
  Batch batch(choose([](const OpCase &test) { return test.dims.empty() && test.kink; }),
              Batch::Trained::AtKinks);
  if (batch.cases.empty())
    return;
  Program program(batch.text());
  ASSERT_TRUE(program);
  batch.addLoss(program);
  auto model = CompiledModel::compile(program);
  ASSERT_TRUE(model);
  for (auto [name, tensor] : llvm::zip_equal(batch.parameterNames, batch.parameters))
    ASSERT_TRUE(model->write(name, tensor));
  float loss = 0;
  ASSERT_TRUE(model->gradStep(batch.inputs, loss));
  size_t at = 0;
  for (const OpCase &test : batch.cases)
    for (std::optional<Tensor> expected : test.kink->dx) {
      if (!expected)
        continue;
      Tensor found = batch.parameters[at];
      ASSERT_TRUE(model->readGradient(batch.parameterNames[at++], found));
      expected->dtype = found.dtype;
      expected->roundToDType();
      EXPECT_TRUE(agree(found, *expected, 2e-5)) << test.name << ": " << test.text;
    }
}

std::vector<std::string> compiledFamilies() {
  std::vector<std::string> chosen;
  for (const std::string &family : families())
    if (family != "Random")
      chosen.push_back(family);
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(Family, CompiledOps, testing::ValuesIn(compiledFamilies()),
                         [](const auto &info) { return info.param; });

} // namespace
} // namespace dlc::numerics
