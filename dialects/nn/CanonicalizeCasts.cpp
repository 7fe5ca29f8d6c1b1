//===- CanonicalizeCasts.cpp - nn: elements are made small before they are moved
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With products of low precision, gradients are cast where they come to a product. If what only moves
// elements lies between, they would be stored as they were made, read, and stored again. Cast before, they
// are small from the beginning, and what was low already is moved as it is. Only where nothing else reads
// them.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Canonicalize.h"
#include "dialects/nn/Infer.h"

using namespace mlir;
using namespace nn;

/// The smaller type that all readers of a value cast it to; null where they do not.
static FloatType narrowTypeOf(Value value) {
  FloatType narrow;
  for (Operation *user : value.getUsers()) {
    auto cast = dyn_cast<CastOp>(user);
    auto to = cast ? dyn_cast<FloatType>(elementTypeOf(cast.getResult())) : FloatType();
    if (!to || (narrow && to != narrow))
      return {};
    narrow = to;
  }
  auto from = dyn_cast<FloatType>(elementTypeOf(value));
  return narrow && from && narrow.getWidth() < from.getWidth() ? narrow : FloatType();
}

namespace {

struct CastBeforeReshape : public OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp op, PatternRewriter &rewriter) const override {
    auto reshape = op.getX().getDefiningOp<ReshapeOp>();
    FloatType narrow = narrowTypeOf(op.getX());
    if (!reshape || !narrow)
      return failure();
    Value cast = CastOp::create(rewriter, op.getLoc(), reshape.getX(), narrow);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), cast);
    return success();
  }
};

struct CastBeforeConcat : public OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp op, PatternRewriter &rewriter) const override {
    auto concat = op.getX().getDefiningOp<ConcatOp>();
    FloatType narrow = narrowTypeOf(op.getX());
    if (!concat || !narrow)
      return failure();
    SmallVector<Value> parts;
    for (Value part : concat.getInputs())
      parts.push_back(CastOp::create(rewriter, op.getLoc(), part, narrow));
    rewriter.replaceOpWithNewOp<ConcatOp>(op, op.getType(), parts, concat.getAxis());
    return success();
  }
};

/// Casts a product, or an elementwise function of one, before it is sliced, if only slices of it are read.
struct CastBeforeSlice : public OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp op, PatternRewriter &rewriter) const override {
    auto slice = op.getX().getDefiningOp<SliceOp>();
    Operation *maker = slice ? slice.getX().getDefiningOp() : nullptr;
    if (!maker || !(maker->hasTrait<LowPrecision>() || maker->hasTrait<nn::Elementwise>()))
      return failure();
    FloatType narrow = narrowTypeOf(op.getX());
    for (Operation *user : slice.getX().getUsers())
      if (!narrow || !isa<SliceOp>(user) || narrowTypeOf(user->getResult(0)) != narrow)
        return failure();
    rewriter.setInsertionPointAfter(maker); // another part may be read before this one is cast
    Value cast = CastOp::create(rewriter, op.getLoc(), slice.getX(), narrow);
    for (Operation *user : llvm::make_early_inc_range(slice.getX().getUsers())) {
      auto part = dyn_cast<SliceOp>(user);
      if (!part)
        continue;
      Value small =
          SliceOp::create(rewriter, part.getLoc(), cast, part.getStarts(), part.getLimits(), part.getSteps());
      for (Operation *reader : llvm::make_early_inc_range(part->getUsers()))
        rewriter.replaceOp(reader, small);
    }
    return success();
  }
};

} // namespace

void nn::addCastPatterns(RewritePatternSet &patterns) {
  patterns.add<CastBeforeReshape, CastBeforeConcat, CastBeforeSlice>(patterns.getContext());
}
