//===- OrderTest.cpp - the order of a formula's operations
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/nn/Order.h"
#include "dialects/nn/Expr.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <gtest/gtest.h>

using nn::Expr;

namespace {

class Order : public testing::Test {
protected:
  Order() : module(mlir::ModuleOp::create(mlir::UnknownLoc::get(&context))), b(module->getLoc(), &context) {
    context.loadDialect<nn::NNDialect>();
    b.setInsertionPointToStart(module->getBody());
  }

  Expr number() {
    auto type = mlir::RankedTensorType::get({}, b.getF32Type());
    return {b, nn::ConstantOp::create(b, mlir::DenseElementsAttr::get(type, 1.0f))};
  }
  /// The operations in their order, without the dialect's name.
  std::string text() {
    std::string names;
    for (mlir::Operation &op : *module->getBody())
      names += op.getName().stripDialect().str() + " ";
    return names;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::ImplicitLocOpBuilder b;
};

TEST_F(Order, DoesNotDependOnWhichOperandWasMadeFirst) {
  Expr x = number();
  nn::inOrder(b, [&]() -> llvm::SmallVector<mlir::Value> {
    Expr left = exp(x), right = log(x);
    return {left * right};
  });
  EXPECT_EQ(text(), "constant exp log mul ");
  nn::inOrder(b, [&]() -> llvm::SmallVector<mlir::Value> {
    Expr right = log(x), left = exp(x);
    return {left * right};
  });
  EXPECT_EQ(text(), "constant exp log mul exp log mul ");
}

TEST_F(Order, FollowsTheResults) {
  Expr x = number();
  auto results = nn::inOrder(b, [&]() -> llvm::SmallVector<mlir::Value> {
    Expr second = sqrt(x), shared = abs(x), first = tanh(shared);
    return {first, mlir::Value(), second + shared};
  });
  EXPECT_EQ(text(), "constant abs tanh sqrt add ");
  EXPECT_TRUE(results[0] && !results[1] && results[2]);
}

TEST_F(Order, WhatNoResultNeedsIsErased) {
  Expr x = number();
  nn::inOrder(b, [&]() -> llvm::SmallVector<mlir::Value> {
    Expr unused = exp(x);
    log(unused);
    return {x};
  });
  EXPECT_EQ(text(), "constant ");
}

TEST_F(Order, StaysBetweenWhatIsThere) {
  Expr x = number(), y = sign(x);
  b.setInsertionPoint(y.get().getDefiningOp());
  nn::inOrder(b, [&]() -> llvm::SmallVector<mlir::Value> {
    Expr right = log(x), left = exp(x);
    return {left * right};
  });
  EXPECT_EQ(text(), "constant exp log mul sign ");
}

TEST_F(Order, RegionsNeedWhatTheyRead) {
  context.loadDialect<mlir::scf::SCFDialect>();
  Expr x = number();
  nn::inOrder(b, [&]() -> llvm::SmallVector<mlir::Value> {
    mlir::Value last = exp(x), inside = log(x);
    auto region = mlir::scf::ExecuteRegionOp::create(b, mlir::TypeRange{inside.getType()});
    mlir::OpBuilder::InsertionGuard guard(b);
    b.createBlock(&region.getRegion());
    mlir::scf::YieldOp::create(b, inside);
    return {region.getResult(0), last};
  });
  EXPECT_EQ(text(), "constant log execute_region exp ");
}

} // namespace
