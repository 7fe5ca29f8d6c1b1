//===- ExportTest.cpp - which operations can be exported ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// That what is written computes the same is shown by the test onnx.exported.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/export/Export.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>
#include <set>

namespace {

/// ONNX has no operator for these, or predictions do not have them.
const std::set<std::string> withoutRule = {
    // of losses
    "nn.mse_loss", "nn.l1_loss", "nn.huber_loss", "nn.bce_loss", "nn.bce_with_logits_loss",
    "nn.softmax_cross_entropy", "nn.nll_loss",
    // of training, and gradients
    "nn.batch_norm", "nn.dropout", "nn.random_uniform", "nn.conv_weight_gradient", "nn.max_unpool",
    "nn.sum_unpool",
    // 1 - erf(x) has no digits left for large x
    "nn.erfc", "nn.erfinv"};

TEST(Export, EachOperationHasARuleOrIsListed) {
  mlir::MLIRContext context;
  context.loadDialect<nn::NNDialect, train::TrainDialect>();
  size_t count = 0;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "nn")
      continue;
    ++count;
    EXPECT_NE(dlc::onnx::canExport(name.getStringRef()), withoutRule.count(name.getStringRef().str()) == 1)
        << name.getStringRef().str()
        << ": expected a rule in frontends/onnx/export/rules, or to be listed here";
  }
  EXPECT_GT(count, 60u);
}

} // namespace
