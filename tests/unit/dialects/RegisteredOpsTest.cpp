//===- RegisteredOpsTest.cpp - what every operation must have
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks all registered operations: each is described, and each nn operation has decided about its
// gradient. The classes of --precision are those that docs/precision.md lists.
//===----------------------------------------------------------------------===//
#include "dialects/train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace {

class RegisteredOps : public testing::Test {
protected:
  RegisteredOps() { context.loadDialect<nn::NNDialect, train::TrainDialect>(); }
  // MLIRContext::getRegisteredOperationsByDialect finds some dialects only.
  std::vector<mlir::RegisteredOperationName> operations(llvm::StringRef dialect) {
    std::vector<mlir::RegisteredOperationName> found;
    for (mlir::RegisteredOperationName name : context.getRegisteredOperations())
      if (name.getDialectNamespace() == dialect)
        found.push_back(name);
    return found;
  }

  mlir::MLIRContext context;
};

std::string read(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The section of each operation in the generated reference: from its heading to the next one.
std::string section(const std::string &reference, const std::string &operation) {
  size_t begin = reference.find("\n### `" + operation + "` (");
  if (begin == std::string::npos)
    return {};
  return reference.substr(begin, reference.find("\n### `", begin + 1) - begin);
}

TEST_F(RegisteredOps, ThereAreSome) {
  EXPECT_GT(operations("nn").size(), 60u);
  EXPECT_GT(operations("train").size(), 15u);
}

TEST_F(RegisteredOps, EachNnOperationDecidesAboutItsGradient) {
  for (mlir::RegisteredOperationName name : operations("nn")) {
    bool hasRule = name.hasInterface<nn::GradientOpInterface>();
    bool stopped = name.hasTrait<nn::NotDifferentiable>();
    EXPECT_NE(hasRule, stopped) << name.getStringRef().str()
                                << ": expected either GradientOpInterface or NotDifferentiable";
  }
}

TEST_F(RegisteredOps, EachRuleCoversAnOperand) {
  for (mlir::RegisteredOperationName name : operations("nn")) {
    auto *rule = name.getInterface<nn::GradientOpInterface>();
    if (!rule)
      continue;
    bool any = false;
    for (unsigned operand = 0; operand < 8; ++operand)
      any |= rule->isDifferentiable(operand);
    EXPECT_TRUE(any) << name.getStringRef().str() << ": no operand is differentiable";
  }
}

/// The operations in a row of the table of docs/precision.md.
std::set<std::string> listed(const std::string &row) {
  std::string page = read(std::string(DOCS_DIR) + "/precision.md");
  size_t begin = page.find("\n| `" + row + "` |");
  EXPECT_NE(begin, std::string::npos) << "docs/precision.md has no row '" << row << "'";
  llvm::StringRef line =
      llvm::StringRef(page).substr(begin + 1).split('\n').first.split('|').second.split('|').second;
  std::set<std::string> names;
  for (auto [before, name] = line.split("`nn."); !name.empty(); std::tie(before, name) = name.split("`nn."))
    names.insert("nn." + name.split('`').first.str());
  return names;
}

TEST_F(RegisteredOps, ClassesOfPrecisionAreListed) {
  std::set<std::string> low, follows;
  for (mlir::RegisteredOperationName name : operations("nn")) {
    if (name.hasTrait<nn::LowPrecision>())
      low.insert(name.getStringRef().str());
    if (name.hasTrait<nn::FollowsPrecision>())
      follows.insert(name.getStringRef().str());
  }
  EXPECT_EQ(listed("low"), low);
  EXPECT_EQ(listed("follows"), follows);
}

/// Functions of one element without attributes, which differ in nothing but their names: neg, exp, tanh ...
bool isFunctionOfOneElement(mlir::RegisteredOperationName name) {
  return name.hasTrait<nn::Elementwise>() && name.hasTrait<mlir::OpTrait::OneOperand>() &&
         name.hasTrait<mlir::OpTrait::SameOperandsAndResultType>() && name.getAttributeNames().empty();
}

TEST_F(RegisteredOps, FunctionsOfOneElementRoundTrip) {
  context.loadDialect<mlir::func::FuncDialect>();
  size_t count = 0;
  for (mlir::RegisteredOperationName name : operations("nn")) {
    if (!isFunctionOfOneElement(name))
      continue;
    ++count;
    std::string type = "tensor<4x?x" + std::string(name.hasTrait<nn::NotDifferentiable>() ? "i1" : "f32") +
                       ", #nn.dims<_, batch>>";
    std::string line = name.getStringRef().str() + " %arg0 : " + type + "\n";
    std::string text = "func.func @f(%arg0: " + type + ") -> " + type + " {\n  %0 = " + line +
                       "  return %0 : " + type + "\n}\n";
    auto print = [&](const std::string &source) {
      std::string printed;
      if (auto module = mlir::parseSourceString<mlir::ModuleOp>(source, &context)) // also verifies
        llvm::raw_string_ostream(printed) << *module;
      return printed;
    };
    std::string once = print(text);
    EXPECT_NE(once.find("%0 = " + line), std::string::npos) << text << "was printed as\n" << once;
    EXPECT_EQ(print(once), once);
  }
  EXPECT_GT(count, 20u);
}

TEST_F(RegisteredOps, EachOtherOperationHasARoundTripTest) {
  for (const char *dialect : {"nn", "train"}) {
    std::string tests;
    for (const auto &file : std::filesystem::directory_iterator(std::string(LIT_DIR) + "/" + dialect)) {
      std::string text = read(file.path());
      if (text.find("RUN: dlc-opt %s | dlc-opt | FileCheck %s") != std::string::npos)
        tests += text;
    }
    for (mlir::RegisteredOperationName name : operations(dialect))
      EXPECT_TRUE(isFunctionOfOneElement(name) ||
                  tests.find(name.getStringRef().str() + " ") != std::string::npos)
          << name.getStringRef().str() << " is in no test of tests/lit/" << dialect;
  }
}

TEST_F(RegisteredOps, EachOperationIsDescribed) {
  for (const char *dialect : {"nn", "train"}) {
    std::string reference = read(std::string(REFERENCE_DIR) + "/" + dialect + ".md");
    ASSERT_FALSE(reference.empty()) << "no reference of dialect " << dialect;
    for (mlir::RegisteredOperationName name : operations(dialect)) {
      std::string text = section(reference, name.getStringRef().str());
      ASSERT_FALSE(text.empty()) << name.getStringRef().str() << " is not in the reference";
      // mlir-tblgen sets the summary in italics below the heading; the description follows the syntax.
      EXPECT_NE(text.find("\n\n_"), std::string::npos) << name.getStringRef().str() << ": no summary";
      size_t syntaxEnd = text.find("\n```\n", text.find("operation ::="));
      ASSERT_NE(syntaxEnd, std::string::npos) << name.getStringRef().str() << ": no syntax";
      llvm::StringRef rest = llvm::StringRef(text).substr(syntaxEnd + 5).ltrim();
      bool described = !rest.empty() && !rest.starts_with("Traits:") && !rest.starts_with("Interfaces:") &&
                       !rest.starts_with("Effects:") && !rest.starts_with("####");
      EXPECT_TRUE(described) << name.getStringRef().str() << ": no description";
    }
  }
}

} // namespace
