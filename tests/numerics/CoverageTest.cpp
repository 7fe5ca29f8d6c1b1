//===- CoverageTest.cpp - no operation without a numeric test -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks all registered operations of nn: each needs a case for its value and, where it is
// differentiable, one for the gradient by each operand that has one.
//===----------------------------------------------------------------------===//
#include "tests/numerics/OpCases.h"
#include "tests/numerics/Programs.h"

#include <map>
#include <set>

namespace dlc::numerics {
namespace {

/// All operations of nn. (Looking operations up by dialect finds those of some dialects only.)
std::vector<mlir::RegisteredOperationName> operations() {
  std::vector<mlir::RegisteredOperationName> ours;
  for (mlir::RegisteredOperationName name : context().getRegisteredOperations())
    if (name.getDialectNamespace() == "nn")
      ours.push_back(name);
  EXPECT_FALSE(ours.empty());
  return ours;
}

TEST(Coverage, EveryOperationHasACase) {
  std::set<std::string> covered;
  for (const OpCase &test : opCases())
    covered.insert(test.op);
  for (mlir::RegisteredOperationName name : operations())
    EXPECT_TRUE(covered.count(name.getStringRef().str()))
        << name.getStringRef().str() << ": add a case to tests/numerics/make_op_cases";
}

TEST(Coverage, EveryGradientRuleHasACase) {
  std::map<std::string, std::set<unsigned>> covered;
  for (const OpCase &test : opCases())
    covered[test.op].insert(test.differentiate.begin(), test.differentiate.end());
  // Operands after the first optional or variadic one are counted with it.
  for (mlir::RegisteredOperationName name : operations()) {
    auto *rule = name.getInterface<nn::GradientOpInterface>();
    bool stops = name.hasTrait<nn::NotDifferentiable>();
    EXPECT_NE(rule != nullptr, stops)
        << name.getStringRef().str() << ": expected either a gradient rule or NotDifferentiable";
    for (unsigned operand = 0; rule && operand < 3; ++operand)
      if (rule->isDifferentiable(operand) && name.getStringRef() != "nn.concat") {
        EXPECT_TRUE(covered[name.getStringRef().str()].count(operand))
            << name.getStringRef().str() << ", operand " << operand
            << ": no case differentiates it; see tests/numerics/make_op_cases";
      }
    if (rule) {
      EXPECT_FALSE(covered[name.getStringRef().str()].empty()) << name.getStringRef().str();
    }
  }
}

} // namespace
} // namespace dlc::numerics
