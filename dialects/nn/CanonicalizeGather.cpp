//===- CanonicalizeGather.cpp - nn: gathers that move nothing --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exporters write a padding mask of [batch, 1, 1, keys] as a gather: of the mask's elements, those at the
// positions (row, key), which are computed for all rows and keys. These are all elements in their order.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Canonicalize.h"
#include "dialects/nn/Dims.h"
#include "dialects/nn/NN.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nn;

namespace {

/// Integers that are not negative: `start`, and along each dim a step more. What is 0 has no names.
struct Steps {
  Dim start = 0;
  Shape along;

  explicit Steps(size_t rank) : along(rank, Dim(0)) {}
  bool isOneNumber() const {
    return llvm::all_of(along, [](const Dim &step) { return step == Dim(0); });
  }
};

std::optional<Dim> sum(const Dim &a, const Dim &b) {
  if (a == Dim(0) || b == Dim(0))
    return a == Dim(0) ? b : a;
  if (a.names != b.names)
    return std::nullopt;
  Dim result = a;
  result.factor = saturatingAdd(a.factor, b.factor);
  return result;
}

std::optional<Steps> stepsOf(Value value, int depth);

/// The steps of an operand along the dims of a result to which it is stretched.
std::optional<Steps> stretched(Value value, ArrayRef<Dim> to, int depth) {
  std::optional<Steps> own = stepsOf(value, depth);
  if (!own)
    return std::nullopt;
  Shape from = shapeOf(value.getType());
  Steps result(to.size());
  result.start = own->start;
  for (size_t i = 1; i <= from.size(); ++i)
    if (from[from.size() - i] == to[to.size() - i])
      result.along[to.size() - i] = own->along[from.size() - i];
  return result;
}

std::optional<Steps> ofConstant(DenseIntElementsAttr numbers) {
  Steps result(numbers.getType().getRank());
  if (numbers.isSplat()) {
    int64_t number = numbers.getSplatValue<APInt>().getSExtValue();
    result.start = number;
    return number < 0 ? std::nullopt : std::optional(result);
  }
  std::optional<int64_t> axis = countedAxis(numbers);
  if (axis)
    result.along[*axis] = 1;
  return axis ? std::optional(result) : std::nullopt;
}

/// A size that is computed: the sum of as many ones.
std::optional<Steps> ofSum(SumOp op) {
  auto ones = op.getX().getDefiningOp<ExpandOp>();
  SplatElementsAttr one;
  if (!ones || !matchPattern(ones.getX(), m_Constant(&one)) || !isa<IntegerType>(one.getElementType()) ||
      !one.getSplatValue<APInt>().isOne() || cast<RankedTensorType>(op.getType()).getRank() != 0)
    return std::nullopt;
  Steps result(0);
  result.start = elementCount(shapeOf(ones.getType()));
  return result;
}

std::optional<Steps> ofReshape(ReshapeOp op, int depth) {
  Shape from = shapeOf(op.getX().getType()), to = shapeOf(op.getType());
  auto withoutOnes = [](ArrayRef<Dim> shape) {
    return llvm::filter_to_vector(llvm::seq<size_t>(0, shape.size()),
                                  [&](size_t dim) { return !shape[dim].isOne(); });
  };
  SmallVector<size_t> left = withoutOnes(from), right = withoutOnes(to);
  std::optional<Steps> own = left.size() == right.size() ? stepsOf(op.getX(), depth) : std::nullopt;
  if (!own)
    return std::nullopt;
  Steps result(to.size());
  result.start = own->start;
  for (auto [a, b] : llvm::zip_equal(left, right)) {
    if (from[a] != to[b])
      return std::nullopt;
    result.along[b] = own->along[a];
  }
  return result;
}

/// One of the parts of a whole.
std::optional<Steps> ofSlice(SliceOp op, int depth) {
  auto whole = op.getX().getDefiningOp<ConcatOp>();
  if (!whole)
    return std::nullopt;
  int64_t axis = whole.getAxis(), at = 0;
  for (Value part : whole.getInputs()) {
    Dim size = shapeOf(part.getType())[axis];
    if (!size.isStatic())
      return std::nullopt;
    if (at == op.getStarts()[axis] && part.getType() == op.getType())
      return stepsOf(part, depth);
    at += size.factor;
  }
  return std::nullopt;
}

std::optional<Steps> stepsOf(Value value, int depth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return std::nullopt;
  DenseIntElementsAttr numbers;
  if (matchPattern(value, m_Constant(&numbers)))
    return ofConstant(numbers);
  Shape shape = shapeOf(value.getType());
  --depth;
  return llvm::TypeSwitch<Operation *, std::optional<Steps>>(op)
      .Case([&](IotaOp iota) {
        Steps result(shape.size());
        result.along[iota.getAxis()] = 1;
        return result;
      })
      .Case([&](SumOp op) { return ofSum(op); })
      .Case([&](ReshapeOp op) { return ofReshape(op, depth); })
      .Case([&](ExpandOp op) { return stretched(op.getX(), shape, depth); })
      .Case([&](SliceOp op) { return ofSlice(op, depth); })
      .Case([&](AddOp op) -> std::optional<Steps> {
        std::optional<Steps> a = stretched(op.getA(), shape, depth), b = stretched(op.getB(), shape, depth);
        std::optional<Dim> start = a && b ? sum(a->start, b->start) : std::nullopt;
        if (!start)
          return std::nullopt;
        a->start = *start;
        for (auto [step, more] : llvm::zip_equal(a->along, b->along)) {
          std::optional<Dim> both = sum(step, more);
          if (!both)
            return std::nullopt;
          step = *both;
        }
        return a;
      })
      .Case([&](MulOp op) -> std::optional<Steps> {
        std::optional<Steps> a = stretched(op.getA(), shape, depth), b = stretched(op.getB(), shape, depth);
        if (!a || !b || (!a->isOneNumber() && !b->isOneNumber()))
          return std::nullopt;
        if (a->isOneNumber())
          std::swap(a, b);
        a->start = a->start * b->start;
        for (Dim &step : a->along)
          step = step * b->start;
        return a;
      })
      .Case([&](SelectOp op) -> std::optional<Steps> {
        // Negative indices count from the end: these are none.
        auto compare = op.getCondition().getDefiningOp<CompareOp>();
        SplatElementsAttr zero;
        if (!compare || compare.getPredicate() != Comparison::lt || !stepsOf(compare.getA(), depth) ||
            !matchPattern(compare.getB(), m_Constant(&zero)) || !zero.getSplatValue<APInt>().isZero())
          return std::nullopt;
        return stretched(op.getB(), shape, depth);
      })
      .Default([](Operation *) { return std::nullopt; });
}

struct GatherToReshape : public OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    constexpr int deepest = 12;
    if (op.getAxis() != 0 || op.getPadding())
      return failure();
    Shape indices = shapeOf(op.getIndices().getType());
    // Most gathers have fewer or more indices than slices: they are not looked at.
    if (elementCount(indices) != shapeOf(op.getX().getType())[0])
      return failure();
    std::optional<Steps> steps = stepsOf(op.getIndices(), deepest);
    if (!steps || steps->start != Dim(0))
      return failure();
    Dim expected = 1;
    for (size_t dim = indices.size(); dim-- > 0;) {
      if (indices[dim].isOne())
        continue;
      if (steps->along[dim] != expected || llvm::is_contained(indices[dim].names, "?"))
        return failure();
      expected = expected * indices[dim];
    }
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getX());
    return success();
  }
};

} // namespace

void nn::addGatherPatterns(RewritePatternSet &patterns) {
  patterns.add<GatherToReshape>(patterns.getContext());
}
