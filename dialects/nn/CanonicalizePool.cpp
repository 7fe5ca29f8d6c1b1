//===- CanonicalizePool.cpp - nn: what goes back through a max_pool --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A max_unpool has a number for each window, and makes an image of them, which is larger and mostly zeros.
// What follows is computed of the windows instead, where it can be.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Canonicalize.h"
#include "dialects/nn/NN.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nn;

/// What goes back through a max_pool, but not where its image x fulfils x <= 0, say (the gradient of a relu in
/// front of it). The element that a window sends its number to equals the window's largest, or both are NaN:
/// so this can be asked instead.
struct SelectOfUnpooled : public OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SelectOp op, PatternRewriter &rewriter) const override {
    auto compare = op.getCondition().getDefiningOp<CompareOp>();
    auto unpool = op.getA().getDefiningOp<MaxUnpoolOp>();
    const bool isFirst = bool(unpool);
    if (!isFirst)
      unpool = op.getB().getDefiningOp<MaxUnpoolOp>();
    Value nothing = isFirst ? op.getB() : op.getA();
    if (!compare || !unpool || !unpool->hasOneUse() || unpool.getType() != op.getType())
      return failure();
    auto pool = unpool.getPositions().getDefiningOp<MaxPoolOp>();
    auto isNumber = [](Value x) { return cast<RankedTensorType>(x.getType()).getRank() == 0; };
    if (!pool || pool.getX() != compare.getA() || pool.getX().getType() != op.getType() ||
        !isNumber(compare.getB()) || !isNumber(nothing) || !matchPattern(nothing, m_PosZeroFloat()))
      return failure();
    // Where what was pooled is flattened, and the gradient comes back from there, the product that makes the
    // gradient can ask.
    Value windows = pool.getY(), numbers = unpool.getY();
    auto back = numbers.getDefiningOp<ReshapeOp>();
    ReshapeOp flat = back && back->hasOneUse() ? flattened(windows, back.getX().getType(), op) : ReshapeOp();
    Value asked = flat ? flat.getY() : windows, chosen = flat ? back.getX() : numbers;
    Value condition =
        CompareOp::create(rewriter, compare.getLoc(), compare.getPredicate(), asked, compare.getB());
    Value kept = SelectOp::create(rewriter, op.getLoc(), condition, isFirst ? chosen : nothing,
                                  isFirst ? nothing : chosen);
    if (flat) {
      Operation *reshaped = rewriter.clone(*back);
      reshaped->setOperand(0, kept);
      kept = reshaped->getResult(0);
    }
    Operation *unpooled = rewriter.clone(*unpool);
    unpooled->setOperand(0, kept);
    rewriter.replaceOp(op, unpooled);
    return success();
  }

private:
  /// The reshape of `x` to this type before `op`, if there is one.
  static ReshapeOp flattened(Value x, Type type, Operation *op) {
    for (Operation *user : x.getUsers())
      if (auto reshape = dyn_cast<ReshapeOp>(user); reshape && reshape.getType() == type &&
                                                    reshape->getBlock() == op->getBlock() &&
                                                    reshape->isBeforeInBlock(op))
        return reshape;
    return {};
  }
};

/// The sum over whole planes (the gradient of a bias in front of a max_pool): each window's number is at one
/// position of the plane, as each window has an element of the image.
struct SumOfUnpooled : public OpRewritePattern<SumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SumOp op, PatternRewriter &rewriter) const override {
    auto unpool = op.getX().getDefiningOp<MaxUnpoolOp>();
    if (!unpool || !unpool.getPositions().getDefiningOp<MaxPoolOp>())
      return failure();
    for (int64_t dim = 2; dim < unpool.getType().getRank(); ++dim)
      if (!llvm::is_contained(op.getAxes(), dim))
        return failure();
    rewriter.modifyOpInPlace(op, [&] { op->setOperand(0, unpool.getY()); });
    return success();
  }
};

void nn::addPoolPatterns(RewritePatternSet &patterns) {
  patterns.add<SelectOfUnpooled, SumOfUnpooled>(patterns.getContext());
}
