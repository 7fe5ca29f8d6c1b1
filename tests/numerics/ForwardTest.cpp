//===- ForwardTest.cpp - the interpreter against PyTorch ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operation on its cases, in double precision.
//===----------------------------------------------------------------------===//
#include "tests/numerics/OpCases.h"
#include "tests/numerics/Programs.h"

namespace dlc::numerics {
namespace {

class Forward : public testing::TestWithParam<OpCase> {};

TEST_P(Forward, AgreesWithPyTorch) {
  const OpCase &test = GetParam();
  Program program("train.program @test {\n" + test.declarations() + "  train.function forward @forward {\n" +
                  test.body("    ") + "  }\n}\n");
  ASSERT_TRUE(program);
  auto interpreter = interpret::Interpreter::create(program.get());
  ASSERT_TRUE(mlir::succeeded(interpreter));
  ASSERT_TRUE(mlir::succeeded(interpreter->run("forward", test.namedInputs(), test.dims))) << takeErrors();
  mlir::Operation &op = program.body("forward").back();
  ASSERT_EQ(op.getName().getStringRef(), test.op);
  for (auto [result, expected] : llvm::zip_equal(op.getResults(), test.outputs))
    EXPECT_TRUE(agree(*interpreter->value(result), expected, 1e-12)) << test.text;
}

INSTANTIATE_TEST_SUITE_P(Ops, Forward, testing::ValuesIn(opCases()),
                         [](const auto &info) { return testName(info.param.name); });

} // namespace
} // namespace dlc::numerics
