//===- Canonicalize.cpp - nn: one form for equal programs
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites that need new operations. Exporters write the same thing in many ways; the stages after
// `forward` see the one that lowers best.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Canonicalize.h"
#include "dialects/nn/Expr.h"
#include "dialects/nn/Infer.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace nn;

/// Broadcasting is part of elementwise operations: an operand need not be stretched before, if the others
/// give the result its shape.
struct DropStretching : public OpTraitRewritePattern<nn::Elementwise> {
  using OpTraitRewritePattern::OpTraitRewritePattern;

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (op->getNumOperands() < 2)
      return failure();
    for (OpOperand &operand : op->getOpOperands()) {
      Shape small;
      auto expand = operand.get().getDefiningOp<ExpandOp>();
      SplatElementsAttr splat;
      if (expand)
        small = shapeOf(expand.getX());
      else if (!matchPattern(operand.get(), m_Constant(&splat)) || splat.getType().getRank() == 0)
        continue;
      if (broadcastWith(operand, small) != shapeOf(op->getResult(0)))
        continue;
      Value value = expand ? expand.getX() : scalar(splat, op->getLoc(), rewriter);
      rewriter.modifyOpInPlace(op, [&] { operand.set(value); });
      return success();
    }
    return failure();
  }

private:
  /// The shape to which all operands broadcast, `replaced` having shape `small`.
  static std::optional<Shape> broadcastWith(OpOperand &replaced, ArrayRef<Dim> small) {
    std::optional<Shape> shape = Shape(small.begin(), small.end());
    for (OpOperand &operand : replaced.getOwner()->getOpOperands())
      if (shape && &operand != &replaced)
        shape = broadcast(*shape, shapeOf(operand.get()));
    return shape;
  }

  static Value scalar(SplatElementsAttr splat, Location location, PatternRewriter &rewriter) {
    auto type = RankedTensorType::get({}, splat.getElementType());
    return ConstantOp::create(rewriter, location, splat.resizeSplat(type));
  }
};

/// Small whole powers are products, as PyTorch computes them.
struct PowerToProduct : public OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PowOp op, PatternRewriter &rewriter) const override {
    SplatElementsAttr exponent;
    if (!matchPattern(op.getB(), m_Constant(&exponent)) || !isa<FloatType>(exponent.getElementType()) ||
        op.getA().getType() != op.getType())
      return failure();
    APFloat number = exponent.getSplatValue<APFloat>();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Expr x(b, op.getA());
    if (number.isExactlyValue(2))
      rewriter.replaceOp(op, (x * x).get());
    else if (number.isExactlyValue(3))
      rewriter.replaceOp(op, (x * x * x).get());
    else if (number.isExactlyValue(-1))
      rewriter.replaceOp(op, reciprocal(x).get());
    else
      return failure();
    return success();
  }
};

/// What is left of `x` when the float constant `number` is taken off as one of its two summands.
static Value otherSummand(Value x, double number) {
  auto sum = x.getDefiningOp<AddOp>();
  for (int i = 0; sum && i < 2; ++i) {
    SplatElementsAttr known;
    Value other = sum->getOperand(1 - i);
    if (matchPattern(sum->getOperand(i), m_Constant(&known)) && isa<FloatType>(known.getElementType()) &&
        known.getSplatValue<APFloat>().isExactlyValue(number) && other.getType() == sum.getType())
      return other;
  }
  return {};
}

/// 1 + erf(x), 1 + tanh(x): differences of near numbers where x is far below 0. GELU is exported like this.
struct SumToComplement : public OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    Value other = otherSummand(op, 1);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    if (auto erf = other ? other.getDefiningOp<ErfOp>() : nullptr)
      rewriter.replaceOp(op, nn::erfc(-Expr(b, erf.getX())).get());
    else if (auto tanh = other ? other.getDefiningOp<TanhOp>() : nullptr)
      rewriter.replaceOp(op, (2 * sigmoid(2 * Expr(b, tanh.getX()))).get());
    else
      return failure();
    return success();
  }
};

/// ln(1 + x) and e^x - 1 lose the digits of a small x: exporters write log1p and expm1 like this.
struct LogToLog1p : public OpRewritePattern<LogOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LogOp op, PatternRewriter &rewriter) const override {
    Value x = otherSummand(op.getX(), 1);
    if (!x)
      return failure();
    rewriter.replaceOpWithNewOp<Log1pOp>(op, x);
    return success();
  }
};

struct DifferenceToExpm1 : public OpRewritePattern<SubOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SubOp op, PatternRewriter &rewriter) const override {
    SplatElementsAttr known;
    auto exp = op.getA().getDefiningOp<ExpOp>();
    if (!exp || exp.getType() != op.getType() || !matchPattern(op.getB(), m_Constant(&known)) ||
        !known.getSplatValue<APFloat>().isExactlyValue(1))
      return failure();
    rewriter.replaceOpWithNewOp<Expm1Op>(op, exp.getX());
    return success();
  }
};

/// Whether only the last two dims are exchanged.
static bool isMatrixTranspose(TransposeOp op) {
  SmallVector<int64_t> expected = llvm::to_vector(llvm::seq<int64_t>(op.getPermutation().size()));
  if (expected.size() < 2)
    return false;
  std::swap(expected[expected.size() - 1], expected[expected.size() - 2]);
  return op.getPermutation() == ArrayRef<int64_t>(expected);
}

/// A product reads its operands transposed at no cost.
struct TransposeIntoProduct : public OpRewritePattern<MatMulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatMulOp op, PatternRewriter &rewriter) const override {
    auto a = op.getA().getDefiningOp<TransposeOp>(), b = op.getB().getDefiningOp<TransposeOp>();
    bool foldA = a && isMatrixTranspose(a), foldB = b && isMatrixTranspose(b);
    if (!foldA && !foldB)
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      if (foldA) {
        op.getAMutable().assign(a.getX());
        op.setTransposeA(!op.getTransposeA());
      }
      if (foldB) {
        op.getBMutable().assign(b.getX());
        op.setTransposeB(!op.getTransposeB());
      }
    });
    return success();
  }
};

/// A transpose that brings the last dim in front of another exchanges the two only for the product, which
/// does that at no cost. The gradient then lies as the operand's source does: attention's keys, which are
/// brought from (position, head, element) to (head, element, position).
struct ExchangeIntoProduct : public OpRewritePattern<MatMulOp> {
  using OpRewritePattern::OpRewritePattern;

  static TransposeOp exchanging(Value operand) {
    auto op = operand.getDefiningOp<TransposeOp>();
    if (!op || !op->hasOneUse() || isMatrixTranspose(op))
      return {};
    int64_t rank = op.getPermutation().size();
    return rank > 2 && op.getPermutation()[rank - 2] == rank - 1 ? op : TransposeOp();
  }

  LogicalResult matchAndRewrite(MatMulOp op, PatternRewriter &rewriter) const override {
    TransposeOp a = exchanging(op.getA()), b = exchanging(op.getB());
    if (!a && !b)
      return failure();
    auto withoutExchange = [&](TransposeOp transpose) -> Value {
      SmallVector<int64_t> permutation(transpose.getPermutation());
      std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
      return TransposeOp::create(rewriter, transpose.getLoc(), transpose.getX(), permutation);
    };
    rewriter.modifyOpInPlace(op, [&] {
      if (a) {
        op.getAMutable().assign(withoutExchange(a));
        op.setTransposeA(!op.getTransposeA());
      }
      if (b) {
        op.getBMutable().assign(withoutExchange(b));
        op.setTransposeB(!op.getTransposeB());
      }
    });
    return success();
  }
};

/// Moving dims of size 1 moves no element.
struct TransposeToReshape : public OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    Shape x = shapeOf(op.getX());
    SmallVector<int64_t> moved;
    for (int64_t dim : op.getPermutation())
      if (!x[dim].isOne())
        moved.push_back(dim);
    if (!llvm::is_sorted(moved))
      return failure();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getX());
    return success();
  }
};

/// Reducing dims of size 1 drops them.
template <typename Op> struct ReductionToReshape : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Shape x = shapeOf(op.getX());
    if (!llvm::all_of(op.getAxes(), [&](int64_t axis) { return x[axis].isOne(); }))
      return failure();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getX());
    return success();
  }
};

void NNDialect::getCanonicalizationPatterns(RewritePatternSet &patterns) const {
  addPartPatterns(patterns);
  addConditionPatterns(patterns);
  addPoolPatterns(patterns);
  addPositionPatterns(patterns);
  addGatherPatterns(patterns);
  addCastPatterns(patterns);
  addNormalizationPatterns(patterns);
  patterns.add<DropStretching, PowerToProduct, SumToComplement, LogToLog1p, DifferenceToExpm1,
               TransposeIntoProduct, ExchangeIntoProduct, TransposeToReshape, ReductionToReshape<SumOp>,
               ReductionToReshape<MeanOp>, ReductionToReshape<ReduceMaxOp>, ReductionToReshape<ReduceMinOp>,
               ReductionToReshape<ProdOp>>(getContext());
}
