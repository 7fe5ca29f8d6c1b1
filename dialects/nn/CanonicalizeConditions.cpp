//===- CanonicalizeConditions.cpp - nn: one form for conditions ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exporters make a mask's truth values numbers, compare these with zero, and select by what comes out. The
// later stages see what a mask hides where something is selected by the first condition.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Canonicalize.h"
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
  return integer.getType().isInteger(1) ? double(value.getZExtValue()) : double(value.getSExtValue());
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

/// Of integers; one real number that is no number is neither less than another nor equal nor greater.
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

void nn::addConditionPatterns(RewritePatternSet &patterns) {
  patterns.add<ComparedChoice, SelectByNegated, NegatedComparison>(patterns.getContext());
}
