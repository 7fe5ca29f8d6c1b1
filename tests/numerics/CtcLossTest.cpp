//===- CtcLossTest.cpp - the loss of sequences against its definition ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the interpreter, in double precision: what --loss=ctc attaches beside all paths that spell the labels,
// its gradient beside finite differences of that, and both beside PyTorch's numbers.
//===----------------------------------------------------------------------===//
#include "compiler/forward/Passes.h"
#include "compiler/lower/Passes.h"
#include "tests/numerics/CtcCases.h"

#include <cmath>

namespace dlc::numerics {
namespace {

using interpret::DType;

struct CtcLoss : testing::TestWithParam<CtcCase> {};

Tensors inputsOf(const CtcCase &test) {
  std::vector<Tensor> targets = test.targets();
  Tensors inputs;
  inputs["x"] = test.input(DType::F64);
  inputs["labels"] = targets[0];
  inputs["input_lengths"] = targets[1];
  inputs["label_lengths"] = targets[2];
  return inputs;
}

/// The sum along time and batch of the gradient of class 0.
double slopeOf(const CtcCase &test, const Tensor &gradient) {
  double sum = 0;
  const int64_t inner = test.order[2] == 'c'   ? 1
                        : test.order[0] == 'c' ? gradient.size() / test.classes
                                               : test.places;
  for (int64_t i = 0; i < gradient.size(); ++i)
    sum += i / inner % test.classes == 0 ? gradient.floats[i] : 0;
  return sum;
}

void checkNumbers(const CtcCase &test, bool decompose) {
  Program program = test.program("f64");
  ASSERT_TRUE(program);
  program.addToRecipe(test.recipe());
  program.run(forward::createAttachLoss());
  program.run(forward::createResolveModes());
  program.runBackward();
  if (decompose)
    program.run(lower::createDecompose());
  auto interpreter = interpret::Interpreter::create(program.get());
  ASSERT_TRUE(mlir::succeeded(interpreter)) << takeErrors();
  ASSERT_TRUE(mlir::succeeded(interpreter->setState("w", test.parameter(DType::F64)))) << takeErrors();
  ASSERT_TRUE(mlir::succeeded(interpreter->run("grad_step", inputsOf(test)))) << takeErrors();

  const double found = interpreter->output("loss")->number(0);
  const Tensor &gradient = *interpreter->state("w.grad");
  if (std::isinf(test.loss)) {
    EXPECT_EQ(found, test.loss);
    EXPECT_EQ(test.lossOfAll(test.parameter(DType::F64)), test.loss);
  } else {
    // The output is a float, whatever the model computes with.
    EXPECT_NEAR(found, test.loss, 1e-12 * std::fmax(1, test.loss));
    EXPECT_NEAR(test.lossOfAll(test.parameter(DType::F64)), test.loss, 1e-12 * std::fmax(1, test.loss));
    EXPECT_NEAR(slopeOf(test, gradient), test.slope, 1e-12);
  }
  EXPECT_TRUE(agree(gradient, test.gradient(), 1e-9));
}

TEST_P(CtcLoss, IsThatOfAllPathsAndPyTorchs) { checkNumbers(GetParam(), /*decompose=*/false); }
TEST_P(CtcLoss, IsTheSameDecomposed) { checkNumbers(GetParam(), /*decompose=*/true); }

INSTANTIATE_TEST_SUITE_P(Case, CtcLoss, testing::ValuesIn(ctcCases()),
                         [](const auto &info) { return info.param.name; });

/// The loss of the first case after a change of what it is given; gradients are numbers if the loss is not
/// NaN.
double lossAfter(llvm::function_ref<void(Tensors &)> change, bool zeroInfinity = false) {
  CtcCase test = ctcCases().front();
  test.zeroInfinity = zeroInfinity;
  Program program = test.program("f64");
  program.addToRecipe(test.recipe());
  program.run(forward::createAttachLoss());
  program.run(forward::createResolveModes());
  program.runBackward();
  auto interpreter = interpret::Interpreter::create(program.get());
  EXPECT_TRUE(mlir::succeeded(interpreter)) << takeErrors();
  Tensors inputs = inputsOf(test);
  change(inputs);
  EXPECT_TRUE(mlir::succeeded(interpreter->run("grad_step", inputs))) << takeErrors();
  const double loss = interpreter->output("loss")->number(0);
  for (double slope : interpreter->state("w.grad")->floats)
    EXPECT_TRUE(std::isnan(loss) || std::isfinite(slope));
  return loss;
}

TEST(CtcNumbers, ALabelWithinTheLengthThatIsNoneMakesNoNumber) {
  for (bool zeroInfinity : {false, true})
    EXPECT_TRUE(
        std::isnan(lossAfter([](Tensors &inputs) { inputs["labels"].ints[1] = -100; }, zeroInfinity)));
}

TEST(CtcNumbers, ScoresOfMinusInfinityAreImpossibleClasses) {
  // Labels 1, 2 of five places with three classes.
  auto without = [](std::vector<std::pair<int64_t, int64_t>> impossible) {
    return [impossible](Tensors &inputs) {
      for (auto [place, label] : impossible)
        inputs["x"].floats[place * 3 + label] = -std::numeric_limits<double>::infinity();
    };
  };
  // Without the second label, and with a last place that can only be the first one, there is no alignment.
  for (auto none : {without({{0, 2}, {1, 2}, {2, 2}, {3, 2}, {4, 2}}), without({{4, 0}, {4, 2}})}) {
    EXPECT_TRUE(std::isinf(lossAfter(none)));
    EXPECT_EQ(lossAfter(none, /*zeroInfinity=*/true), 0);
  }
  const double some = lossAfter(without({{4, 2}}));
  EXPECT_TRUE(std::isfinite(some) && some > lossAfter([](Tensors &) {}));
}

TEST(CtcNumbers, ANumberThatIsNoneIsPassedOn) {
  EXPECT_TRUE(std::isnan(lossAfter([](Tensors &inputs) { inputs["x"].floats[4] = NAN; })));
}

} // namespace
} // namespace dlc::numerics
