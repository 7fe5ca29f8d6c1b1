//===- Elementwise.cpp - operations of StableHLO, element by element --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of whole numbers may be that of sizes: where it is, sizes come out, from which shapes are made.
//===----------------------------------------------------------------------===//
#include "frontends/stablehlo/Node.h"
#include <cmath>

using namespace mlir;

namespace dlc::stablehlo {

//===-- One operand --------------------------------------------------------------===//

template <nn::Expr (*formula)(nn::Expr)> static void of(Node &node) {
  if (Value x = node.value(0))
    node.give(formula({node.b, x}));
}
template <typename Op> static void floatUnary(Node &node) {
  Value x = node.value(0);
  if (!x)
    return;
  if (!isa<FloatType>(nn::elementTypeOf(x)))
    return node.unsupported("whole numbers");
  node.give(Value(Op::create(node.b, x)));
}
/// A formula of floats alone.
template <nn::Expr (*formula)(nn::Expr)> static void ofFloats(Node &node) {
  Value x = node.value(0);
  if (!x)
    return;
  if (!isa<FloatType>(nn::elementTypeOf(x)))
    return node.unsupported("whole numbers");
  node.give(formula({node.b, x}));
}

static nn::Expr squared(nn::Expr x) { return x * x; }
static nn::Expr tangentOf(nn::Expr x) {
  nn::Expr sine = nn::sin(x);
  return sine / nn::cos(x);
}
static nn::Expr sinhOf(nn::Expr x) {
  nn::Expr rise = nn::expm1(x);
  return (rise - nn::expm1(-x)) * 0.5;
}
static nn::Expr coshOf(nn::Expr x) {
  nn::Expr rise = nn::exp(x);
  return (rise + nn::exp(-x)) * 0.5;
}
static nn::Expr erfinvOf(nn::Expr x) {
  return {x.getBuilder(), nn::ErfinvOp::create(x.getBuilder(), x.get())};
}
static nn::Expr atanOf(nn::Expr x) { return nn::atan(x); }
/// Twice the tangent's angle of half of it, which has no quotient by 0 within (-1, 1].
static nn::Expr asinOf(nn::Expr x) {
  nn::Expr rest = nn::sqrt(1.0 - x * x);
  return nn::atan(x / (rest + 1.0)) * 2.0;
}
static nn::Expr acosOf(nn::Expr x) { return M_PI_2 - asinOf(x); }
static nn::Expr asinhOf(nn::Expr x) {
  nn::Expr size = nn::abs(x), square = size * size;
  nn::Expr root = nn::sqrt(square + 1.0), rest = square / (root + 1.0);
  return nn::sign(x) * nn::log1p(size + rest);
}
static nn::Expr acoshOf(nn::Expr x) {
  nn::Expr less = x - 1.0, more = x + 1.0;
  return nn::log(x + nn::sqrt(less * more));
}
static nn::Expr atanhOf(nn::Expr x) {
  nn::Expr rise = nn::log1p(x);
  return (rise - nn::log1p(-x)) * 0.5;
}
static nn::Expr cubeRoot(nn::Expr x) {
  nn::Expr size = nn::abs(x);
  return nn::sign(x) * nn::pow(size, size.scalar(1.0 / 3));
}
/// Halves away from 0.
static nn::Expr roundedAway(nn::Expr x) {
  nn::Expr size = nn::abs(x), down(x.getBuilder(), nn::FloorOp::create(x.getBuilder(), size));
  nn::Expr isUp = nn::greaterEqual(size - down, size.scalar(0.5));
  return nn::sign(x) * nn::select(isUp, down + 1.0, down);
}
/// x - x is 0 of all finite numbers, and NaN of others.
static nn::Expr isFinite(nn::Expr x) { return nn::equal(x - x, x.scalar(0)); }

static void negate(Node &node) {
  if (node.resultType().isInteger(1))
    return node.unsupported("truth values");
  if (Value x = node.value(0))
    node.give(-nn::Expr(node.b, x));
}
static void logicalNot(Node &node) {
  if (!node.resultType().isInteger(1))
    return node.unsupported("whole numbers; dlc has it for truth values");
  if (Value x = node.value(0))
    node.give(nn::logicalNot({node.b, x}));
}

static void convert(Node &node) {
  Type type = node.resultType();
  if (node.known(0).sizes && type.isSignlessInteger() && !type.isInteger(1)) {
    Known same = node.known(0);
    same.value = nullptr; // of the other type
    same.constant = nullptr;
    return node.give(std::move(same));
  }
  Value x = node.value(0);
  if (x && type.isInteger(1) && !nn::elementTypeOf(x).isInteger(1)) // all but 0 are true
    return node.give(nn::logicalNot(nn::equal({node.b, x}, nn::Expr(node.b, x).scalar(0))));
  if (x)
    node.give(node.cast(x, type));
}

//===-- Two operands -------------------------------------------------------------===//

static bool haveOneType(Node &node, unsigned first = 0) {
  for (unsigned i = first + 1; i < node.count(); ++i)
    if (node.op->getOperand(i).getType() != node.op->getOperand(first).getType()) {
      // Open sizes may be written as ? and as numbers.
      auto a = dyn_cast<RankedTensorType>(node.op->getOperand(first).getType());
      auto b = dyn_cast<RankedTensorType>(node.op->getOperand(i).getType());
      if (a && b && a.getElementType() == b.getElementType() && a.getRank() == b.getRank())
        continue;
      node.error("expects operands of one type");
      return false;
    }
  return true;
}

/// A formula computed on two sizes; nullopt where the result is no size.
using SizeFormula = std::optional<nn::Dim> (*)(const nn::Dim &, const nn::Dim &);

static bool areNumbers(const nn::Dim &a, const nn::Dim &b) {
  return a.isStatic() && b.isStatic() && std::abs(a.factor) <= maxDim && std::abs(b.factor) <= maxDim;
}
static std::optional<nn::Dim> noSize(const nn::Dim &, const nn::Dim &) { return std::nullopt; }
static std::optional<nn::Dim> sizeProduct(const nn::Dim &a, const nn::Dim &b) {
  bool fits = std::abs(a.factor) <= maxDim && std::abs(b.factor) <= maxDim &&
              a.names.size() + b.names.size() <= size_t(nn::maxRank);
  return fits ? std::optional(a * b) : std::nullopt;
}
static std::optional<nn::Dim> sizeSum(const nn::Dim &a, const nn::Dim &b) {
  if (areNumbers(a, b))
    return nn::Dim(a.factor + b.factor);
  if (a.names != b.names || std::abs(a.factor) > maxDim || std::abs(b.factor) > maxDim)
    return std::nullopt;
  nn::Dim sum = a;
  sum.factor += b.factor;
  return sum;
}
static std::optional<nn::Dim> sizeDifference(const nn::Dim &a, const nn::Dim &b) {
  return areNumbers(a, b) ? std::optional(nn::Dim(a.factor - b.factor)) : std::nullopt;
}
static std::optional<nn::Dim> sizeQuotient(const nn::Dim &a, const nn::Dim &b) {
  if (areNumbers(a, b) && b.factor != 0)
    return nn::Dim(a.factor / b.factor);
  return b.factor > 0 && a.factor > 0 ? nn::divide(a, b) : std::nullopt;
}
static std::optional<nn::Dim> sizeMaximum(const nn::Dim &a, const nn::Dim &b) {
  return areNumbers(a, b) ? std::optional(nn::Dim(std::max(a.factor, b.factor))) : std::nullopt;
}
static std::optional<nn::Dim> sizeMinimum(const nn::Dim &a, const nn::Dim &b) {
  return areNumbers(a, b) ? std::optional(nn::Dim(std::min(a.factor, b.factor))) : std::nullopt;
}

/// Gives sizes where both operands are sizes.
template <SizeFormula formula> static bool giveSizes(Node &node) {
  const auto &a = node.known(0).sizes, &b = node.known(1).sizes;
  if (!a || !b || a->size() != b->size())
    return false;
  nn::Shape result;
  for (auto [left, right] : llvm::zip_equal(*a, *b)) {
    std::optional<nn::Dim> size = formula(left, right);
    if (!size)
      return false;
    result.push_back(*size);
  }
  return node.giveSizes(result), true;
}

/// `Logical`: what stands for it where elements are truth values; void: nothing does.
template <typename Op, typename Logical, SizeFormula formula> static void binary(Node &node) {
  if (!haveOneType(node) || giveSizes<formula>(node))
    return;
  Value a = node.value(0), b = a ? node.value(1) : Value();
  if (node.resultType().isInteger(1)) {
    if constexpr (std::is_void_v<Logical>)
      return node.unsupported("truth values");
    else
      return node.give(node.make<Logical>({a, b}));
  }
  node.give(node.make<Op>({a, b}));
}

template <typename Op> static void logical(Node &node) {
  if (!node.resultType().isInteger(1))
    return node.unsupported("whole numbers; dlc has it for truth values");
  Value a = node.value(0);
  node.give(node.make<Op>({a, a ? node.value(1) : Value()}));
}

/// max(x, 0) is the rectifier, whose derivative at 0 is 0.
static void maximum(Node &node) {
  for (unsigned i : {0, 1})
    if (node.isFloat() && node.splat(i) == 0.0 && !node.splat(1 - i))
      if (Value x = node.value(1 - i); x && haveOneType(node))
        return node.give(nn::relu({node.b, x}));
  // A limit of minus infinity changes nothing: JAX has it around the largest of a softmax.
  for (unsigned i : {0, 1})
    if (node.isFloat() && node.splat(i) == -INFINITY)
      if (Value x = node.value(1 - i))
        return node.give(x);
  binary<nn::MaxOp, nn::LogicalOrOp, sizeMaximum>(node);
}

/// The mean is a sum that is divided by the number of its elements.
static Value meanOf(Node &node) {
  Value x = node.value(0);
  std::optional<double> count = node.splat(1);
  auto sum = x ? x.getDefiningOp<nn::SumOp>() : nullptr;
  if (!sum || !count)
    return {};
  int64_t elements = 1;
  for (int64_t axis : sum.getAxes()) {
    nn::Dim size = nn::shapeOf(sum.getX())[axis];
    elements = size.isStatic() ? nn::saturatingMultiply(elements, size.factor) : 0;
  }
  if (elements == 0 || double(elements) != *count || !isa<FloatType>(nn::elementTypeOf(x)))
    return {};
  return nn::mean({node.b, sum.getX()}, sum.getAxes(), sum.getKeepdims()).get();
}

static void divide(Node &node) {
  if (node.isFloat() && haveOneType(node))
    if (Value mean = meanOf(node))
      return node.give(mean);
  binary<nn::DivOp, void, sizeQuotient>(node);
}

/// a - trunc(a / b) * b, with the sign of a. No gradient flows through what is rounded.
static void remainder(Node &node) {
  Value left = node.value(0), right = left ? node.value(1) : Value();
  if (!haveOneType(node) || !node.make<nn::DivOp>({left, right}))
    return;
  nn::Expr a(node.b, left), b(node.b, right), whole = a / b;
  if (node.isFloat()) {
    nn::Expr isNegative = nn::less(whole, whole.scalar(0));
    nn::Expr up(node.b, nn::CeilOp::create(node.b, whole)), down(node.b, nn::FloorOp::create(node.b, whole));
    nn::Expr truncated = nn::select(isNegative, up, down);
    whole = {node.b, train::StopGradientOp::create(node.b, truncated.get()).getY()};
  }
  node.give(a - whole * b);
}

/// The angle of a point: right of the origin, the angle of a tangent.
static void angle(Node &node) {
  std::optional<double> right = node.splat(1);
  if (!node.isFloat() || !right || !(*right > 0))
    return node.unsupported(
        "a second operand that may be 0 or negative; write the text with "
        "jax.jit(f).lower(...).as_text(debug_info=True), which keeps asin, acos and atan whole");
  if (Value y = node.value(0))
    node.give(nn::atan(nn::Expr(node.b, y) / *right));
}

static void power(Node &node) {
  std::optional<double> exponent = node.splat(1);
  Value x = node.value(0);
  if (x && exponent == 2.0 && node.isFloat())
    return node.give(squared({node.b, x}));
  binary<nn::PowOp, void, noSize>(node);
}

//===-- Comparisons and choices --------------------------------------------------===//

static void compare(Node &node) {
  std::optional<nn::Comparison> predicate =
      llvm::StringSwitch<std::optional<nn::Comparison>>(node.word("comparison_direction"))
          .Case("EQ", nn::Comparison::eq)
          .Case("NE", nn::Comparison::ne)
          .Case("LT", nn::Comparison::lt)
          .Case("LE", nn::Comparison::le)
          .Case("GT", nn::Comparison::gt)
          .Case("GE", nn::Comparison::ge)
          .Default(std::nullopt);
  if (!predicate)
    return node.error("expects EQ, NE, LT, LE, GT or GE as comparison_direction, got '" +
                      node.text("comparison_direction").take_front(40) + "'");
  if (node.word("compare_type") == "TOTALORDER")
    return node.unsupported("an order of all numbers, NaN among them (TOTALORDER)");
  Value a = node.value(0), b = a ? node.value(1) : Value();
  if (!b || !haveOneType(node))
    return;
  if (nn::elementTypeOf(a).isInteger(1)) { // nn.compare orders truth values as none
    a = node.cast(a, node.b.getI32Type());
    b = node.cast(b, node.b.getI32Type());
  }
  auto attribute = nn::ComparisonAttr::get(node.b.getContext(), *predicate);
  node.give(node.make<nn::CompareOp>({a, b}, node.b.getNamedAttr("predicate", attribute)));
}

static void select(Node &node) {
  if (!haveOneType(node, 1))
    return;
  Value condition = node.value(0), a = condition ? node.value(1) : Value(), b = a ? node.value(2) : Value();
  node.give(node.make<nn::SelectOp>({condition, a, b}));
}

/// min(max(x, low), high)
static void clamp(Node &node) {
  std::optional<double> low = node.splat(0), high = node.splat(2);
  Value x = node.value(1);
  if (x && low && high && *low <= *high && node.isFloat())
    return node.give(Value(nn::ClipOp::create(node.b, x, APFloat(*low), APFloat(*high))));
  Value least = x ? node.value(0) : Value(), most = least ? node.value(2) : Value();
  node.give(node.make<nn::MinOp>({node.make<nn::MaxOp>({x, least}), most}));
}

static const Operator elementwiseOperators[] = {
    {"stablehlo.abs", of<nn::abs>, 1},
    {"stablehlo.cbrt", ofFloats<cubeRoot>, 1},
    {"stablehlo.ceil", floatUnary<nn::CeilOp>, 1},
    {"stablehlo.convert", convert, 1},
    {"stablehlo.cosine", ofFloats<nn::cos>, 1},
    {"stablehlo.exponential", ofFloats<nn::exp>, 1},
    {"stablehlo.exponential_minus_one", ofFloats<nn::expm1>, 1},
    {"stablehlo.floor", floatUnary<nn::FloorOp>, 1},
    {"stablehlo.is_finite", ofFloats<isFinite>, 1},
    {"stablehlo.log", ofFloats<nn::log>, 1},
    {"stablehlo.log_plus_one", ofFloats<nn::log1p>, 1},
    {"stablehlo.logistic", ofFloats<nn::sigmoid>, 1},
    {"stablehlo.negate", negate, 1},
    {"stablehlo.not", logicalNot, 1},
    {"stablehlo.round_nearest_afz", ofFloats<roundedAway>, 1},
    {"stablehlo.round_nearest_even", floatUnary<nn::RoundOp>, 1},
    {"stablehlo.rsqrt", ofFloats<nn::rsqrt>, 1},
    {"stablehlo.sign", of<nn::sign>, 1},
    {"stablehlo.sine", ofFloats<nn::sin>, 1},
    {"stablehlo.sqrt", ofFloats<nn::sqrt>, 1},
    {"stablehlo.tan", ofFloats<tangentOf>, 1},
    {"stablehlo.tanh", ofFloats<nn::tanh>, 1},
    {"chlo.acos", ofFloats<acosOf>, 1},
    {"chlo.acosh", ofFloats<acoshOf>, 1},
    {"chlo.asin", ofFloats<asinOf>, 1},
    {"chlo.asinh", ofFloats<asinhOf>, 1},
    {"chlo.atan", ofFloats<atanOf>, 1},
    {"chlo.atanh", ofFloats<atanhOf>, 1},
    {"chlo.cosh", ofFloats<coshOf>, 1},
    {"chlo.erf", ofFloats<nn::erf>, 1},
    {"chlo.erf_inv", ofFloats<erfinvOf>, 1},
    {"chlo.erfc", ofFloats<nn::erfc>, 1},
    {"chlo.sinh", ofFloats<sinhOf>, 1},
    {"chlo.square", of<squared>, 1},
    {"chlo.tan", ofFloats<tangentOf>, 1},
    {"stablehlo.add", binary<nn::AddOp, nn::LogicalOrOp, sizeSum>, 2},
    {"stablehlo.subtract", binary<nn::SubOp, void, sizeDifference>, 2},
    {"stablehlo.multiply", binary<nn::MulOp, nn::LogicalAndOp, sizeProduct>, 2},
    {"stablehlo.divide", divide, 2},
    {"stablehlo.remainder", remainder, 2},
    {"stablehlo.maximum", maximum, 2},
    {"stablehlo.minimum", binary<nn::MinOp, nn::LogicalAndOp, sizeMinimum>, 2},
    {"stablehlo.atan2", angle, 2},
    {"stablehlo.power", power, 2},
    {"stablehlo.and", logical<nn::LogicalAndOp>, 2},
    {"stablehlo.or", logical<nn::LogicalOrOp>, 2},
    {"stablehlo.xor", logical<nn::LogicalXorOp>, 2},
    {"stablehlo.compare", compare, 2},
    {"stablehlo.select", select, 3},
    {"stablehlo.clamp", clamp, 3},
};

ArrayRef<Operator> operatorsOfElementwise() { return elementwiseOperators; }

} // namespace dlc::stablehlo
