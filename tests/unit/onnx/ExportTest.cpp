//===- ExportTest.cpp - which operations can be exported ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// That what is written computes the same is shown by the test onnx.exported.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/export/Export.h"
#include "mlir/IR/MLIRContext.h"
#include <fstream>
#include <gtest/gtest.h>
#include <set>

namespace {

/// What the table of docs/exporting.md says that no rule is for: the names of its first column.
std::set<std::string> listedWithoutRule() {
  std::ifstream page(std::string(DOCS_DIR) + "/exporting.md");
  std::string line;
  while (std::getline(page, line) && line != "| operations without a rule | why |")
    ;
  std::set<std::string> names;
  for (std::getline(page, line); std::getline(page, line) && llvm::StringRef(line).starts_with("| ");) {
    auto [before, name] = llvm::StringRef(line).substr(2).split(" | ").first.split('`');
    for (; !name.empty(); name = name.split('`').second.split('`').second)
      names.insert("nn." + name.split('`').first.str());
  }
  return names;
}

TEST(Export, EachOperationHasARuleOrIsListed) {
  mlir::MLIRContext context;
  context.loadDialect<nn::NNDialect, train::TrainDialect>();
  std::set<std::string> withoutRule = listedWithoutRule();
  ASSERT_GT(withoutRule.size(), 5u) << "docs/exporting.md has no table of operations without a rule";
  size_t count = 0;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "nn")
      continue;
    ++count;
    EXPECT_NE(dlc::onnx::canExport(name.getStringRef()), withoutRule.count(name.getStringRef().str()) == 1)
        << name.getStringRef().str()
        << ": expected a rule in frontends/onnx/export/rules, or a place in the table of docs/exporting.md";
  }
  EXPECT_GT(count, 60u);
}

} // namespace
