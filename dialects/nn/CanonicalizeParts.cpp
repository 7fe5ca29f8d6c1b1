//===- CanonicalizeParts.cpp - nn: one form for parts of tensors -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The later stages read a slice where it lies, and write the parts of a concatenation where they belong. So
// what can be said by these two is.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Canonicalize.h"
#include "dialects/nn/Dims.h"
#include "dialects/nn/NN.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nn;

//===-- Sums of parts ----------------------------------------------------------===//

namespace {
/// A tensor at `start` of an axis, with zeros around it.
struct Segment {
  Value value;
  int64_t start, size;
};
struct Segments {
  int64_t axis;
  SmallVector<Segment> segments;
};
} // namespace

static int64_t sizeAlong(Value value, int64_t axis) {
  return cast<RankedTensorType>(value.getType()).getDimSize(axis);
}

static bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

/// If a tensor is zero but for segments along one axis (a concat with zeros, or a pad): these segments.
static std::optional<Segments> segmentsOf(Value value) {
  if (auto concat = value.getDefiningOp<ConcatOp>()) {
    Segments result{int64_t(concat.getAxis()), {}};
    int64_t start = 0;
    for (Value input : concat.getInputs()) {
      int64_t size = sizeAlong(input, result.axis);
      if (!isZero(input) && size > 0)
        result.segments.push_back({input, start, size});
      start += size;
    }
    return result;
  }
  auto pad = value.getDefiningOp<PadOp>();
  if (!pad || pad.getMode() != PadMode::constant || !pad.getValue().isZero() ||
      llvm::any_of(pad.getInterior(), [](int64_t count) { return count != 0; }))
    return std::nullopt;
  std::optional<int64_t> axis;
  for (auto [dim, low, high] : llvm::enumerate(pad.getLow(), pad.getHigh())) {
    if (low == 0 && high == 0)
      continue;
    if (axis)
      return std::nullopt;
    axis = dim;
  }
  if (!axis)
    return std::nullopt;
  return Segments{*axis, {{pad.getX(), pad.getLow()[*axis], sizeAlong(pad.getX(), *axis)}}};
}

namespace {
/// The gradient of a tensor that was split is the sum of the gradients of its slices, each with zeros in the
/// place of the others.
struct SumOfPartsToConcat : public OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    std::optional<Segments> a = segmentsOf(op.getA()), b = segmentsOf(op.getB());
    if (!a || !b || a->axis != b->axis || op.getA().getType() != op.getType() ||
        op.getB().getType() != op.getType())
      return failure();
    SmallVector<Segment> segments = a->segments;
    segments.append(b->segments);
    llvm::sort(segments, [](const Segment &x, const Segment &y) { return x.start < y.start; });
    int64_t size = sizeAlong(op, a->axis), end = 0, covered = 0;
    for (const Segment &segment : segments) {
      if (segment.start < end)
        return failure();
      end = segment.start + segment.size;
      covered += segment.size;
    }
    auto type = cast<RankedTensorType>(op.getType());
    if (covered < size && !type.hasStaticShape()) // a constant has a static shape
      return failure();
    SmallVector<Value> inputs;
    end = 0;
    for (const Segment &segment : segments) {
      addZeros(type, a->axis, segment.start - end, op.getLoc(), inputs, rewriter);
      inputs.push_back(segment.value);
      end = segment.start + segment.size;
    }
    addZeros(type, a->axis, size - end, op.getLoc(), inputs, rewriter);
    rewriter.replaceOpWithNewOp<ConcatOp>(op, op.getType(), inputs, a->axis);
    return success();
  }

private:
  static void addZeros(RankedTensorType type, int64_t axis, int64_t size, Location loc,
                       SmallVector<Value> &inputs, PatternRewriter &rewriter) {
    if (size == 0)
      return;
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = size;
    auto zeros = RankedTensorType::get(shape, type.getElementType());
    inputs.push_back(ConstantOp::create(
        rewriter, loc, DenseElementsAttr::get(zeros, rewriter.getZeroAttr(type.getElementType()))));
  }
};

//===-- Slices -----------------------------------------------------------------===//

/// A slice of a transpose is the transpose of a slice: the elements that nobody wants need not be moved.
struct SliceBeforeTranspose : public OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto transpose = op.getX().getDefiningOp<TransposeOp>();
    if (!transpose)
      return failure();
    size_t rank = op.getStarts().size();
    SmallVector<int64_t> starts(rank), limits(rank), steps(rank);
    for (auto [dim, source] : llvm::enumerate(transpose.getPermutation())) {
      starts[source] = op.getStarts()[dim];
      limits[source] = op.getLimits()[dim];
      steps[source] = op.getSteps()[dim];
    }
    Value part = SliceOp::create(rewriter, op.getLoc(), transpose.getX(), starts, limits, steps);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, part, transpose.getPermutation());
    return success();
  }
};

/// Taking known positions that are equally far apart. A slice has no padding index, whose part has no
/// gradient.
struct GatherToSlice : public OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getX().getType());
    int64_t axis = op.getAxis(), size = type.getDimSize(axis), step = 1;
    DenseIntElementsAttr indices;
    if (ShapedType::isDynamic(size) || op.getPadding() ||
        !matchPattern(op.getIndices(), m_Constant(&indices)) || indices.getNumElements() == 0)
      return failure();
    SmallVector<int64_t> positions;
    for (const APInt &index : indices.getValues<APInt>()) {
      int64_t position = index.getSExtValue();
      position += position < 0 ? size : 0;
      if (position < 0 || position >= size) // an error that is reported elsewhere
        return failure();
      if (positions.size() == 1)
        step = position - positions[0];
      if (!positions.empty() && (step < 1 || position - positions.back() != step))
        return failure();
      positions.push_back(position);
    }
    SmallVector<int64_t> starts(type.getRank(), 0), limits, steps(type.getRank(), 1);
    for (int64_t dim : type.getShape())
      limits.push_back(ShapedType::isDynamic(dim) ? -1 : dim);
    starts[axis] = positions.front();
    limits[axis] = positions.back() + 1;
    steps[axis] = step;
    Value part = SliceOp::create(rewriter, op.getLoc(), op.getX(), starts, limits, steps);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), part);
    return success();
  }
};
} // namespace

void nn::addPartPatterns(RewritePatternSet &patterns) {
  patterns.add<SumOfPartsToConcat, SliceBeforeTranspose, GatherToSlice>(patterns.getContext());
}
