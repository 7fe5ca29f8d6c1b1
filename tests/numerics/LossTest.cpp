//===- LossTest.cpp - losses and their gradients against PyTorch ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scores are a parameter; the stage forward attaches the loss by the flags of `dlc compile`, the stage
// backward derives it, and loss and gradient must be PyTorch's in float64 (losses.json), extremes too.
//===----------------------------------------------------------------------===//
#include "compiler/backward/Passes.h"
#include "compiler/forward/Passes.h"
#include "compiler/lower/Passes.h"
#include "tests/numerics/LossOptions.h"
#include "tests/numerics/OpCases.h"
#include "tests/numerics/Programs.h"
#include "llvm/Support/FormatVariadic.h"

namespace dlc::numerics {
namespace {

std::vector<int64_t> shapeOf(const llvm::json::Object &test) {
  std::vector<int64_t> shape;
  for (const llvm::json::Value &size : *test.getArray("shape"))
    shape.push_back(*size.getAsInteger());
  return shape;
}

/// The scores are the parameter times an input, which is 1: of a parameter alone it is known that it can
/// become anything, with which some losses cannot work.
std::string programText(llvm::ArrayRef<int64_t> shape) {
  std::string type = llvm::formatv("tensor<{0}x{1}xf64>", shape[0], shape[1]);
  return "train.program @test {\n  train.state parameter @x : " + type +
         "\n  train.input @one : tensor<f64>\n  train.output prediction @scores : " + type +
         "\n  train.function forward @forward {\n    %x = train.read @x : " + type +
         "\n    %one = train.read @one : tensor<f64>\n    %y = nn.mul %x, %one : " + type +
         ", tensor<f64>\n    train.write %y, @scores : " + type + "\n  }\n}\n";
}

void checkLoss(const llvm::json::Object &test, bool decompose) {
  const llvm::json::Object &given = *test.getObject("options");
  SCOPED_TRACE(
      llvm::formatv("{0} {1}", test.getString("loss"), llvm::json::Value(llvm::json::Object(given))).str());
  LossOptions options(test);
  std::vector<int64_t> shape = shapeOf(test);
  Program program(programText(shape));
  ASSERT_TRUE(program);
  program.addToRecipe(options.recipe);
  program.run(forward::createAttachLoss());
  program.run(forward::createResolveModes());
  program.runBackward();
  if (decompose)
    program.run(lower::createDecompose());

  auto interpreter = interpret::Interpreter::create(program.get());
  ASSERT_TRUE(mlir::succeeded(interpreter)) << takeErrors();
  auto scores = [&](llvm::StringRef key) { return tensorFrom(*test.get(key), shape, interpret::DType::F64); };
  ASSERT_TRUE(mlir::succeeded(interpreter->setState("x", scores("input")))) << takeErrors();
  Tensors inputs;
  inputs["one"] = Tensor::zeros(interpret::DType::F64, {});
  inputs["one"].floats[0] = 1;
  if (test.get("labels"))
    inputs["labels"] = tensorFrom(*test.get("labels"), {shape[0]}, interpret::DType::I64);
  else
    inputs["target"] = scores("target");
  ASSERT_TRUE(mlir::succeeded(interpreter->run("grad_step", inputs))) << takeErrors();
  ASSERT_TRUE(interpreter->output("loss"));
  double value = *test.getNumber("value");
  EXPECT_NEAR(interpreter->output("loss")->number(0), value, 1e-9 * std::max(1.0, std::fabs(value)));
  Tensor expected = scores("gradient");
  // PyTorch holds the 1e-12 of bce's gradient in float32.
  EXPECT_TRUE(agree(*interpreter->state("x.grad"), expected, 1e-8));
}

TEST(Loss, IsPyTorchsWithItsGradient) {
  llvm::json::Value file = readJson("losses.json");
  for (const llvm::json::Value &test : *file.getAsArray())
    checkLoss(*test.getAsObject(), /*decompose=*/false);
}

TEST(Loss, IsTheSameDecomposed) {
  llvm::json::Value file = readJson("losses.json");
  for (const llvm::json::Value &test : *file.getAsArray())
    checkLoss(*test.getAsObject(), /*decompose=*/true);
}

} // namespace
} // namespace dlc::numerics
