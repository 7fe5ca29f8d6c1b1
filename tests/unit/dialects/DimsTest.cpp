//===- DimsTest.cpp - arithmetic of static and named dims
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/nn/Dims.h"
#include "dialects/nn/NN.h"
#include <gtest/gtest.h>
#include <limits>

using nn::Dim;
using nn::Shape;

namespace {

Dim named(const char *text) { return *Dim::parse(text); }

TEST(Dims, CanonicalTextIsTheOnlyOne) {
  for (const char *text : {"0", "784", "batch", "32*batch", "batch*sequence", "6*batch*batch", "a.b$c_1"}) {
    std::optional<Dim> dim = Dim::parse(text);
    ASSERT_TRUE(dim) << text;
    EXPECT_EQ(dim->str(), text);
  }
  for (const char *text : {"", "_", "-1", "?", "1*batch", "0*batch", "-2*batch", "batch*32", "sequence*batch",
                           "a b", "batch*", "*batch", "2*3", "007", "99999999999999999999"})
    EXPECT_FALSE(Dim::parse(text)) << text;
}

TEST(Dims, ProductsDoNotDependOnTheOrder) {
  Dim batch = named("batch"), sequence = named("sequence");
  EXPECT_EQ(batch * sequence, sequence * batch);
  EXPECT_EQ((Dim(4) * batch * Dim(8) * sequence).str(), "32*batch*sequence");
  EXPECT_NE(batch, sequence);
  EXPECT_TRUE((Dim(0) * batch).isStatic());
}

TEST(Dims, ProductsSaturate) {
  int64_t largest = std::numeric_limits<int64_t>::max();
  EXPECT_EQ((Dim(largest) * Dim(2)).factor, largest);
  EXPECT_EQ(nn::saturatingAdd(largest, 1), largest);
  EXPECT_EQ(nn::saturatingAdd(3, 4), 7);
}

TEST(Dims, DivisionIsExactOrNone) {
  EXPECT_EQ(divide(named("32*batch"), named("batch"))->str(), "32");
  EXPECT_EQ(divide(named("6*batch*batch"), named("2*batch"))->str(), "3*batch");
  EXPECT_FALSE(divide(Dim(10), Dim(4)));
  EXPECT_FALSE(divide(Dim(10), Dim(0)));
  EXPECT_FALSE(divide(named("batch"), named("sequence")));
}

TEST(Dims, BroadcastAlignsAtTheLastDim) {
  Dim batch = named("batch");
  EXPECT_EQ(*broadcast(Shape{batch, 1, 8}, Shape{3, 1}), (Shape{batch, 3, 8}));
  EXPECT_EQ(*broadcast(Shape{}, Shape{batch}), (Shape{batch}));
  EXPECT_EQ(*broadcast(Shape{0}, Shape{1}), (Shape{0}));
  EXPECT_FALSE(broadcast(Shape{3}, Shape{4}));
  EXPECT_FALSE(broadcast(Shape{batch}, Shape{64}));
  EXPECT_FALSE(broadcast(Shape{batch}, Shape{named("sequence")}));
}

TEST(Dims, TypesKeepNames) {
  mlir::MLIRContext context;
  context.loadDialect<nn::NNDialect>();
  mlir::Type f32 = mlir::Float32Type::get(&context);
  Shape shape{named("batch"), 8, named("2*sequence")};
  mlir::RankedTensorType type = nn::tensorType(shape, f32);
  EXPECT_EQ(nn::shapeOf(type), shape);
  EXPECT_TRUE(type.isDynamicDim(0) && !type.isDynamicDim(1));
  EXPECT_EQ(nn::str(shape), "[batch, 8, 2*sequence]");
  EXPECT_EQ(nn::elementCount(shape).str(), "16*batch*sequence");
  // Static types carry no encoding: equal types stay equal.
  EXPECT_EQ(nn::tensorType({Dim(2)}, f32), mlir::RankedTensorType::get({2}, f32));
  // A dim without a name stays one.
  auto unnamed = mlir::RankedTensorType::get({mlir::ShapedType::kDynamic}, f32);
  EXPECT_EQ(nn::tensorType(nn::shapeOf(unnamed), f32), unnamed);
}

} // namespace
