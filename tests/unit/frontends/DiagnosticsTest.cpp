//===- DiagnosticsTest.cpp - what an import says of its model
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Diagnostics.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

namespace {

using dlc::frontend::Diagnostics;
using Texts = std::vector<std::string>;

/// What `diagnostics` tells, each with its severity in front.
Texts told(const Diagnostics &diagnostics, bool verbose) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Texts texts;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    bool isWarning = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning;
    texts.push_back((isWarning ? "warning: " : "remark: ") + diagnostic.str());
    return mlir::success();
  });
  diagnostics.tell(mlir::UnknownLoc::get(&context), verbose);
  return texts;
}

TEST(Diagnostics, AReasonIsOfTheCurrentNodeOrOfTheWhole) {
  Diagnostics diagnostics;
  diagnostics.addNodeReason("no output");
  diagnostics.currentNode = "node 'fc1' (Gemm)";
  diagnostics.addNodeReason("input 1 is missing");
  EXPECT_EQ(diagnostics.errors(), 2u);
  EXPECT_EQ(diagnostics.takeReasons(), (Texts{"no output", "node 'fc1' (Gemm): input 1 is missing"}));
}

TEST(Diagnostics, ManyNodesOfOneOperatorAreOneReason) {
  Diagnostics diagnostics;
  for (int i = 0; i < 10; ++i)
    diagnostics.addUnsupported("operator A is not supported", "'a" + std::to_string(i) + "'");
  diagnostics.addUnsupported("operator B is not supported", "'b'");
  EXPECT_EQ(diagnostics.errors(), 0u);
  diagnostics.addGroups();
  EXPECT_EQ(
      diagnostics.takeReasons(),
      (Texts{"operator A is not supported: 10 nodes: 'a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7' and "
             "2 more",
             "operator B is not supported: node 'b'"}));
}

TEST(Diagnostics, AnUnreadableTensorIsNamedOnceAndBeforeUnsupportedOperators) {
  Diagnostics diagnostics;
  diagnostics.addUnsupported("operator A is not supported", "'a'");
  for (const char *tensor : {"'w'", "'w'", "'v'"})
    diagnostics.addUnreadable("tensors of strings are not supported", tensor);
  diagnostics.addUnreadable("the file w.bin is missing", "'u'");
  diagnostics.addGroups();
  EXPECT_EQ(diagnostics.takeReasons(),
            (Texts{"tensors of strings are not supported: 2 of them: 'w', 'v'",
                   "the file w.bin is missing: 'u'", "operator A is not supported: node 'a'"}));
}

TEST(Diagnostics, WhatHoldsForManyNodesIsSaidOnce) {
  Diagnostics diagnostics;
  diagnostics.remark("of the whole");
  for (const char *node : {"bn1", "bn2", "bn3", "bn4"})
    diagnostics.remark("BatchNormalization", "is in evaluation mode", node);
  diagnostics.note("Conv", "has no bias", "conv");
  diagnostics.warn("first");
  EXPECT_EQ(told(diagnostics, /*verbose=*/false),
            (Texts{"warning: first", "remark: of the whole",
                   "remark: nodes 'bn1', 'bn2', 'bn3' and 1 more (BatchNormalization): is in evaluation "
                   "mode"}));
  EXPECT_EQ(told(diagnostics, /*verbose=*/true).back(), "remark: node 'conv' (Conv): has no bias");
}

TEST(Diagnostics, ListsOfNamesAreShort) {
  using dlc::frontend::quotedList;
  EXPECT_EQ(quotedList({"a"}), "'a'");
  EXPECT_EQ(quotedList({"a", "b", "c", "d"}), "'a', 'b', 'c' and 'd'");
  EXPECT_EQ(quotedList({"a", "b", "c", "d", "e", "f"}), "'a', 'b', 'c', 'd' and 2 more");
}

} // namespace
