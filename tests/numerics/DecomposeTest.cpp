//===- DecomposeTest.cpp - decomposition keeps every operation's value ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Composite operations and updates become primitive ones before lowering. What comes out are still nn
// operations, so the interpreter can run them: they must compute what PyTorch computes.
//===----------------------------------------------------------------------===//
#include "compiler/lower/Passes.h"
#include "tests/numerics/OpCases.h"
#include "tests/numerics/Programs.h"

namespace dlc::numerics {
namespace {

/// Declares an output for each result of the function's last operation and writes them, so that passes
/// keep them.
void writeResults(train::ProgramOp program, mlir::Block &block) {
  mlir::Operation &op = block.back();
  auto declare = mlir::OpBuilder::atBlockBegin(&program.getBody().front());
  auto builder = mlir::OpBuilder::atBlockEnd(&block);
  for (mlir::OpResult result : op.getResults()) {
    std::string name = "y" + std::to_string(result.getResultNumber());
    train::OutputOp::create(declare, op.getLoc(), train::OutputRole::Prediction, name, result.getType());
    train::WriteOp::create(builder, op.getLoc(), result, name);
  }
}

class Decomposed : public testing::TestWithParam<OpCase> {};

TEST_P(Decomposed, ComputesTheSame) {
  const OpCase &test = GetParam();
  Program program(inDouble("train.program @test {\n" + test.declarations() +
                           "  train.function predict @predict {\n" + test.body("    ") + "  }\n}\n"));
  ASSERT_TRUE(program);
  writeResults(program.get(), program.body("predict"));
  program.run(lower::createDecompose());
  auto interpreter = interpret::Interpreter::create(program.get());
  Tensors inputs = test.namedInputs();
  for (auto &input : inputs)
    if (input.second.isFloat())
      input.second.dtype = interpret::DType::F64;
  ASSERT_TRUE(mlir::succeeded(interpreter->run("predict", inputs, test.dims))) << takeErrors();
  for (auto [i, expected] : llvm::enumerate(test.outputs))
    EXPECT_TRUE(agree(*interpreter->output("y" + std::to_string(i)), expected, 1e-11)) << test.text;
}

std::vector<OpCase> compositeCases() {
  std::vector<OpCase> chosen;
  for (const OpCase &test : opCases())
    if (lower::hasDecomposition(test.op))
      chosen.push_back(test);
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(Ops, Decomposed, testing::ValuesIn(compositeCases()),
                         [](const auto &info) { return testName(info.param.name); });

} // namespace
} // namespace dlc::numerics
