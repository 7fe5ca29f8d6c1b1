//===- Activation.cpp - ATen operators of one tensor -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of one tensor, element by element. Those that the nn dialect does not have are written with those
// that it has. The operand is cast to the result's dtype first: the root of whole numbers is a float.
//===----------------------------------------------------------------------===//
#include "frontends/common/Roots.h"
#include "frontends/pt2/Node.h"
#include "frontends/pt2/OperatorTables.h"
#include <cmath>

using namespace mlir;

namespace dlc::pt2 {

/// The argument `self` in the result's dtype; null after an error.
static Value self(Node &node) { return node.operand("self", node.resultType()); }

template <typename Op> static void unary(Node &node) {
  if (Value x = self(node))
    node.give(Value(Op::create(node.b, x)));
}

/// Applies a formula.
template <nn::Expr (*formula)(nn::Expr)> static void of(Node &node) {
  if (Value x = self(node))
    node.give(formula({node.b, x}));
}

static nn::Expr tangent(nn::Expr x) {
  nn::Expr sine = nn::sin(x);
  return sine / nn::cos(x);
}
/// Whole numbers are their own floor, ceiling and so on.
template <typename Op> static void rounded(Node &node) {
  if (Value x = self(node))
    node.give(node.isFloat() ? Value(Op::create(node.b, x)) : x);
}
static nn::Expr square(nn::Expr x) { return x * x; }
static nn::Expr log2(nn::Expr x) { return nn::log(x) / M_LN2; }
static nn::Expr log10(nn::Expr x) { return nn::log(x) / M_LN10; }
static nn::Expr exp2(nn::Expr x) { return nn::exp(x * M_LN2); }
static nn::Expr same(nn::Expr x) { return x; }
static nn::Expr squareRoot(nn::Expr x) { return frontend::root(x, 0.5); }
static nn::Expr negated(nn::Expr x) { return -x; }
static nn::Expr softplusOf(nn::Expr x) {
  return {x.getBuilder(), nn::SoftplusOp::create(x.getBuilder(), x.get())};
}
static nn::Expr logSigmoid(nn::Expr x) { return -softplusOf(-x); }
static nn::Expr mish(nn::Expr x) { return x * nn::tanh(softplusOf(x)); }
static nn::Expr tanhShrink(nn::Expr x) { return x - nn::tanh(x); }
static nn::Expr hyperbolicSine(nn::Expr x) {
  nn::Expr rise = nn::expm1(x);
  return (rise - nn::expm1(-x)) * 0.5;
}
static nn::Expr hyperbolicCosine(nn::Expr x) {
  nn::Expr rise = nn::exp(x);
  return (rise + nn::exp(-x)) * 0.5;
}

//===-- With settings ------------------------------------------------------------===//

static void leakyRelu(Node &node) {
  if (Value x = self(node))
    node.give(Value(nn::LeakyReluOp::create(node.b, x, APFloat(node.number("negative_slope", 0.01)))));
}

static nn::Expr eluOf(nn::Expr x, double alpha) {
  return {x.getBuilder(), nn::EluOp::create(x.getBuilder(), x.get(), APFloat(alpha))};
}

static void elu(Node &node) {
  double alpha = node.number("alpha", 1), scale = node.number("scale", 1);
  if (node.number("input_scale", 1) != 1)
    return node.unsupported("an input_scale other than 1");
  Value x = self(node);
  if (!x)
    return;
  nn::Expr y = eluOf({node.b, x}, alpha);
  node.give(scale == 1 ? y : y * scale);
}

static void selu(Node &node) {
  if (Value x = self(node))
    node.give(1.05070098735548049342 * eluOf({node.b, x}, 1.67326324235437728481));
}

/// max(x, 0) + min(alpha * (e^(x / alpha) - 1), 0)
static void celu(Node &node) {
  double alpha = node.number("alpha", 1);
  if (!(alpha > 0))
    return node.error("alpha must be above 0, got " + str(alpha));
  if (Value x = self(node))
    node.give(alpha * eluOf(nn::Expr(node.b, x) / alpha, 1));
}

static void gelu(Node &node) {
  std::string approximate = node.text("approximate", "none");
  if (approximate != "none" && approximate != "tanh")
    return node.error("approximate must be 'none' or 'tanh', got '" + approximate + "'");
  if (Value x = self(node))
    node.give(Value(nn::GeluOp::create(node.b, x, approximate == "tanh")));
}

/// Above the threshold PyTorch's softplus is its argument, which ln(1 + e^x) is then, too, to all digits.
static void softplus(Node &node) {
  double beta = node.number("beta", 1), threshold = node.number("threshold", 20);
  Value x = self(node);
  if (!x)
    return;
  if (!(beta > 0))
    return node.error("beta must be above 0, got " + str(beta));
  if (threshold < 20)
    return node.unsupported("a threshold below 20, got " + str(threshold));
  nn::Expr operand(node.b, x);
  node.give(beta == 1 ? softplusOf(operand) : softplusOf(operand * beta) / beta);
}

static void hardSigmoid(Node &node) {
  if (Value x = self(node))
    node.give(Value(nn::HardSigmoidOp::create(node.b, x, APFloat(1.0 / 6), APFloat(0.5))));
}

/// Within limits; the derivative at a limit is 1, as PyTorch's.
static Value clipped(Node &node, Value x, double low, double high) {
  return x ? Value(nn::ClipOp::create(node.b, x, APFloat(low), APFloat(high))) : x;
}

/// The derivative of hardtanh, and of relu6, at the limits is 0.
static void between(Node &node, double low, double high) {
  Value x = self(node);
  if (!x)
    return;
  nn::Expr operand(node.b, x), isLow = nn::lessEqual(operand, operand.scalar(low));
  nn::Expr isHigh = nn::greaterEqual(operand, operand.scalar(high));
  node.give(nn::select(isLow, low, nn::select(isHigh, high, operand)));
}
static void hardTanh(Node &node) { between(node, node.number("min_val", -1), node.number("max_val", 1)); }
static void relu6(Node &node) { between(node, 0, 6); }

/// The larger (smaller) of x and a limit. Where both are equal, x gets all of the gradient.
static Value limited(Node &node, Value x, StringRef argument, bool isLow) {
  Value limit = x && node.has(argument) ? node.operand(argument, nn::elementTypeOf(x)) : Value();
  if (!limit)
    return x;
  auto beyond = nn::ComparisonAttr::get(node.b.getContext(), isLow ? nn::Comparison::lt : nn::Comparison::gt);
  Value isBeyond = node.make<nn::CompareOp>({x, limit}, node.b.getNamedAttr("predicate", beyond));
  return node.make<nn::SelectOp>({isBeyond, limit, x});
}

static void clamp(Node &node) {
  Value x = self(node);
  std::optional<double> low = node.fixedNumber("min"), high = node.fixedNumber("max");
  bool isKnown = (low || !node.has("min")) && (high || !node.has("max"));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (isKnown && node.isFloat() && low.value_or(-infinity) <= high.value_or(infinity))
    return node.give(clipped(node, x, low.value_or(-infinity), high.value_or(infinity)));
  node.give(limited(node, limited(node, x, "min", true), "max", false));
}

static void threshold(Node &node) {
  double limit = node.number("threshold", 0), value = node.number("value", 0);
  if (Value x = self(node)) {
    nn::Expr operand(node.b, x);
    node.give(nn::select(nn::lessEqual(operand, operand.scalar(limit)), value, operand));
  }
}

/// Towards zero by lambd outside [-lambd, lambd], or as it is; zero inside.
template <bool isSoft> static void shrink(Node &node) {
  double lambd = node.number("lambd", 0.5), by = isSoft ? lambd : 0;
  Value value = self(node);
  if (!value)
    return;
  nn::Expr x(node.b, value), isNotAbove = nn::lessEqual(x, x.scalar(lambd)), lowered = by == 0 ? x : x - by;
  nn::Expr positive = nn::select(isNotAbove, 0.0, lowered);
  nn::Expr isBelow = nn::less(x, x.scalar(-lambd)), raised = by == 0 ? x : x + by;
  node.give(nn::select(isBelow, raised, positive));
}

/// A slope of rank 1 belongs to dim 1. At 0 both sides are 0; the derivative there is the slope.
static void prelu(Node &node) {
  Value x = self(node), slope = node.value("weight");
  if (!x || !slope)
    return;
  nn::Shape shape = nn::shapeOf(slope), along(nn::shapeOf(x).size(), nn::Dim(1));
  if (shape.size() > 1)
    return node.error("expects a weight of rank 0 or 1, got shape " + nn::str(shape));
  if (along.size() > 1 && !shape.empty())
    along[1] = shape[0];
  nn::Expr operand(node.b, x);
  Value scaled = node.make<nn::MulOp>({node.reshape(slope, along), x});
  if (scaled && scaled.getType() != x.getType())
    return node.error("the weight's shape " + nn::str(shape) + " does not fit " + nn::str(nn::shapeOf(x)));
  if (scaled)
    node.give(nn::select(nn::lessEqual(operand, operand.scalar(0)), nn::Expr(node.b, scaled), operand));
}

/// The first half along a dim, times the sigmoid of the second.
static void glu(Node &node) {
  nn::Shape shape = node.shape("self");
  std::optional<int64_t> dim = node.dim("dim", -1, shape.size());
  if (!dim || shape.empty())
    return;
  if (!shape[*dim].isStatic() || shape[*dim].factor % 2 != 0)
    return node.error("expects an even size along dim " + Twine(*dim) + ", got shape " + nn::str(shape));
  int64_t half = shape[*dim].factor / 2;
  Value x = node.value("self"), first = node.part(x, *dim, 0, half),
        second = node.part(x, *dim, half, 2 * half);
  if (first && second)
    node.give(nn::Expr(node.b, first) * nn::sigmoid({node.b, second}));
}

//===-- Truth values and dtypes --------------------------------------------------===//

static void logicalNot(Node &node) {
  if (Value x = node.operand("self", node.b.getI1Type()))
    node.give(nn::logicalNot({node.b, x}));
}
static void bitwiseNot(Node &node) {
  Value x = node.value("self");
  if (!x)
    return;
  if (nn::elementTypeOf(x).isInteger(1))
    return node.give(nn::logicalNot({node.b, x}));
  if (Type type = nn::elementTypeOf(x); type.isInteger(8)) // int32 modulo 256
    return node.give(node.cast(-1 - nn::cast({node.b, x}, node.b.getI32Type()), type));
  node.give(-1 - nn::Expr(node.b, x));
}

/// The same numbers, in the dtype that the file says.
static void convert(Node &node) { node.give(self(node)); }

static void detach(Node &node) {
  Value x = node.value("self");
  if (!x)
    return;
  node.give(isa<FloatType>(nn::elementTypeOf(x)) ? train::StopGradientOp::create(node.b, x).getY() : x);
}

static void isNan(Node &node) {
  if (Value x = node.value("self")) {
    auto differs = nn::ComparisonAttr::get(node.b.getContext(), nn::Comparison::ne);
    node.give(node.make<nn::CompareOp>({x, x}, node.b.getNamedAttr("predicate", differs)));
  }
}

static const Operator activationOperators[] = {
    {"aten.relu", unary<nn::ReluOp>, "self"},
    {"aten.relu6", relu6, "self"},
    {"aten.leaky_relu", leakyRelu, "self negative_slope"},
    {"aten.elu", elu, "self alpha scale input_scale"},
    {"aten.selu", selu, "self"},
    {"aten.celu", celu, "self alpha"},
    {"aten.gelu", gelu, "self approximate"},
    {"aten.silu", unary<nn::SiluOp>, "self"},
    {"aten.mish", of<mish>, "self"},
    {"aten.softplus", softplus, "self beta threshold"},
    {"aten.log_sigmoid", of<logSigmoid>, "self"},
    {"aten.hardswish", unary<nn::HardSwishOp>, "self"},
    {"aten.hardsigmoid", hardSigmoid, "self"},
    {"aten.hardtanh", hardTanh, "self min_val max_val"},
    {"aten.hardshrink", shrink<false>, "self lambd"},
    {"aten.softshrink", shrink<true>, "self lambd"},
    {"aten.threshold", threshold, "self threshold value"},
    {"aten.prelu", prelu, "self weight"},
    {"aten._prelu_kernel", prelu, "self weight"},
    {"aten.glu", glu, "self dim"},
    {"aten.sigmoid", unary<nn::SigmoidOp>, "self"},
    {"aten.tanh", unary<nn::TanhOp>, "self"},
    {"aten.exp", of<nn::exp>, "self"},
    {"aten.exp2", of<exp2>, "self"},
    {"aten.expm1", of<nn::expm1>, "self"},
    {"aten.log", of<frontend::logarithm>, "self"},
    {"aten.log1p", of<nn::log1p>, "self"},
    {"aten.log2", of<log2>, "self"},
    {"aten.log10", of<log10>, "self"},
    {"aten.sqrt", of<squareRoot>, "self"},
    {"aten.rsqrt", of<nn::rsqrt>, "self"},
    {"aten.reciprocal", of<nn::reciprocal>, "self"},
    {"aten.square", of<square>, "self"},
    {"aten.neg", of<negated>, "self"},
    {"aten.positive", of<same>, "self", Sharing::View},
    {"aten.abs", unary<nn::AbsOp>, "self"},
    {"aten.sign", unary<nn::SignOp>, "self"},
    {"aten.sgn", unary<nn::SignOp>, "self"},
    {"aten.sin", of<nn::sin>, "self"},
    {"aten.cos", of<nn::cos>, "self"},
    {"aten.tan", of<tangent>, "self"},
    {"aten.atan", of<nn::atan>, "self"},
    {"aten.sinh", of<hyperbolicSine>, "self"},
    {"aten.cosh", of<hyperbolicCosine>, "self"},
    {"aten.erf", of<nn::erf>, "self"},
    {"aten.erfc", of<nn::erfc>, "self"},
    {"aten.floor", rounded<nn::FloorOp>, "self"},
    {"aten.ceil", rounded<nn::CeilOp>, "self"},
    {"aten.round.default", rounded<nn::RoundOp>, "self"},
    {"aten.clamp", clamp, "self min max"},
    {"aten.clamp_min", clamp, "self min"},
    {"aten.clamp_max", clamp, "self max"},
    {"aten.clip", clamp, "self min max"},
    {"aten.logical_not", logicalNot, "self"},
    {"aten.bitwise_not", bitwiseNot, "self"},
    {"aten.isnan", isNan, "self"},
    {"aten.to", convert, "self dtype other", Sharing::WhereEqual},
    {"aten._to_copy", convert, "self dtype"},
    {"aten.type_as", convert, "self other", Sharing::WhereEqual},
    {"aten.contiguous", convert, "self", Sharing::View},
    {"aten.clone", convert, "self"},
    {"aten.alias", convert, "self", Sharing::View},
    {"aten.lift_fresh_copy", convert, "self"},
    {"aten.lift_fresh", convert, "self", Sharing::View},
    {"aten.detach", detach, "self", Sharing::View},
    {"aten.tanhshrink", of<tanhShrink>, "self"},
};

ArrayRef<Operator> operatorsOfActivation() { return activationOperators; }

} // namespace dlc::pt2
