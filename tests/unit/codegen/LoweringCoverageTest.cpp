//===- LoweringCoverageTest.cpp - no operation without a lowering ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the registered operations: each of nn is decomposed or lowered, never both; each update of train
// is decomposed.
//===----------------------------------------------------------------------===//
#include "compiler/lower/Passes.h"
#include "dialects/train/Train.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

namespace dlc::lower {
namespace {

TEST(LoweringCoverage, EveryOperationIsDecomposedOrLowered) {
  mlir::MLIRContext context;
  context.loadDialect<nn::NNDialect>();
  unsigned count = 0;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "nn")
      continue;
    ++count;
    // Convolutions have both: they are decomposed where they have padding.
    EXPECT_TRUE(hasDecomposition(name.getStringRef()) || hasLowering(name.getStringRef()))
        << name.getStringRef().str() << ": expected a decomposition or a lowering in compiler/lower";
  }
  EXPECT_GT(count, 0u);
}

TEST(LoweringCoverage, EveryUpdateIsDecomposed) {
  mlir::MLIRContext context;
  context.loadDialect<train::TrainDialect>();
  unsigned updates = 0;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    if (!name.hasInterface<train::UpdateOpInterface>())
      continue;
    ++updates;
    EXPECT_TRUE(hasDecomposition(name.getStringRef())) << name.getStringRef().str();
  }
  EXPECT_GT(updates, 0u);
}

} // namespace
} // namespace dlc::lower
