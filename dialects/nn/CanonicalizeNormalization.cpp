//===- CanonicalizeNormalization.cpp - nn: groups of channels that stay apart --===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/nn/Canonicalize.h"
#include "dialects/nn/Expr.h"
#include "dialects/nn/Infer.h"

using namespace mlir;
using namespace nn;

namespace {

/// Positions and channels that were one dim before they were normalized stay apart: as [batch, groups,
/// channels of a group, positions...], which dialects/nn/Groups.h knows. Exporters write a group
/// normalization so.
struct KeepApartInLayerNorm : public OpRewritePattern<LayerNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LayerNormOp op, PatternRewriter &rewriter) const override {
    auto reshape = op.getX().getDefiningOp<ReshapeOp>();
    if (!reshape || op.getAxis() < 2 || op.getX().getType().getRank() != int64_t(op.getAxis()) + 1)
      return failure();
    Shape before = shapeOf(reshape.getX()), merged = shapeOf(op.getX());
    // From behind: whole dims, and then a part of the next one.
    Dim rest = merged.back();
    Shape normalized;
    bool isGroup = false; // else it is a row of positions, as after heads of an attention
    while (!before.empty() && !rest.isOne()) {
      Dim dim = before.pop_back_val();
      std::optional<Dim> outside = divide(rest, dim);
      if (!outside) {
        std::optional<Dim> inside = divide(dim, rest);
        if (!inside)
          return failure();
        before.push_back(*inside);
        dim = rest;
        isGroup = true;
        outside = Dim(1);
      }
      normalized.insert(normalized.begin(), dim);
      rest = *outside;
    }
    Shape outer(ArrayRef<Dim>(merged).drop_back());
    if (outer.back().isOne() && before.size() + 1 == outer.size()) {
      before.push_back(Dim(1));
      isGroup = true;
    }
    if (!isGroup || normalized.size() < 2 || before != outer)
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type type = op.getX().getType().getElementType();
    Shape shape = outer, statistics = outer;
    shape.append(normalized);
    statistics.append(normalized.size(), Dim(1));
    auto as = [&](Value value, ArrayRef<Dim> dims) {
      return nn::reshape({b, value}, tensorType(dims, type)).get();
    };
    // One after the other: the order in which arguments are computed is the compiler's.
    Value x = as(reshape.getX(), shape), scale = as(op.getScale(), normalized),
          bias = as(op.getBias(), normalized);
    Type statisticsType = tensorType(statistics, type);
    auto apart = LayerNormOp::create(b, TypeRange{tensorType(shape, type), statisticsType, statisticsType}, x,
                                     scale, bias, op.getAxis(), op.getEpsilon());
    Value y = as(apart.getY(), merged), mean = as(apart.getMean(), shapeOf(op.getMean()));
    Value rstd = as(apart.getRstd(), shapeOf(op.getRstd()));
    rewriter.replaceOp(op, {y, mean, rstd});
    return success();
  }
};

} // namespace

void nn::addNormalizationPatterns(RewritePatternSet &patterns) {
  patterns.add<KeepApartInLayerNorm>(patterns.getContext());
}
