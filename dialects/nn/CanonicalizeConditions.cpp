//===- CanonicalizeConditions.cpp - nn: one form for conditions ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exporters make a mask's truth values numbers, compare these with zero, and select by what comes out. The
// later stages see what a mask hides where something is selected by the first condition.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Canonicalize.h"
#include "dialects/nn/Expr.h"
#include "dialects/nn/Infer.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nn;

/// A condition that chooses between two known numbers.
struct Choice {
  Value condition;
  Attribute whenTrue, whenFalse;
};

static std::optional<Choice> choiceIn(Value value) {
  SplatElementsAttr a, b;
  if (auto select = value.getDefiningOp<SelectOp>();
      select && matchPattern(select.getA(), m_Constant(&a)) && matchPattern(select.getB(), m_Constant(&b)))
    return Choice{select.getCondition(), a.getSplatValue<Attribute>(), b.getSplatValue<Attribute>()};
  if (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getX();
  Builder builder(value.getContext());
  if (elementTypeOf(value).isInteger(1))
    return Choice{value, builder.getBoolAttr(true), builder.getBoolAttr(false)};
  return std::nullopt;
}

static double numberOf(Attribute number) {
  if (auto real = dyn_cast<FloatAttr>(number))
    return real.getValueAsDouble();
  auto integer = cast<IntegerAttr>(number);
  llvm::APInt value = integer.getValue();
  return isUnsigned(integer.getType()) ? double(value.getZExtValue()) : double(value.getSExtValue());
}

/// (c ? 1 : 0) == 0 is not c.
struct ComparedChoice : public OpRewritePattern<CompareOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CompareOp op, PatternRewriter &rewriter) const override {
    std::optional<Choice> choice = choiceIn(op.getA());
    SplatElementsAttr number;
    bool isEqual = op.getPredicate() == Comparison::eq;
    if (!choice || choice->condition.getType() != op.getType() ||
        (!isEqual && op.getPredicate() != Comparison::ne) || !matchPattern(op.getB(), m_Constant(&number)))
      return failure();
    double compared = numberOf(number.getSplatValue<Attribute>());
    bool whenTrue = (numberOf(choice->whenTrue) == compared) == isEqual,
         whenFalse = (numberOf(choice->whenFalse) == compared) == isEqual;
    if (whenTrue == whenFalse)
      return failure();
    Value condition = choice->condition;
    if (whenFalse)
      condition = LogicalNotOp::create(rewriter, op.getLoc(), condition);
    rewriter.replaceOp(op, condition);
    return success();
  }
};

struct SelectByNegated : public OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SelectOp op, PatternRewriter &rewriter) const override {
    auto negated = op.getCondition().getDefiningOp<LogicalNotOp>();
    if (!negated)
      return failure();
    rewriter.replaceOpWithNewOp<SelectOp>(op, negated.getX(), op.getB(), op.getA());
    return success();
  }
};

/// These hold for integers; NaN is neither less than another number nor equal nor greater.
struct NegatedComparison : public OpRewritePattern<LogicalNotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LogicalNotOp op, PatternRewriter &rewriter) const override {
    auto compare = op.getX().getDefiningOp<CompareOp>();
    if (!compare || !elementTypeOf(compare.getA()).isInteger())
      return failure();
    rewriter.replaceOpWithNewOp<CompareOp>(op, opposite(compare.getPredicate()), compare.getA(),
                                           compare.getB());
    return success();
  }

private:
  static Comparison opposite(Comparison predicate) {
    switch (predicate) {
    case Comparison::eq:
      return Comparison::ne;
    case Comparison::ne:
      return Comparison::eq;
    case Comparison::lt:
      return Comparison::ge;
    case Comparison::le:
      return Comparison::gt;
    case Comparison::gt:
      return Comparison::le;
    case Comparison::ge:
      return Comparison::lt;
    }
    llvm_unreachable("all predicates are handled");
  }
};

/// The one number of all elements, perhaps stretched to named dims.
static std::optional<Attribute> equalElements(Value value) {
  if (auto expand = value.getDefiningOp<ExpandOp>())
    value = expand.getX();
  SplatElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)))
    return std::nullopt;
  return splat.getSplatValue<Attribute>();
}

/// x and true, x or false: a mask of ones, as of a model without padding, hides nothing.
template <typename Op, bool neutral> struct WithNeutral : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    for (int i : {0, 1}) {
      std::optional<Attribute> all = equalElements(op->getOperand(i));
      if (!all || (numberOf(*all) != 0) != neutral)
        continue;
      Value other = op->getOperand(1 - i);
      if (other.getType() != op.getType())
        other = ExpandOp::create(rewriter, op.getLoc(), op.getType(), other);
      rewriter.replaceOp(op, other);
      return success();
    }
    return failure();
  }
};

/// What moves or converts one number in all places is that number, in other places or of another type.
template <typename Op> struct MovedNumber : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto expand = op.getX().template getDefiningOp<ExpandOp>();
    SplatElementsAttr splat;
    if (!expand || !matchPattern(expand.getX(), m_Constant(&splat)))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Expr number(b,
                ConstantOp::create(b, splat.resizeSplat(RankedTensorType::get({}, splat.getElementType()))));
    auto result = cast<RankedTensorType>(op.getType());
    number = nn::cast(number, result.getElementType());
    rewriter.replaceOpWithNewOp<ExpandOp>(op, result, number.get());
    return success();
  }
};

/// One of two numbers is selected by what is there, and then stretched.
struct SelectByStretched : public OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SelectOp op, PatternRewriter &rewriter) const override {
    auto isNumber = [](Value value) { return cast<RankedTensorType>(value.getType()).getRank() == 0; };
    auto expand = op.getCondition().getDefiningOp<ExpandOp>();
    if (!expand || !isNumber(op.getA()) || !isNumber(op.getB()))
      return failure();
    RankedTensorType type = tensorType(shapeOf(expand.getX().getType()), elementTypeOf(op.getA()));
    Value selected = SelectOp::create(rewriter, op.getLoc(), type, expand.getX(), op.getA(), op.getB());
    rewriter.replaceOpWithNewOp<ExpandOp>(op, op.getType(), selected);
    return success();
  }
};

void nn::addConditionPatterns(RewritePatternSet &patterns) {
  patterns
      .add<ComparedChoice, SelectByNegated, NegatedComparison, WithNeutral<LogicalAndOp, true>,
           WithNeutral<LogicalOrOp, false>, MovedNumber<CastOp>, MovedNumber<ReshapeOp>, SelectByStretched>(
          patterns.getContext());
}
