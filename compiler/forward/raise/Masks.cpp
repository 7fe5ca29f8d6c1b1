//===- Masks.cpp - masks of attention, as exporters write them -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention itself needs no operation of its own: its products and what stands between them become steps of
// one kernel. Two things that exporters write around its softmax keep later stages from seeing what a mask
// hides.
//===----------------------------------------------------------------------===//
#include "compiler/forward/raise/Masks.h"
#include "compiler/forward/raise/Patterns.h"
#include "compiler/forward/raise/Polynomial.h"
#include "dialects/nn/Expr.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;

namespace dlc::forward {
namespace {

/// Positions along a dim, counted from the last one, and what is added to them.
struct Positions {
  int64_t dim, offset;
};

std::optional<Positions> positionsOf(Value value) {
  int64_t offset = 0;
  DenseIntElementsAttr number;
  if (auto sum = value.getDefiningOp<nn::AddOp>();
      sum && matchPattern(sum.getB(), m_Constant(&number)) && number.isSplat()) {
    offset = number.getSplatValue<APInt>().getSExtValue();
    value = sum.getA();
  }
  auto iota = value.getDefiningOp<nn::IotaOp>();
  if (!iota)
    return std::nullopt;
  return Positions{cast<RankedTensorType>(iota.getType()).getRank() - int64_t(iota.getAxis()), offset};
}

} // namespace

std::optional<bool> hidesLater(Value condition) {
  auto compare = condition.getDefiningOp<nn::CompareOp>();
  std::optional<Positions> a = compare ? positionsOf(compare.getA()) : std::nullopt,
                           b = compare ? positionsOf(compare.getB()) : std::nullopt;
  if (!a || !b || (a->dim == 1) == (b->dim == 1))
    return std::nullopt;
  nn::Comparison predicate = compare.getPredicate();
  bool isLess = predicate == nn::Comparison::lt || predicate == nn::Comparison::le;
  if (!isLess && predicate != nn::Comparison::gt && predicate != nn::Comparison::ge)
    return std::nullopt;
  bool hides = (b->dim == 1) == isLess; // row < column, or column > row
  int64_t first = a->dim == 1 ? b->offset - a->offset : a->offset - b->offset; // of the first row's own place
  bool isStrict = predicate == nn::Comparison::lt || predicate == nn::Comparison::gt;
  bool seesOwn = hides == isStrict;
  if (first < (seesOwn ? 0 : 1))
    return std::nullopt;
  return hides;
}

std::optional<bool> hidesLaterAtLeast(Value condition) {
  Operation *op = condition.getDefiningOp();
  if (isa_and_nonnull<nn::ReshapeOp, nn::ExpandOp>(op))
    return hidesLaterAtLeast(op->getOperand(0));
  if (isa_and_nonnull<nn::LogicalAndOp, nn::LogicalOrOp>(op))
    for (Value part : op->getOperands())
      if (hidesLaterAtLeast(part) == isa<nn::LogicalOrOp>(op))
        return isa<nn::LogicalOrOp>(op);
  return hidesLater(condition);
}

namespace {

/// A product of matrices, perhaps times numbers.
bool isProduct(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<nn::MatMulOp>(op))
      return true;
    if (!isa<nn::MulOp, nn::DivOp>(op) || !numberOf(op->getOperand(1)))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// Rows that see nothing are no numbers after a softmax, and exporters put zeros there, element by element.
/// As part of the softmax, such a row's gradient is zero, as PyTorch's, where that of the formula is no
/// number.
struct SelectedRows : public OpRewritePattern<nn::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::SelectOp op, PatternRewriter &rewriter) const override {
    auto softmax = op.getB().getDefiningOp<nn::SoftmaxOp>();
    auto isNoNumber = op.getCondition().getDefiningOp<nn::CompareOp>();
    if (!softmax || !isNoNumber || isNoNumber.getPredicate() != nn::Comparison::ne ||
        isNoNumber.getA() != softmax.getY() || isNoNumber.getB() != softmax.getY() ||
        numberOf(op.getA()) != 0.0 || op.getType() != softmax.getType())
      return failure();
    rewriter.replaceOpWithNewOp<nn::SoftmaxOp>(op, softmax.getX(), softmax.getAxis(), /*empty_to_zero=*/true);
    return success();
  }
};

bool isLow(Value value) {
  std::optional<double> number = numberOf(value);
  return number && std::isfinite(*number) && *number <= -1e30;
}

/// The lowest number of float32, which the newer exporter writes for what a causal mask hides, becomes minus
/// infinity: the probability is zero either way unless scores are as large as half of it. Where rows can be
/// hidden as a whole, which gives each element the same share, it stays; so it does where another mask's low
/// numbers may be added.
struct LowToInfinity : public OpRewritePattern<nn::SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::SoftmaxOp op, PatternRewriter &rewriter) const override {
    int64_t rank = cast<RankedTensorType>(op.getType()).getRank();
    if (int64_t(op.getAxis()) != rank - 1)
      return failure();
    nn::SelectOp mask = op.getX().getDefiningOp<nn::SelectOp>();
    Value scores;
    auto sum = op.getX().getDefiningOp<nn::AddOp>();
    for (int i = 0; sum && !mask && i < 2; ++i) {
      mask = sum->getOperand(i).getDefiningOp<nn::SelectOp>();
      scores = sum->getOperand(1 - i);
    }
    std::optional<bool> hides = mask ? hidesLater(mask.getCondition()) : std::nullopt;
    if (!hides)
      return failure();
    Value hidden = *hides ? mask.getA() : mask.getB(), seen = *hides ? mask.getB() : mask.getA();
    if (!isLow(hidden) || !isProduct(sum ? scores : seen) || (sum && numberOf(seen) != 0.0))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    nn::Expr visible(b, seen), never = visible.scalar(-INFINITY), condition(b, mask.getCondition());
    nn::Expr masked = *hides ? nn::select(condition, never, visible) : nn::select(condition, visible, never);
    Value x = sum ? (nn::Expr(b, scores) + masked).get() : masked.get();
    rewriter.modifyOpInPlace(op, [&] { op.getXMutable().assign(x); });
    return success();
  }
};

} // namespace

void addMaskPatterns(RewritePatternSet &patterns) {
  patterns.add<SelectedRows, LowToInfinity>(patterns.getContext());
}

} // namespace dlc::forward
