//===- CanonicalizePositions.cpp - nn: one form for masks of positions -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exporters write a causal mask as a constant matrix, or as a comparison of constants that count. Said by
// positions, it needs no memory, and the later stages see what it hides.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Canonicalize.h"
#include "dialects/nn/Expr.h"
#include "dialects/nn/FoldConstants.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nn;

static Expr positions(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape, int64_t axis) {
  return {b, IotaOp::create(b, RankedTensorType::get(shape, b.getI64Type()), axis)};
}

std::optional<int64_t> nn::countedAxis(DenseIntElementsAttr numbers) {
  if (numbers.isSplat())
    return std::nullopt;
  ArrayRef<int64_t> sizes = numbers.getType().getShape();
  auto axis = llvm::find_if(sizes, [](int64_t size) { return size != 1; });
  if (axis == sizes.end() || *axis != numbers.getNumElements())
    return std::nullopt;
  for (auto [position, number] : llvm::enumerate(numbers.getValues<APInt>()))
    if (number.getSExtValue() != int64_t(position))
      return std::nullopt;
  return axis - sizes.begin();
}

static std::optional<int64_t> countedAxis(Value value) {
  DenseIntElementsAttr numbers;
  return matchPattern(value, m_Constant(&numbers)) ? nn::countedAxis(numbers) : std::nullopt;
}

/// Numbers 0, 1, 2 ... along different axes, which are compared, are positions.
struct CompareToPositions : public OpRewritePattern<CompareOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CompareOp op, PatternRewriter &rewriter) const override {
    std::optional<int64_t> a = countedAxis(op.getA()), b = countedAxis(op.getB());
    if (!a || !b || rank(op.getA()) - *a == rank(op.getB()) - *b)
      return failure();
    auto counted = [&](Value constant, int64_t axis) -> Value {
      return IotaOp::create(rewriter, constant.getLoc(), constant.getType(), axis);
    };
    Value left = counted(op.getA(), *a), right = counted(op.getB(), *b);
    rewriter.modifyOpInPlace(op, [&] {
      op.getAMutable().assign(left);
      op.getBMutable().assign(right);
    });
    return success();
  }

private:
  static int64_t rank(Value value) { return cast<ShapedType>(value.getType()).getRank(); }
};

/// A constant with one number on and below a diagonal of its last two dims, and another above it.
struct TriangleToPositions : public OpRewritePattern<ConstantOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConstantOp op, PatternRewriter &rewriter) const override {
    auto matrix = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!matrix || matrix.isSplat() || !isa<FloatType, IntegerType>(matrix.getElementType()) ||
        op->use_empty() || !llvm::all_of(op->getUsers(), isComputed))
      return failure();
    std::optional<int64_t> diagonal = diagonalOf(matrix);
    if (!diagonal)
      return failure();
    ArrayRef<int64_t> shape = matrix.getType().getShape();
    int64_t rank = shape.size();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<int64_t> rowShape(rank, 1), columnShape(rank, 1);
    rowShape[rank - 2] = shape[rank - 2];
    columnShape[rank - 1] = shape[rank - 1];
    Expr row = positions(b, rowShape, rank - 2), column = positions(b, columnShape, rank - 1);
    if (*diagonal != 0)
      row = row + double(*diagonal);
    auto elements = matrix.getValues<Attribute>();
    Attribute below = elements[0], above = elements[shape[rank - 1] - 1];
    if (matrix.getElementType().isInteger(1)) {
      bool isBelow = cast<IntegerAttr>(below).getValue().isOne();
      rewriter.replaceOp(op, (isBelow ? lessEqual(column, row) : greater(column, row)).get());
      return success();
    }
    auto scalar = [&](Attribute number) -> Expr {
      auto type = RankedTensorType::get({}, matrix.getElementType());
      return {b, ConstantOp::create(b, DenseElementsAttr::get(type, number))};
    };
    Expr whenVisible = scalar(below), otherwise = scalar(above);
    rewriter.replaceOp(op, select(lessEqual(column, row), whenVisible, otherwise).get());
    return success();
  }

private:
  /// An elementwise operation that does not become a constant itself: it computes the mask's elements.
  static bool isComputed(Operation *user) {
    if (!user->hasTrait<Elementwise>())
      return false;
    auto type = cast<RankedTensorType>(user->getResult(0).getType());
    return (type.hasStaticShape() && type.getNumElements() > largestFoldedConstant) ||
           llvm::any_of(user->getOperands(),
                        [](Value operand) { return !matchPattern(operand, m_Constant()); });
  }

  /// How far beyond its row's position the last element is that is equal to the first.
  static std::optional<int64_t> diagonalOf(DenseElementsAttr matrix) {
    ArrayRef<int64_t> shape = matrix.getType().getShape();
    int64_t rank = shape.size();
    if (rank < 2 || shape[rank - 1] < 2 || shape[rank - 2] < 2 ||
        shape[rank - 1] * shape[rank - 2] != matrix.getNumElements())
      return std::nullopt;
    auto elements = matrix.getValues<Attribute>();
    int64_t rows = shape[rank - 2], columns = shape[rank - 1], diagonal = 0;
    Attribute below = elements[0], above = elements[columns - 1];
    while (diagonal + 1 < columns && elements[diagonal + 1] == below)
      ++diagonal;
    if (diagonal + 1 >= columns)
      return std::nullopt;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        if (elements[row * columns + column] != (column <= row + diagonal ? below : above))
          return std::nullopt;
    return diagonal;
  }
};

void nn::addPositionPatterns(RewritePatternSet &patterns) {
  patterns.add<CompareToPositions, TriangleToPositions>(patterns.getContext());
}
