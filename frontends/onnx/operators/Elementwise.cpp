//===- Elementwise.cpp - ONNX operators of the family Elementwise
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic, comparisons and logic, with today's broadcasting and that of opset 6. Activations are in
// Activation.cpp.
//===----------------------------------------------------------------------===//
#include "frontends/common/Roots.h"
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

using frontend::root;

//===-- Broadcasting -----------------------------------------------------------===//

/// The second operand. Before opset 7 it is stretched only with `broadcast`, and `axis` says which dim of
/// the first one its first dim belongs to.
static Value secondOperand(Node &node) {
  Value b = node.value(1);
  if (node.since >= 7 || node.integer("broadcast", 0) == 0 || !node.hasAttribute("axis"))
    return b;
  nn::Shape shape = node.shape(1);
  int64_t rank = node.rank(0);
  std::optional<int64_t> axis = node.axis(node.integer("axis", 0), rank);
  if (!axis)
    return {};
  if (*axis + int64_t(shape.size()) > rank) {
    node.error("axis " + Twine(*axis) + " leaves no place for an operand of rank " + Twine(shape.size()));
    return {};
  }
  shape.resize(rank - *axis, nn::Dim(1));
  return node.reshape(b, shape);
}

template <typename Op> static void binary(Node &node) {
  node.give(0, node.make<Op>({node.value(0), secondOperand(node)}));
}

template <nn::Comparison predicate> static void compare(Node &node) {
  auto attribute = nn::ComparisonAttr::get(node.b.getContext(), predicate);
  node.give(0, node.make<nn::CompareOp>({node.value(0), secondOperand(node)},
                                        node.b.getNamedAttr("predicate", attribute)));
}

/// Sum, Mean, Max, Min of any number of tensors.
template <typename Op> static Value fold(Node &node) {
  Value result = node.value(0);
  for (int i = 1; i < node.inputCount(); ++i)
    result = node.make<Op>({result, node.value(i)});
  return result;
}
/// The larger (smaller) of x and a limit. Where both are equal, x gets all of the gradient, as in PyTorch.
template <typename Op> static Value limited(Node &node, Value x, Value limit) {
  constexpr bool isMax = std::is_same_v<Op, nn::MaxOp>;
  auto isBeyond =
      nn::ComparisonAttr::get(node.b.getContext(), isMax ? nn::Comparison::lt : nn::Comparison::gt);
  Value limits = node.make<nn::CompareOp>({x, limit}, node.b.getNamedAttr("predicate", isBeyond));
  return limits ? node.make<nn::SelectOp>({limits, limit, x}) : Value();
}

/// Where both are equal, each gets half of the gradient, but where the node was made of a clamp.
template <typename Op> static void extreme(Node &node) {
  if (node.limits() == Limits::Clamp && node.inputCount() == 2 && isa<FloatType>(node.elementType(0)))
    return node.give(0, limited<Op>(node, node.value(0), node.value(1)));
  node.give(0, fold<Op>(node));
}

static void sum(Node &node) { node.give(0, fold<nn::AddOp>(node)); }

static void mean(Node &node) {
  if (Value sum = fold<nn::AddOp>(node))
    node.give(0, nn::Expr(node.b, sum) / double(node.inputCount()));
}

//===-- Arithmetic ---------------------------------------------------------------===//

/// The exponent may have another type; the result has the base's.
static void power(Node &node) {
  nn::Expr base = node.expr(0);
  Type type = base.elementType(), exponentType = node.elementType(1);
  Type working = !isa<FloatType>(type) && isa<FloatType>(exponentType) ? node.b.getF64Type() : type;
  Value exponent;
  std::optional<double> number = node.fixedNumber(1);
  if (number && node.rank(1) <= base.rank()) {
    if (*number == 2)
      return node.give(0, base * base);
    if (*number > 0 && *number < 1 && isa<FloatType>(type))
      return node.give(0, root(base, *number));
    exponent = node.scalar(*number, working);
  } else if (Value given = secondOperand(node)) {
    exponent = nn::cast({node.b, given}, working);
  }
  if (Value result = node.make<nn::PowOp>({nn::cast(base, working), exponent}))
    node.give(0, nn::cast({node.b, result}, type));
}

static nn::Expr truncate(nn::Expr x) {
  nn::Expr isNegative = nn::less(x, x.scalar(0));
  nn::Expr up(x.getBuilder(), nn::CeilOp::create(x.getBuilder(), x));
  nn::Expr down(x.getBuilder(), nn::FloorOp::create(x.getBuilder(), x));
  return nn::select(isNegative, up, down);
}

/// a - trunc(a / b) * b. The quotient is rounded, so that it may be the next whole number; then the rest,
/// which one rounding leaves exact, has the wrong sign. The derivative by b is -trunc(a / b), as in PyTorch.
static void floatRemainder(Node &node) {
  if (node.integer("fmod", 0) == 0)
    return node.error("the attribute fmod must be 1 for floats, as ONNX says");
  nn::Expr a = node.expr(0), b = node.expr(1);
  Value quotient = node.make<nn::DivOp>({a, b});
  if (!quotient)
    return;
  nn::Expr ratio(node.b, quotient), zero = a.scalar(0);
  nn::Expr whole(node.b, train::StopGradientOp::create(node.b, truncate(ratio)).getY());
  nn::Expr rest = nn::fma(-whole, b, a);
  nn::Expr isNegative = nn::less(a, zero), isBelow = nn::less(rest, zero), isAbove = nn::greater(rest, zero);
  nn::Expr isOver = nn::select(isNegative, isAbove, isBelow);
  nn::Expr hasOtherSign = nn::less(ratio, zero), opposite = -b;
  nn::Expr exact = nn::select(isOver, rest + nn::select(hasOtherSign, opposite, b), rest);
  nn::Expr size = nn::abs(a), limit = nn::abs(b);
  node.give(0, nn::select(nn::less(size, limit), a, exact)); // also where b is infinite
}

/// The rest has the sign of the divisor, or (fmod) of the dividend.
static void remainder(Node &node) {
  if (isa<FloatType>(node.elementType(0)))
    return floatRemainder(node);
  Value a = node.value(0), b = node.value(1);
  Value product = node.make<nn::MulOp>({node.make<nn::DivOp>({a, b}), b});
  Value rest = node.make<nn::SubOp>({a, product});
  if (!rest || node.integer("fmod", 0) != 0)
    return node.give(0, rest);
  Value moved = node.make<nn::AddOp>({rest, b});
  Value mixed = node.make<nn::MulOp>({rest, b});
  nn::Expr zero = nn::Expr(node.b, rest).scalar(0);
  Value otherSign = nn::less({node.b, mixed}, zero);
  node.give(0, node.make<nn::SelectOp>({otherSign, moved, rest}));
}

/// A limit of Clip: the input's number where it is known and not trained.
static std::optional<double> limit(Node &node, int input, StringRef attribute, double fallback) {
  if (node.since < 11)
    return node.anyNumber(attribute, fallback);
  return node.has(input) ? node.fixedNumber(input) : std::optional(fallback);
}

static void clip(Node &node) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::optional<double> low = limit(node, 1, "min", -infinity), high = limit(node, 2, "max", infinity);
  nn::Expr x = node.expr(0);
  bool isRelu6 = low == 0.0 && high == 6.0 && node.limits() == Limits::Unknown;
  bool isHardtanh = isRelu6 || node.limits() == Limits::Hardtanh;
  if (isHardtanh && isa<FloatType>(x.elementType()) && low && high && *low <= *high) {
    nn::Expr least = x.scalar(*low), most = x.scalar(*high);
    nn::Expr isBelow = nn::lessEqual(x, least), isAbove = nn::greaterEqual(x, most);
    nn::Expr y = nn::select(isAbove, most, x);
    return node.give(0, nn::select(isBelow, least, y));
  }
  if (isa<FloatType>(x.elementType()) && low && high && *low <= *high)
    return node.give(0, Value(nn::ClipOp::create(node.b, x.get(), APFloat(*low), APFloat(*high))));
  Value y = x;
  if (node.has(1))
    y = limited<nn::MaxOp>(node, y, node.value(1));
  if (node.has(2) && y)
    y = limited<nn::MinOp>(node, y, node.value(2));
  node.give(0, y);
}

//===-- Logic, types -------------------------------------------------------------===//

static void where(Node &node) {
  node.give(0, node.make<nn::SelectOp>({node.value(0), node.value(1), node.value(2)}));
}

static void cast(Node &node) {
  int64_t to = node.integer("to", 0);
  Type type = elementTypeOf(to, node.b.getContext());
  if (!type)
    return node.error("casting to " + dataTypeName(to) + " is not supported");
  node.give(0, nn::cast(node.expr(0), type));
}

static void castLike(Node &node) { node.give(0, nn::cast(node.expr(0), node.elementType(1))); }

static void identity(Node &node) {
  if (!node.isDetached() || !isa<FloatType>(node.elementType(0)))
    return node.giveInput(0);
  if (Value x = node.value(0))
    node.give(0, train::StopGradientOp::create(node.b, x).getY());
}

static void isNaN(Node &node) {
  Value x = node.value(0);
  node.give(0, Value(nn::CompareOp::create(node.b, nn::Comparison::ne, x, x)));
}

static void isInf(Node &node) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bool positive = node.integer("detect_positive", 1) != 0, negative = node.integer("detect_negative", 1) != 0;
  nn::Expr x = node.expr(0);
  nn::Expr seen = positive && negative ? nn::abs(x) : x;
  if (positive || negative)
    return node.give(0, nn::equal(seen, seen.scalar(positive ? infinity : -infinity)));
  nn::Expr equal = nn::equal(x, x);
  node.give(0, nn::logicalAnd(equal, nn::logicalNot(equal))); // nothing is
}

//===-- The table ------------------------------------------------------------------===//

static constexpr const char *legacy = "broadcast axis consumed_inputs";

static const Operator elementwiseOperators[] = {
    {"Add", 1, binary<nn::AddOp>, 2, 2, legacy, {0, 2}},
    {"Add", 7, binary<nn::AddOp>, 2, 2, "", {0, 2}, "nn.add"},
    {"Sub", 1, binary<nn::SubOp>, 2, 2, legacy},
    {"Sub", 7, binary<nn::SubOp>, 2, 2, "", {}, "nn.sub"},
    {"Mul", 1, binary<nn::MulOp>, 2, 2, legacy},
    {"Mul", 7, binary<nn::MulOp>, 2, 2, "", {}, "nn.mul"},
    {"Div", 1, binary<nn::DivOp>, 2, 2, legacy},
    {"Div", 7, binary<nn::DivOp>, 2, 2, "", {}, "nn.div"},
    {"Pow", 1, power, 2, 2, legacy},
    {"Pow", 7, power, 2, 2, "", {}, "nn.pow"},
    {"Mod", 10, remainder, 2, 2, "fmod"},
    {"Sum", 1, sum, 1, anyNumber, "consumed_inputs"},
    {"Mean", 1, mean, 1, anyNumber, "consumed_inputs"},
    {"Max", 1, extreme<nn::MaxOp>, 1, anyNumber, "consumed_inputs", {}, "nn.max"},
    {"Min", 1, extreme<nn::MinOp>, 1, anyNumber, "consumed_inputs", {}, "nn.min"},
    {"And", 1, binary<nn::LogicalAndOp>, 2, 2, legacy},
    {"And", 7, binary<nn::LogicalAndOp>, 2, 2, "", {}, "nn.logical_and"},
    {"Or", 1, binary<nn::LogicalOrOp>, 2, 2, legacy},
    {"Or", 7, binary<nn::LogicalOrOp>, 2, 2, "", {}, "nn.logical_or"},
    {"Xor", 1, binary<nn::LogicalXorOp>, 2, 2, legacy},
    {"Xor", 7, binary<nn::LogicalXorOp>, 2, 2, "", {}, "nn.logical_xor"},
    {"Equal", 1, compare<nn::Comparison::eq>, 2, 2, legacy},
    {"Equal", 7, compare<nn::Comparison::eq>, 2, 2, ""},
    {"Less", 1, compare<nn::Comparison::lt>, 2, 2, legacy},
    {"Less", 7, compare<nn::Comparison::lt>, 2, 2, ""},
    {"Greater", 1, compare<nn::Comparison::gt>, 2, 2, legacy},
    {"Greater", 7, compare<nn::Comparison::gt>, 2, 2, ""},
    {"LessOrEqual", 12, compare<nn::Comparison::le>, 2, 2, ""},
    {"GreaterOrEqual", 12, compare<nn::Comparison::ge>, 2, 2, ""},
    {"Where", 9, where, 3, 3, "", {}, "nn.select"},
    {"Clip", 6, clip, 1, 1, "min max"},
    {"Clip", 11, clip, 1, 3, ""},
    {"Cast", 6, cast, 1, 1, "to"},
    {"Cast", 19, cast, 1, 1, "to saturate round_mode"},
    {"CastLike", 15, castLike, 2, 2, "saturate round_mode"},
    {"Identity", 1, identity, 1, 1, ""},
    {"IsNaN", 9, isNaN, 1, 1, ""},
    {"IsInf", 10, isInf, 1, 1, "detect_positive detect_negative"},
};

ArrayRef<Operator> operatorsOfElementwise() { return elementwiseOperators; }

} // namespace dlc::onnx
