//===- SecondOrderTest.cpp - gradients of gradients -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules return operations that are differentiable again. The engine derives sum(f(x) * w), then
// sum(gradient * v), and central differences of that second loss confirm the result.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Expr.h"
#include "dialects/train/ReverseMode.h"
#include "tests/numerics/OpCases.h"
#include "tests/numerics/Programs.h"

#include <cmath>
#include <map>

namespace dlc::numerics {
namespace {

/// sum(x * v) with numbers v that have no pattern.
mlir::Value weigh(mlir::ImplicitLocOpBuilder &builder, mlir::Value x, double phase) {
  auto type = mlir::cast<mlir::RankedTensorType>(x.getType());
  std::vector<double> numbers(type.getNumElements());
  for (auto [i, number] : llvm::enumerate(numbers))
    number = std::sin(1 + phase + 2.7 * static_cast<double>(i));
  auto values = mlir::DenseElementsAttr::get(type, llvm::ArrayRef<double>(numbers));
  nn::Expr v(builder, nn::ConstantOp::create(builder, values));
  return nn::sumAll(nn::Expr(builder, x) * v);
}

mlir::Value derive(mlir::ImplicitLocOpBuilder &builder, mlir::Value loss, mlir::Value leaf) {
  train::ReverseMode engine(loss, {leaf});
  EXPECT_TRUE(engine.getMissing().empty());
  mlir::Value gradient;
  EXPECT_TRUE(mlir::succeeded(engine.build(builder, [&](mlir::Value, mlir::Value g) { gradient = g; })));
  return gradient;
}

class SecondOrder : public testing::TestWithParam<OpCase> {};

TEST_P(SecondOrder, AgreesWithFiniteDifferences) {
  const OpCase &test = GetParam();
  Program program(inDouble("train.program @test {\n" + test.declarations() +
                           "  train.function forward @forward {\n" + test.body("    ") + "  }\n}\n"));
  ASSERT_TRUE(program);
  mlir::Block &block = program.body("forward");
  mlir::Value leaf = block.front().getResult(0), y = block.back().getResult(0);
  auto builder = mlir::ImplicitLocOpBuilder::atBlockEnd(block.back().getLoc(), &block);
  mlir::Value first = derive(builder, weigh(builder, y, 0), leaf);
  ASSERT_TRUE(first);
  mlir::Value loss = weigh(builder, first, 0.5), second = derive(builder, loss, leaf);
  ASSERT_TRUE(second);

  Tensors inputs = test.namedInputs();
  for (auto &input : inputs)
    input.second.dtype = input.second.isFloat() ? interpret::DType::F64 : input.second.dtype;
  auto evaluate = [&](mlir::Value value) {
    auto interpreter = interpret::Interpreter::create(program.get());
    EXPECT_TRUE(mlir::succeeded(interpreter->run("forward", inputs))) << takeErrors();
    return *interpreter->value(value);
  };
  Tensor found = evaluate(second);
  constexpr double step = 1e-3;
  for (int64_t i = 0; i < found.size(); ++i) {
    double &x = inputs["x0"].floats[i], center = x;
    auto at = [&](double shift) {
      x = center + shift * step;
      double value = evaluate(loss).number(0);
      x = center;
      return value;
    };
    double expected = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step);
    EXPECT_NEAR(found.floats[i], expected, 1e-6 * std::max(1.0, std::fabs(expected))) << "element " << i;
  }
}

std::vector<OpCase> smoothCases() {
  const std::vector<std::string> names = {"exp (3, 5)",
                                          "log (3, 5)",
                                          "sqrt (3, 5)",
                                          "rsqrt (3, 5)",
                                          "reciprocal (3, 5)",
                                          "erf (3, 5)",
                                          "tanh (3, 5)",
                                          "sigmoid (3, 5)",
                                          "elu (3, 5)",
                                          "gelu (3, 5)",
                                          "gelu tanh (3, 5)",
                                          "silu (3, 5)",
                                          "softplus (3, 5)",
                                          "pow (3, 5) (5,)",
                                          "prod (3, 5) [1]",
                                          "softmax (3, 5) 1",
                                          "log_softmax (3, 5) 1",
                                          "layer_norm (3, 5) 1 0.1",
                                          "batch_norm (6, 3)",
                                          "mse_loss mean (4, 3)",
                                          "bce_with_logits_loss mean (4, 3)",
                                          "softmax_cross_entropy (6, 5) mean i64"};
  std::map<std::string, const OpCase *> byName;
  for (const OpCase &test : opCases())
    byName[test.name] = &test;
  std::vector<OpCase> chosen;
  for (const std::string &name : names)
    if (const OpCase *test = byName[name])
      chosen.push_back(*test);
  EXPECT_EQ(chosen.size(), names.size());
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(Rules, SecondOrder, testing::ValuesIn(smoothCases()),
                         [](const auto &info) { return testName(info.param.name); });

} // namespace
} // namespace dlc::numerics
