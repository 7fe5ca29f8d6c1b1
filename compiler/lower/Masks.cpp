//===- Masks.cpp - masks derived from results ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/lower/Decompose.h"
#include "mlir/IR/Matchers.h"

using mlir::ImplicitLocOpBuilder, mlir::Value;
using nn::Expr;

namespace dlc::lower {

static bool isZero(Value value) {
  mlir::DenseElementsAttr constant;
  if (!mlir::matchPattern(value, mlir::m_Constant(&constant)) || !constant.isSplat() ||
      !mlir::isa<mlir::FloatType>(constant.getElementType()))
    return false;
  return constant.getSplatValue<llvm::APFloat>().isZero();
}

namespace {
/// With h = dropout(y), the gradient select(y <= 0, 0, dropout(dh)) is dh * select(h <= 0, 0, scale) with
/// scale = 1 / (1 - ratio): where y is positive and kept, or NaN, and only there, h is not 0 or below. Then y
/// need not be kept, no mask is stored and no random number is drawn again. A dh that is NaN or infinite
/// gives NaN for all that was not kept, also for a y of 0.
struct MaskFromDropout : public mlir::OpRewritePattern<nn::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  // The dropout of `y` that keeps what `other` keeps.
  static nn::DropoutOp sameDropout(Value y, nn::DropoutOp other) {
    for (mlir::Operation *user : y.getUsers()) {
      auto dropout = mlir::dyn_cast<nn::DropoutOp>(user);
      if (dropout && dropout != other && dropout.getX() == y && dropout.getRng() == other.getRng() &&
          dropout.getRatio() == other.getRatio() && dropout.getStream() == other.getStream() &&
          dropout.getType() == other.getType() && dropout->isBeforeInBlock(other))
        return dropout;
    }
    return nullptr;
  }

  mlir::LogicalResult matchAndRewrite(nn::SelectOp op, mlir::PatternRewriter &rewriter) const override {
    auto mask = op.getCondition().getDefiningOp<nn::CompareOp>();
    auto gradient = op.getB().getDefiningOp<nn::DropoutOp>();
    if (!mask || !gradient || mask.getPredicate() != nn::Comparison::le || !isZero(mask.getB()) ||
        !isZero(op.getA()) || op.getType() != gradient.getType() ||
        gradient.getRatio().convertToDouble() >= 1)
      return mlir::failure();
    nn::DropoutOp forward = sameDropout(mask.getA(), gradient);
    if (!forward)
      return mlir::failure();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Expr h(builder, forward.getY()), dh(builder, gradient.getX());
    double scale = 1 / (1 - gradient.getRatio().convertToDouble());
    Expr isNothing = lessEqual(h, h.scalar(0)), factor = select(isNothing, h.scalar(0), h.scalar(scale));
    rewriter.replaceOp(op, (dh * factor).get());
    return mlir::success();
  }
};
} // namespace

void populateMaskPatterns(mlir::RewritePatternSet &patterns) {
  patterns.add<MaskFromDropout>(patterns.getContext());
}

} // namespace dlc::lower
