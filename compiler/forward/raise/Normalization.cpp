//===- Normalization.cpp - layer normalization from its formula ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of the whole operation reads x and two numbers for each row; that of the formula keeps the
// centered and the normalized x.
//===----------------------------------------------------------------------===//
#include "compiler/forward/raise/Patterns.h"
#include "compiler/forward/raise/Polynomial.h"
#include "dialects/nn/Dims.h"

using namespace mlir;

namespace dlc::forward {
namespace {

struct Normalized {
  Value x;
  int64_t axis;
  double epsilon;
};

/// x of x - mean(x) over the last dims, from `axis` on.
std::optional<Normalized> centeredOf(Value value) {
  auto difference = value.getDefiningOp<nn::SubOp>();
  auto mean = difference ? difference.getB().getDefiningOp<nn::MeanOp>() : nullptr;
  if (!mean || mean.getX() != difference.getA() || !mean.getKeepdims() ||
      difference.getType() != mean.getX().getType())
    return std::nullopt;
  int64_t rank = cast<RankedTensorType>(difference.getType()).getRank();
  SmallVector<int64_t> axes(mean.getAxes());
  llvm::sort(axes);
  int64_t axis = rank - axes.size();
  if (axes.empty() || !llvm::equal(axes, llvm::seq<int64_t>(axis, rank)))
    return std::nullopt;
  return Normalized{mean.getX(), axis, 0};
}

/// Epsilon of mean(d * d) + epsilon over the dims from `axis` on.
std::optional<double> epsilonOf(Value value, Value d, int64_t axis) {
  auto sum = value.getDefiningOp<nn::AddOp>();
  for (int i = 0; sum && i < 2; ++i) {
    std::optional<double> epsilon = numberOf(sum->getOperand(i));
    auto mean = sum->getOperand(1 - i).getDefiningOp<nn::MeanOp>();
    auto square = mean ? mean.getX().getDefiningOp<nn::MulOp>() : nullptr;
    if (!epsilon || *epsilon < 0 || !square || square.getA() != d || square.getB() != d ||
        !mean.getKeepdims() || mean.getType() != sum.getType())
      continue;
    SmallVector<int64_t> axes(mean.getAxes());
    llvm::sort(axes);
    if (llvm::equal(axes, llvm::seq<int64_t>(axis, cast<RankedTensorType>(d.getType()).getRank())))
      return epsilon;
  }
  return std::nullopt;
}

/// d / sqrt(v), d * rsqrt(v) or d * (1 / sqrt(v)): d and v.
std::optional<std::pair<Value, Value>> overRoot(Value value) {
  if (auto quotient = value.getDefiningOp<nn::DivOp>())
    if (auto root = quotient.getB().getDefiningOp<nn::SqrtOp>())
      return std::pair(quotient.getA(), root.getX());
  auto product = value.getDefiningOp<nn::MulOp>();
  for (int i = 0; product && i < 2; ++i) {
    Value d = product->getOperand(i), factor = product->getOperand(1 - i);
    if (auto inverse = factor.getDefiningOp<nn::RsqrtOp>())
      return std::pair(d, inverse.getX());
    auto inverse = factor.getDefiningOp<nn::ReciprocalOp>();
    if (auto root = inverse ? inverse.getX().getDefiningOp<nn::SqrtOp>() : nullptr)
      return std::pair(d, root.getX());
  }
  return std::nullopt;
}

std::optional<Normalized> normalizedOf(Value value) {
  std::optional<std::pair<Value, Value>> parts = overRoot(value);
  std::optional<Normalized> found = parts ? centeredOf(parts->first) : std::nullopt;
  std::optional<double> epsilon = found ? epsilonOf(parts->second, parts->first, found->axis) : std::nullopt;
  if (!epsilon)
    return std::nullopt;
  found->epsilon = *epsilon;
  return found;
}

/// Whether it has exactly the dims from `axis` on.
bool fits(Value factor, const Normalized &normalized) {
  nn::Shape shape = nn::shapeOf(normalized.x.getType());
  return ArrayRef(nn::shapeOf(factor.getType())) == ArrayRef(shape).drop_front(normalized.axis);
}

struct SumToLayerNorm : public OpRewritePattern<nn::AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::AddOp op, PatternRewriter &rewriter) const override {
    for (int i : {0, 1}) {
      Value bias = op->getOperand(1 - i);
      auto product = op->getOperand(i).getDefiningOp<nn::MulOp>();
      for (int j = 0; product && j < 2; ++j) {
        Value scale = product->getOperand(1 - j);
        std::optional<Normalized> normalized = normalizedOf(product->getOperand(j));
        if (!normalized || !fits(scale, *normalized) || !fits(bias, *normalized))
          continue;
        ImplicitLocOpBuilder b(op.getLoc(), rewriter);
        auto norm = nn::LayerNormOp::create(b, normalized->x, scale, bias, normalized->axis,
                                            APFloat(normalized->epsilon));
        rewriter.replaceOp(op, norm.getY());
        return success();
      }
    }
    return failure();
  }
};

} // namespace

void addNormalizationPatterns(RewritePatternSet &patterns) {
  patterns.add<SumToLayerNorm>(patterns.getContext());
}

} // namespace dlc::forward
