//===- Programs.cpp - programs of tests, parsed ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/numerics/Programs.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <cmath>

namespace dlc::numerics {
namespace {

std::string &errors() {
  static std::string text;
  return text;
}

} // namespace

mlir::MLIRContext &context() {
  static mlir::MLIRContext *shared = [] {
    auto *made = new mlir::MLIRContext(mlir::MLIRContext::Threading::DISABLED);
    made->loadDialect<nn::NNDialect, train::TrainDialect>();
    made->getDiagEngine().registerHandler([](mlir::Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
        errors() += diagnostic.str() + "\n";
      return mlir::success();
    });
    return made;
  }();
  return *shared;
}

std::string takeErrors() { return std::exchange(errors(), std::string()); }

Program::Program(const std::string &text) {
  takeErrors();
  module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context()));
  EXPECT_TRUE(module) << takeErrors() << text;
}

train::ProgramOp Program::get() const { return *module.get().getOps<train::ProgramOp>().begin(); }

mlir::Block &Program::body(llvm::StringRef function) const {
  return mlir::cast<train::FunctionOp>(mlir::SymbolTable::lookupSymbolIn(get(), function)).getBody().front();
}

void Program::run(std::unique_ptr<mlir::Pass> pass) {
  mlir::PassManager manager(&context());
  manager.addPass(std::move(pass));
  EXPECT_TRUE(mlir::succeeded(manager.run(module.get()))) << takeErrors();
}

void Program::addToRecipe(const train::RecipeSettings &settings) {
  EXPECT_TRUE(mlir::succeeded(train::addToRecipe(get(), settings))) << takeErrors();
}

void Program::runBackward() {
  mlir::PassManager manager(&context());
  backward::addBackwardPasses(manager);
  EXPECT_TRUE(mlir::succeeded(manager.run(module.get()))) << takeErrors();
}

testing::AssertionResult agree(const interpret::Tensor &found, const interpret::Tensor &expected,
                               double tolerance, double scale) {
  if (found.shape != expected.shape)
    return testing::AssertionFailure() << "expected " << expected.typeStr() << ", found " << found.typeStr();
  for (int64_t i = 0; i < expected.size(); ++i) {
    double a = found.number(i), b = expected.number(i);
    bool same = a == b || (std::isnan(a) && std::isnan(b)) ||
                std::fabs(a - b) <= tolerance * std::max(std::fabs(b), scale);
    if (!same)
      return testing::AssertionFailure() << "element " << i << ": expected " << testing::PrintToString(b)
                                         << ", found " << testing::PrintToString(a);
  }
  return testing::AssertionSuccess();
}

} // namespace dlc::numerics
