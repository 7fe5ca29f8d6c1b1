//===- Formulas.cpp - layers that were written as formulas ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A formula has a number for each row, which is given the dims that it lost (a reshape) and stretched (an
// expand). Which dims of x it stands for is seen from the shape in between.
//===----------------------------------------------------------------------===//
#include "frontends/stablehlo/Formulas.h"
#include "dialects/nn/Expr.h"
#include "dialects/nn/Infer.h"

using namespace mlir;

namespace dlc::stablehlo {

namespace {

/// A tensor that is reduced along dims.
struct Rows {
  Value x;
  SmallVector<int64_t> axes;
};

Value withoutExpand(Value value) {
  while (auto expand = value.getDefiningOp<nn::ExpandOp>()) {
    if (nn::shapeOf(expand.getX()).size() != nn::shapeOf(value).size())
      break;
    value = expand.getX();
  }
  return value;
}

/// What was computed for each row of `rows`, in the shape of x without the dims, where `value` stretches it
/// over x.
Value ofRows(Value value, const Rows &rows) {
  nn::Shape kept, lost;
  for (auto [i, dim] : llvm::enumerate(nn::shapeOf(rows.x))) {
    bool isLost = llvm::is_contained(rows.axes, int64_t(i));
    kept.push_back(isLost ? nn::Dim(1) : dim);
    if (!isLost)
      lost.push_back(dim);
  }
  value = withoutExpand(value);
  if (nn::shapeOf(value) != kept)
    return {};
  auto reshape = value.getDefiningOp<nn::ReshapeOp>();
  return reshape && nn::shapeOf(reshape.getX()) == lost ? Value(reshape.getX()) : value;
}

/// What stands along the dims from `axis` on, in their shape; null where `value` is anything else.
Value alongLast(Value value, ArrayRef<nn::Dim> x, int64_t axis) {
  value = withoutExpand(value);
  nn::Shape shape = nn::shapeOf(value);
  ArrayRef<nn::Dim> last = x.drop_front(axis);
  if (shape.size() != x.size() || ArrayRef(shape).drop_front(axis) != last ||
      !llvm::all_of(ArrayRef(shape).take_front(axis), [](const nn::Dim &dim) { return dim.isOne(); }))
    return {};
  auto reshape = value.getDefiningOp<nn::ReshapeOp>();
  return reshape && ArrayRef(nn::shapeOf(reshape.getX())) == last ? Value(reshape.getX()) : Value();
}

std::optional<double> numberOf(Value value) {
  while (isa_and_nonnull<nn::ExpandOp, nn::ReshapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto constant = value.getDefiningOp<nn::ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  if (!elements || !elements.isSplat() || !isa<FloatType>(elements.getElementType()))
    return std::nullopt;
  APFloat number = elements.getSplatValue<APFloat>();
  bool loses = false;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  return number.convertToDouble();
}

//===-- Softmax ----------------------------------------------------------------===//

/// x, less its largest element along one dim.
std::optional<Rows> shiftedOf(Value value) {
  auto difference = value.getDefiningOp<nn::SubOp>();
  if (!difference)
    return std::nullopt;
  Value largest = withoutExpand(difference.getB());
  if (auto reshape = largest.getDefiningOp<nn::ReshapeOp>())
    largest = reshape.getX();
  auto reduction = largest.getDefiningOp<nn::ReduceMaxOp>();
  if (!reduction || reduction.getX() != difference.getA() || reduction.getAxes().size() != 1)
    return std::nullopt;
  Rows rows{difference.getA(), SmallVector<int64_t>(reduction.getAxes())};
  return ofRows(difference.getB(), rows) == largest ? std::optional(rows) : std::nullopt;
}

/// The rows whose exponentials `value` sums.
std::optional<Rows> summedOf(Value sum, Value exponentials) {
  auto reduction = sum ? sum.getDefiningOp<nn::SumOp>() : nullptr;
  auto exponential = exponentials.getDefiningOp<nn::ExpOp>();
  std::optional<Rows> rows = exponential ? shiftedOf(exponential.getX()) : std::nullopt;
  if (!rows || !reduction || reduction.getX() != exponentials || reduction.getAxes() != ArrayRef(rows->axes))
    return std::nullopt;
  return rows;
}

Value softmaxOf(nn::DivOp op, ImplicitLocOpBuilder &b) {
  auto exponential = op.getA().getDefiningOp<nn::ExpOp>();
  std::optional<Rows> rows = exponential ? shiftedOf(exponential.getX()) : std::nullopt;
  if (!rows || !summedOf(ofRows(op.getB(), *rows), op.getA()))
    return {};
  return nn::SoftmaxOp::create(b, rows->x.getType(), rows->x, rows->axes.front());
}

Value logSoftmaxOf(nn::SubOp op, ImplicitLocOpBuilder &b) {
  std::optional<Rows> rows = shiftedOf(op.getA());
  Value logarithm = rows ? withoutExpand(op.getB()) : Value();
  auto log = logarithm ? logarithm.getDefiningOp<nn::LogOp>() : nullptr;
  Value sum = log ? ofRows(log.getX(), *rows) : Value();
  auto reduction = sum ? sum.getDefiningOp<nn::SumOp>() : nullptr;
  auto exponential = reduction ? reduction.getX().getDefiningOp<nn::ExpOp>() : nullptr;
  if (!exponential || exponential.getX() != op.getA() || !summedOf(sum, reduction.getX()))
    return {};
  return nn::LogSoftmaxOp::create(b, rows->x.getType(), rows->x, rows->axes.front());
}

//===-- Softplus ---------------------------------------------------------------===//

/// max(x, y) + log1p(exp(-|x - y|)) is ln(e^x + e^y), which is y + softplus(x - y): there the derivative
/// where both are equal is a half, as it should be, and not the sum of those of the formula's kinks.
Value softplusOf(nn::AddOp op, ImplicitLocOpBuilder &b) {
  for (int side : {0, 1}) {
    auto log = op->getOperand(side).getDefiningOp<nn::Log1pOp>();
    auto exponential = log ? log.getX().getDefiningOp<nn::ExpOp>() : nullptr;
    auto negated = exponential ? exponential.getX().getDefiningOp<nn::NegOp>() : nullptr;
    auto distance = negated ? negated.getX().getDefiningOp<nn::AbsOp>() : nullptr;
    auto difference = distance ? distance.getX().getDefiningOp<nn::SubOp>() : nullptr;
    if (!difference)
      continue;
    Value x = difference.getA(), y = difference.getB(), larger = op->getOperand(1 - side);
    auto rectified = larger.getDefiningOp<nn::ReluOp>();
    auto maximum = larger.getDefiningOp<nn::MaxOp>();
    bool isOfBoth = maximum && ((maximum.getA() == x && maximum.getB() == y) ||
                                (maximum.getA() == y && maximum.getB() == x));
    if (rectified && rectified.getX() == x && numberOf(y) == 0.0)
      return nn::SoftplusOp::create(b, x);
    if (isOfBoth) {
      nn::Expr rest(b, nn::SoftplusOp::create(b, difference.getC()));
      return nn::Expr(b, y) + rest;
    }
  }
  return {};
}

//===-- Layer normalization ----------------------------------------------------===//

bool isMean(Value value, Value x, ArrayRef<int64_t> axes) {
  auto mean = value ? value.getDefiningOp<nn::MeanOp>() : nullptr;
  return mean && mean.getX() == x && mean.getAxes() == axes;
}

bool isSquare(Value value, Value of) {
  auto product = value.getDefiningOp<nn::MulOp>();
  return product && product.getA() == of && product.getB() == of;
}

/// Whether it is x less its mean.
bool isCentered(Value value, const Rows &rows) {
  auto difference = value.getDefiningOp<nn::SubOp>();
  return difference && difference.getA() == rows.x &&
         isMean(ofRows(difference.getB(), rows), rows.x, rows.axes);
}

/// E[(x - E[x])^2], or max(E[x^2] - E[x]^2, 0).
bool isVariance(Value value, const Rows &rows) {
  auto average = value.getDefiningOp<nn::MeanOp>();
  auto square = average ? average.getX().getDefiningOp<nn::MulOp>() : nullptr;
  if (square && average.getAxes() == ArrayRef(rows.axes))
    return isSquare(square, square.getA()) && isCentered(square.getA(), rows);
  auto rectified = value.getDefiningOp<nn::ReluOp>();
  auto difference = rectified ? rectified.getX().getDefiningOp<nn::SubOp>() : nullptr;
  auto ofSquares = difference ? difference.getA().getDefiningOp<nn::MeanOp>() : nullptr;
  auto squared = difference ? difference.getB().getDefiningOp<nn::MulOp>() : nullptr;
  return ofSquares && squared && ofSquares.getAxes() == ArrayRef(rows.axes) &&
         isSquare(ofSquares.getX(), rows.x) && isSquare(squared, squared.getA()) &&
         isMean(squared.getA(), rows.x, rows.axes);
}

/// Epsilon of 1 / sqrt(variance + epsilon), for each row, whether it has got its lost dims yet or not.
std::optional<double> epsilonOf(Value value, const Rows &rows) {
  auto withoutDims = [&](Value each) {
    Value row = ofRows(each, rows);
    return row ? row : each;
  };
  auto root = withoutDims(withoutExpand(value)).getDefiningOp<nn::RsqrtOp>();
  auto sum = root ? root.getX().getDefiningOp<nn::AddOp>() : nullptr;
  for (int i = 0; sum && i < 2; ++i) {
    std::optional<double> epsilon = numberOf(sum->getOperand(1 - i));
    if (epsilon && *epsilon >= 0 && isVariance(withoutDims(sum->getOperand(i)), rows))
      return epsilon;
  }
  return std::nullopt;
}

/// The factors of a product, which may be stretched in between.
void collectFactors(Value value, int depth, SmallVectorImpl<Value> &factors) {
  auto product = withoutExpand(value).getDefiningOp<nn::MulOp>();
  if (!product || depth == 0)
    return factors.push_back(value);
  collectFactors(product.getA(), depth - 1, factors);
  collectFactors(product.getB(), depth - 1, factors);
}

Value layerNormOf(nn::AddOp op, ImplicitLocOpBuilder &b) {
  for (int side : {0, 1}) {
    SmallVector<Value> factors;
    collectFactors(op->getOperand(side), /*depth=*/2, factors);
    auto centered =
        llvm::find_if(factors, [](Value factor) { return bool(factor.getDefiningOp<nn::SubOp>()); });
    if (factors.size() != 3 || centered == factors.end())
      continue;
    Value d = *centered;
    factors.erase(centered);
    auto difference = d.getDefiningOp<nn::SubOp>();
    int64_t axis = nn::shapeOf(d).size() - 1;
    Rows rows{difference.getA(), {axis}};
    if (axis < 0 || d.getType() != op.getType() || rows.x.getType() != d.getType() || !isCentered(d, rows))
      continue;
    for (int i : {0, 1}) {
      std::optional<double> epsilon = ofRows(factors[i], rows) ? epsilonOf(factors[i], rows) : std::nullopt;
      Value scale = epsilon ? alongLast(factors[1 - i], nn::shapeOf(rows.x), axis) : Value();
      Value bias = scale ? alongLast(op->getOperand(1 - side), nn::shapeOf(rows.x), axis) : Value();
      if (bias)
        return nn::LayerNormOp::create(b, rows.x, scale, bias, axis, APFloat(*epsilon)).getY();
    }
  }
  return {};
}

} // namespace

void raiseFormulas(train::FunctionOp forward) {
  for (Operation &op : llvm::make_early_inc_range(forward.getBody().front())) {
    ImplicitLocOpBuilder b(op.getLoc(), &op);
    Value whole;
    if (auto quotient = dyn_cast<nn::DivOp>(op))
      whole = softmaxOf(quotient, b);
    else if (auto difference = dyn_cast<nn::SubOp>(op))
      whole = logSoftmaxOf(difference, b);
    else if (auto sum = dyn_cast<nn::AddOp>(op); sum && !(whole = layerNormOf(sum, b)))
      whole = softplusOf(sum, b);
    if (whole && whole.getType() == op.getResult(0).getType())
      op.getResult(0).replaceAllUsesWith(whole);
  }
}

} // namespace dlc::stablehlo
