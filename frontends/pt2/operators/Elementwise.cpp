//===- Elementwise.cpp - ATen operators of two and three tensors -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands are tensors or numbers. They are cast to the dtype of the result, and those of a comparison to the
// one that PyTorch's promotion gives.
//===----------------------------------------------------------------------===//
#include "frontends/common/Roots.h"
#include "frontends/pt2/Node.h"
#include "frontends/pt2/OperatorTables.h"

using namespace mlir;

namespace dlc::pt2 {

//===-- Arithmetic ---------------------------------------------------------------===//

template <typename Op> static void binary(Node &node) {
  Type type = node.resultType();
  Value a = node.operand("self", type);
  node.give(node.make<Op>({a, a ? node.operand("other", type) : Value()}));
}

/// other, times alpha.
static Value scaledOther(Node &node, Type type, StringRef name = "other") {
  Value other = node.operand(name, type);
  double alpha = node.number("alpha", 1);
  return other && alpha != 1 ? Value(nn::Expr(node.b, other) * alpha) : other;
}

static void add(Node &node) {
  Type type = node.resultType();
  Value a = node.operand("self", type), b = scaledOther(node, type);
  if (type.isInteger(1))
    return node.give(node.make<nn::LogicalOrOp>({a, b}));
  node.give(node.make<nn::AddOp>({a, b}));
}
static void sub(Node &node) {
  Type type = node.resultType();
  Value a = node.operand("self", type);
  node.give(node.make<nn::SubOp>({a, scaledOther(node, type)}));
}
static void reversedSub(Node &node) {
  Type type = node.resultType();
  Value a = node.operand("other", type);
  node.give(node.make<nn::SubOp>({a, scaledOther(node, type, "self")}));
}
static void mul(Node &node) {
  if (node.resultType().isInteger(1))
    return binary<nn::LogicalAndOp>(node);
  binary<nn::MulOp>(node);
}

static nn::Expr floorOf(nn::Expr x) { return {x.getBuilder(), nn::FloorOp::create(x.getBuilder(), x)}; }

static nn::Expr truncated(nn::Expr x) {
  nn::Expr isNegative = nn::less(x, x.scalar(0));
  nn::Expr up(x.getBuilder(), nn::CeilOp::create(x.getBuilder(), x)), down = floorOf(x);
  return nn::select(isNegative, up, down);
}

/// Whole numbers, rounded down: nn.div rounds towards zero.
static nn::Expr flooredQuotient(nn::Expr a, nn::Expr b) {
  nn::Expr quotient = a / b, rest = a - quotient * b;
  nn::Expr isWhole = nn::equal(rest, rest.scalar(0));
  nn::Expr isNegative = nn::less(rest * b, rest.scalar(0));
  nn::Expr isBelow = nn::logicalAnd(nn::logicalNot(isWhole), isNegative);
  return nn::select(isBelow, quotient - 1, quotient);
}

static void divide(Node &node, StringRef rounding) {
  Type type = node.resultType();
  Value a = node.operand("self", type), b = a ? node.operand("other", type) : Value();
  if (rounding.empty())
    return node.give(node.make<nn::DivOp>({a, b}));
  if (rounding != "floor" && rounding != "trunc")
    return node.error("rounding_mode must be floor or trunc, got '" + rounding + "'");
  Value quotient = node.make<nn::DivOp>({a, b});
  if (!quotient)
    return;
  nn::Expr q(node.b, quotient);
  if (!isa<FloatType>(type))
    return node.give(rounding == "trunc" ? q : flooredQuotient({node.b, a}, {node.b, b}));
  node.give(rounding == "trunc" ? truncated(q) : floorOf(q));
}
static void div(Node &node) { divide(node, node.text("rounding_mode", "")); }
static void floorDivide(Node &node) { divide(node, "floor"); }

/// a - trunc(a / b) * b, with the sign of a.
static void truncatedRemainder(Node &node) {
  Type type = node.resultType();
  Value left = node.operand("self", type), right = left ? node.operand("other", type) : Value();
  if (!node.make<nn::DivOp>({left, right}))
    return;
  nn::Expr a(node.b, left), b(node.b, right), whole = a / b;
  if (isa<FloatType>(type))
    whole = {node.b, train::StopGradientOp::create(node.b, truncated(whole).get()).getY()};
  node.give(a - whole * b);
}

/// a - floor(a / b) * b, with the sign of b. No gradient flows through what is rounded.
static void remainder(Node &node) {
  Type type = node.resultType();
  Value left = node.operand("self", type), right = left ? node.operand("other", type) : Value();
  if (!node.make<nn::DivOp>({left, right}))
    return;
  nn::Expr a(node.b, left), b(node.b, right);
  nn::Expr whole = isa<FloatType>(type) ? floorOf(a / b) : flooredQuotient(a, b);
  if (isa<FloatType>(type))
    whole = {node.b, train::StopGradientOp::create(node.b, whole.get()).getY()};
  node.give(a - whole * b);
}

static void power(Node &node) {
  Type type = node.resultType();
  Value base = node.operand("self", type);
  if (!base)
    return;
  nn::Expr x(node.b, base);
  std::optional<double> exponent = node.fixedNumber("exponent");
  if (exponent == 1.0)
    return node.give(x);
  if (exponent == 2.0)
    return node.give(x * x);
  if (exponent && *exponent > 0 && *exponent < 1 && isa<FloatType>(type))
    return node.give(frontend::root(x, *exponent));
  node.give(node.make<nn::PowOp>({x, node.operand("exponent", type)}));
}

/// self + value * tensor1 * tensor2, or the quotient of these.
template <typename Op> static void addCombined(Node &node) {
  Type type = node.resultType();
  Value first = node.operand("tensor1", type), second = node.operand("tensor2", type);
  Value both = node.make<Op>({first, second});
  double value = node.number("value", 1);
  if (both && value != 1)
    both = nn::Expr(node.b, both) * value;
  Value self = node.operand("self", type);
  node.give(node.make<nn::AddOp>({self, both}));
}

/// start + weight * (end - start)
static void lerp(Node &node) {
  Type type = node.resultType();
  Value start = node.operand("self", type), end = node.operand("end", type),
        weight = node.operand("weight", type);
  Value way = node.make<nn::SubOp>({end, start});
  node.give(node.make<nn::AddOp>({start, node.make<nn::MulOp>({weight, way})}));
}

//===-- Comparisons --------------------------------------------------------------===//

/// The dtype in which two operands are compared: PyTorch's, where a number only lifts a tensor's kind (truth
/// value, whole number, float).
static Type promoted(Node &node) {
  Type type, other;
  for (StringRef name : {"self", "other"})
    if (!node.fixedNumber(name))
      if (Value x = node.value(name)) {
        Type element = nn::elementTypeOf(x);
        (type ? other : type) = element;
      }
  auto rank = [](Type each) {
    return !each                ? 0
           : each.isInteger(1)  ? 1
           : each.isInteger(8)  ? 2
           : each.isInteger(32) ? 3
           : each.isInteger(64) ? 4
           : each.isF32()       ? 5
                                : 6;
  };
  if (rank(other) > rank(type))
    type = other;
  std::optional<double> number = node.fixedNumber("other");
  if (type && number && rank(type) < 5)
    type = std::floor(*number) != *number                    ? Type(node.b.getF32Type())
           : rank(type) == 1 && *number != 0 && *number != 1 ? Type(node.b.getI64Type())
                                                             : type;
  return type ? type : node.b.getF32Type();
}

template <nn::Comparison predicate> static void compare(Node &node) {
  Type type = promoted(node);
  if (type.isInteger(1)) // nn.compare takes numbers of all kinds, but orders truth values as none
    type = node.b.getI32Type();
  auto attribute = nn::ComparisonAttr::get(node.b.getContext(), predicate);
  Value a = node.operand("self", type), b = a ? node.operand("other", type) : Value();
  node.give(node.make<nn::CompareOp>({a, b}, node.b.getNamedAttr("predicate", attribute)));
}

template <typename Op> static void logical(Node &node) {
  Type type = node.b.getI1Type();
  if (!node.resultType().isInteger(1))
    return node.unsupported("whole numbers; dlc has it for truth values");
  Value a = node.operand("self", type);
  node.give(node.make<Op>({a, a ? node.operand("other", type) : Value()}));
}

//===-- Choices ------------------------------------------------------------------===//

static void where(Node &node) {
  Type type = node.resultType();
  Value condition = node.operand("condition", node.b.getI1Type());
  Value a = node.operand("self", type), b = a ? node.operand("other", type) : Value();
  node.give(node.make<nn::SelectOp>({condition, a, b}));
}

static void maskedFill(Node &node) {
  Type type = node.resultType();
  Value mask = node.operand("mask", node.b.getI1Type()), value = node.operand("value", type);
  Value filled = node.make<nn::SelectOp>({mask, value, node.operand("self", type)});
  node.give(filled);
}

/// In place: the numbers of another tensor, stretched to the shape of this one.
static void copy(Node &node) {
  if (Value source = node.operand("src", node.resultType()))
    node.give(node.expand(source, node.shape("self")));
}
static void fill(Node &node) {
  if (Value value = node.operand("value", node.resultType()))
    node.give(node.expand(value, node.shape("self")));
}
static void zero(Node &node) { node.give(node.filled(0, node.resultType(), node.shape("self"))); }

static const Operator elementwiseOperators[] = {
    {"aten.add", add, "self other alpha"},
    {"aten.sub", sub, "self other alpha"},
    {"aten.subtract", sub, "self other alpha"},
    {"aten.rsub", reversedSub, "self other alpha"},
    {"aten.mul", mul, "self other"},
    {"aten.multiply", mul, "self other"},
    {"aten.div", div, "self other rounding_mode"},
    {"aten.divide", div, "self other rounding_mode"},
    {"aten.true_divide", div, "self other"},
    {"aten.floor_divide", floorDivide, "self other"},
    {"aten.remainder", remainder, "self other"},
    {"aten.fmod", truncatedRemainder, "self other"},
    {"aten.pow", power, "self exponent"},
    {"aten.maximum", binary<nn::MaxOp>, "self other"},
    {"aten.max.other", binary<nn::MaxOp>, "self other"},
    {"aten.minimum", binary<nn::MinOp>, "self other"},
    {"aten.min.other", binary<nn::MinOp>, "self other"},
    {"aten.addcmul", addCombined<nn::MulOp>, "self tensor1 tensor2 value"},
    {"aten.addcdiv", addCombined<nn::DivOp>, "self tensor1 tensor2 value"},
    {"aten.lerp", lerp, "self end weight"},
    {"aten.eq", compare<nn::Comparison::eq>, "self other"},
    {"aten.ne", compare<nn::Comparison::ne>, "self other"},
    {"aten.lt", compare<nn::Comparison::lt>, "self other"},
    {"aten.le", compare<nn::Comparison::le>, "self other"},
    {"aten.gt", compare<nn::Comparison::gt>, "self other"},
    {"aten.ge", compare<nn::Comparison::ge>, "self other"},
    {"aten.logical_and", logical<nn::LogicalAndOp>, "self other"},
    {"aten.logical_or", logical<nn::LogicalOrOp>, "self other"},
    {"aten.logical_xor", logical<nn::LogicalXorOp>, "self other"},
    {"aten.bitwise_and", logical<nn::LogicalAndOp>, "self other"},
    {"aten.bitwise_or", logical<nn::LogicalOrOp>, "self other"},
    {"aten.bitwise_xor", logical<nn::LogicalXorOp>, "self other"},
    {"aten.__and__", logical<nn::LogicalAndOp>, "self other"},
    {"aten.__or__", logical<nn::LogicalOrOp>, "self other"},
    {"aten.where.self", where, "condition self other"},
    {"aten.where.ScalarSelf", where, "condition self other"},
    {"aten.where.ScalarOther", where, "condition self other"},
    {"aten.where.Scalar", where, "condition self other"},
    {"aten.masked_fill", maskedFill, "self mask value"},
    {"aten.copy", copy, "self src"},
    {"aten.fill", fill, "self value"},
    {"aten.zero", zero, "self"},
};

ArrayRef<Operator> operatorsOfElementwise() { return elementwiseOperators; }

} // namespace dlc::pt2
