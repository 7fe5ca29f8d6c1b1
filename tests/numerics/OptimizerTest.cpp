//===- OptimizerTest.cpp - updates against torch.optim --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program with one parameter and the loss sum(w * g), whose gradient is the input g, so that the stage
// backward attaches each optimizer as it does for a model. Three steps must give torch.optim's numbers
// in float64 (optimizers.json), also after the updates were decomposed.
//===----------------------------------------------------------------------===//
#include "compiler/backward/Passes.h"
#include "compiler/codegen/common/Passes.h"
#include "compiler/forward/Passes.h"
#include "tests/numerics/OpCases.h"
#include "tests/numerics/Programs.h"
#include "llvm/Support/FormatVariadic.h"

namespace dlc::numerics {
namespace {

const char programText[] = R"mlir(
train.program @test {
  train.state parameter @w : tensor<7xf64>
  train.input @g : tensor<7xf64>
  train.output loss @loss : tensor<f64>
  train.function forward @forward {
    %w = train.read @w : tensor<7xf64>
    %g = train.read @g : tensor<7xf64>
    %product = nn.mul %w, %g : tensor<7xf64>, tensor<7xf64>
    %loss = nn.sum %product axes [0] : tensor<7xf64>
    %one = nn.constant dense<1.0> : tensor<f64>
    train.loss %loss, %one : tensor<f64>, tensor<f64>
  }
})mlir";

/// PyTorch's names to ours, which say what they are.
llvm::StringRef ourName(llvm::StringRef name) {
  return name == "lr" ? "learning_rate" : name == "eps" ? "epsilon" : name;
}

backward::BackwardOptions optionsOf(const llvm::json::Object &test) {
  backward::BackwardOptions options;
  options.optimizer = test.getString("optimizer")->str();
  auto set = [&](llvm::StringRef name, const llvm::json::Value &value) {
    options.hyperparameters.push_back(name.str() + "=" +
                                      llvm::formatv("{0:e17}", *value.getAsNumber()).str());
  };
  for (const auto &[key, value] : *test.getObject("hyperparameters")) {
    llvm::StringRef name = key;
    if (name == "nesterov")
      options.nesterov = *value.getAsBoolean();
    else if (name == "centered")
      options.centered = *value.getAsBoolean();
    else if (name == "betas")
      for (size_t i = 0; i < 2; ++i)
        set(i ? "beta2" : "beta1", (*value.getAsArray())[i]);
    else if (name != "initial_accumulator_value")
      set(ourName(name), value);
  }
  return options;
}

void checkUpdates(const llvm::json::Object &test, bool decompose) {
  SCOPED_TRACE(llvm::formatv("{0} {1}", test.getString("optimizer"),
                             llvm::json::Value(llvm::json::Object(*test.getObject("hyperparameters"))))
                   .str());
  Program program(programText);
  ASSERT_TRUE(program);
  program.run(forward::createResolveModes());
  program.run(backward::createBackward(optionsOf(test)));
  if (decompose)
    program.run(lowering::createDecompose());
  auto interpreter = interpret::Interpreter::create(program.get());
  ASSERT_TRUE(mlir::succeeded(interpreter)) << takeErrors();
  auto vector = [](const llvm::json::Value &data) { return tensorFrom(data, {7}, interpret::DType::F64); };
  ASSERT_TRUE(mlir::succeeded(interpreter->setState("w", vector(*test.get("parameter"))))) << takeErrors();
  if (const auto *start = test.getObject("hyperparameters")->get("initial_accumulator_value")) {
    Tensor sum = Tensor::zeros(interpret::DType::F64, {7});
    std::fill(sum.floats.begin(), sum.floats.end(), *start->getAsNumber());
    ASSERT_TRUE(mlir::succeeded(interpreter->setState("w.sum", sum))) << takeErrors();
  }
  for (size_t step = 0; step < 3; ++step) {
    Tensors inputs;
    inputs["g"] = vector((*test.getArray("gradients"))[step]);
    ASSERT_TRUE(mlir::succeeded(interpreter->run("train_step", inputs))) << takeErrors();
    EXPECT_TRUE(agree(*interpreter->state("w"), vector((*test.getArray("updated"))[step]), 1e-12, 1e-3))
        << "step " << step + 1;
  }
  EXPECT_EQ(interpreter->state("step")->ints[0], 3);
}

TEST(Optimizer, UpdatesAsPyTorchDoes) {
  llvm::json::Value file = readJson("optimizers.json");
  for (const llvm::json::Value &test : *file.getAsArray())
    checkUpdates(*test.getAsObject(), /*decompose=*/false);
}

TEST(Optimizer, UpdatesTheSameDecomposed) {
  llvm::json::Value file = readJson("optimizers.json");
  for (const llvm::json::Value &test : *file.getAsArray())
    checkUpdates(*test.getAsObject(), /*decompose=*/true);
}

} // namespace
} // namespace dlc::numerics
