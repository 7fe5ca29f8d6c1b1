//===- Activation.cpp - ONNX operators of the family Elementwise: one operand
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of one tensor. Those that the nn dialect does not have are written with those that it has.
//===----------------------------------------------------------------------===//
#include "frontends/common/Roots.h"
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"

#include <cmath>

using namespace mlir;

namespace dlc::onnx {

using frontend::logarithm, frontend::root;

/// The node of an operation that has the same operand and no attributes.
template <typename Op> static constexpr Operator unary(const char *op, int64_t since) {
  auto import = [](Node &node) { node.give(0, Value(Op::create(node.b, node.value(0)))); };
  return {op, since, import, 1, 1, "", {}, Op::getOperationName().data()};
}

static void log(Node &node) { node.give(0, logarithm(node.expr(0))); }
static void sqrt(Node &node) { node.give(0, root(node.expr(0), 0.5)); }

static void leakyRelu(Node &node) {
  node.give(0, Value(nn::LeakyReluOp::create(node.b, node.value(0), APFloat(node.number("alpha", 0.01f)))));
}

static nn::Expr elu(Node &node, nn::Expr x, double alpha) {
  return {node.b, nn::EluOp::create(node.b, x.get(), APFloat(alpha))};
}
static void elu(Node &node) { node.give(0, elu(node, node.expr(0), node.number("alpha", 1))); }

static void selu(Node &node) {
  double alpha = node.number("alpha", 1.67326319217681884765625);
  double gamma = node.number("gamma", 1.05070102214813232421875);
  node.give(0, gamma * elu(node, node.expr(0), alpha));
}

/// max(x, 0) + min(alpha * (e^(x / alpha) - 1), 0): elu of x / alpha, times alpha, for alpha > 0.
static void celu(Node &node) {
  double alpha = node.number("alpha", 1);
  if (!(alpha > 0))
    return node.error("alpha must be above 0, got " + str(alpha));
  node.give(0, alpha * elu(node, node.expr(0) / alpha, 1));
}

static void gelu(Node &node) {
  std::string approximate = node.text("approximate", "none");
  if (approximate != "none" && approximate != "tanh")
    return node.error("approximate must be 'none' or 'tanh', got '" + approximate + "'");
  node.give(0, Value(nn::GeluOp::create(node.b, node.value(0), approximate == "tanh")));
}

static void hardSigmoid(Node &node) {
  node.give(0, Value(nn::HardSigmoidOp::create(node.b, node.value(0), APFloat(node.number("alpha", 0.2f)),
                                               APFloat(node.number("beta", 0.5)))));
}

static void tangent(Node &node) {
  nn::Expr x = node.expr(0), sine = nn::sin(x);
  node.give(0, sine / nn::cos(x));
}

/// atan(x / sqrt(1 - x^2)), written so that 1 - x^2 loses no digits near 1 and -1.
static nn::Expr arcsine(nn::Expr x) {
  nn::Expr below = 1 - x, square = below * (1 + x);
  return 2 * nn::atan(x / (1 + nn::sqrt(square)));
}
static void arcsine(Node &node) { node.give(0, arcsine(node.expr(0))); }
static void arccosine(Node &node) {
  nn::Expr x = node.expr(0), below = nn::sqrt(1 - x);
  node.give(0, 2 * nn::atan(below / nn::sqrt(1 + x)));
}

/// (e^x - e^-x) / 2, to all digits near 0 too.
static void hyperbolicSine(Node &node) {
  nn::Expr x = node.expr(0), rise = nn::expm1(x);
  node.give(0, (rise - nn::expm1(-x)) * 0.5);
}
static void hyperbolicCosine(Node &node) {
  nn::Expr x = node.expr(0), rise = nn::exp(x);
  node.give(0, (rise + nn::exp(-x)) * 0.5);
}

/// ln(|x| + sqrt(x^2 + 1)) with the sign of x, to all digits near 0 too; ln(2|x|) where x^2 may overflow.
static void areaSine(Node &node) {
  // Next to 0 the function is its argument: |x| and the sign, which are flat there, would take the gradient
  // away.
  nn::Expr x = node.expr(0), isNegative = nn::less(x, x.scalar(0)), size = nn::select(isNegative, -x, x);
  nn::Expr isLarge = nn::greater(size, size.scalar(1e4));
  nn::Expr small = nn::select(isLarge, 1.0, size), square = small * small;
  nn::Expr near = nn::log1p(small + square / (1 + nn::sqrt(square + 1)));
  nn::Expr far = nn::log(nn::select(isLarge, size, 1.0)) + M_LN2;
  nn::Expr y = nn::select(isLarge, far, near);
  node.give(0, nn::select(isNegative, -y, y));
}
/// ln(x + sqrt(x^2 - 1)), from t = x - 1: to all digits near 1 too.
static void areaCosine(Node &node) {
  nn::Expr t = node.expr(0) - 1, root = nn::sqrt(t);
  node.give(0, nn::log1p(t + root * nn::sqrt(t + 2)));
}
static void areaTangent(Node &node) {
  nn::Expr x = node.expr(0), rise = nn::log1p(x);
  node.give(0, (rise - nn::log1p(-x)) * 0.5);
}

static void mish(Node &node) {
  nn::Expr x = node.expr(0);
  nn::Expr softplus(node.b, nn::SoftplusOp::create(node.b, x.get()));
  node.give(0, x * nn::tanh(softplus));
}

static void swish(Node &node) {
  nn::Expr x = node.expr(0);
  double alpha = node.number("alpha", 1);
  if (alpha == 1)
    return node.give(0, Value(nn::SiluOp::create(node.b, x.get())));
  node.give(0, x * nn::sigmoid(alpha * x));
}

/// NaN, which is not above alpha, stays NaN: so has it PyTorch's Threshold, which exporters write like this.
static void thresholdedRelu(Node &node) {
  nn::Expr x = node.expr(0);
  node.give(0, nn::select(nn::lessEqual(x, x.scalar(node.number("alpha", 1))), 0.0, x));
}

/// Towards zero by `bias` outside [-lambd, lambd], zero inside; NaN stays NaN.
static void shrink(Node &node) {
  nn::Expr x = node.expr(0);
  double bias = node.number("bias", 0), lambd = node.number("lambd", 0.5);
  nn::Expr isNotAbove = nn::lessEqual(x, x.scalar(lambd)), lowered = x - bias;
  nn::Expr positive = nn::select(isNotAbove, 0.0, lowered);
  nn::Expr isBelow = nn::less(x, x.scalar(-lambd)), raised = x + bias;
  node.give(0, nn::select(isBelow, raised, positive));
}

/// Before opset 7 a slope of rank 1 belongs to dim 1.
static void prelu(Node &node) {
  nn::Expr x = node.expr(0);
  Value slope = node.value(1);
  nn::Shape shape = node.shape(1);
  if (node.since < 7 && shape.size() == 1 && !shape[0].isOne() && x.rank() > 2) {
    shape.resize(x.rank() - 1, nn::Dim(1));
    slope = node.reshape(slope, shape);
  }
  Value scaled = node.make<nn::MulOp>({slope, x});
  if (!scaled)
    return;
  if (scaled.getType() != x.type())
    return node.error("the slope's shape " + nn::str(node.shape(1)) + " does not fit x, " +
                      nn::str(node.shape(0)));
  // At 0 both sides are 0; the derivative there is the slope, as in PyTorch.
  node.give(0, nn::select(nn::lessEqual(x, x.scalar(0)), nn::Expr(node.b, scaled), x));
}

static const Operator activationOperators[] = {
    unary<nn::NegOp>("Neg", 6),
    unary<nn::AbsOp>("Abs", 6),
    unary<nn::SignOp>("Sign", 9),
    unary<nn::ExpOp>("Exp", 6),
    {"Log", 6, log, 1, 1, "", {}, "nn.log"},
    {"Sqrt", 6, sqrt, 1, 1, "", {}, "nn.sqrt"},
    unary<nn::ReciprocalOp>("Reciprocal", 6),
    unary<nn::ErfOp>("Erf", 9),
    unary<nn::SinOp>("Sin", 7),
    unary<nn::CosOp>("Cos", 7),
    {"Tan", 7, tangent, 1, 1, ""},
    {"Asin", 7, arcsine, 1, 1, ""},
    {"Acos", 7, arccosine, 1, 1, ""},
    unary<nn::AtanOp>("Atan", 7),
    {"Sinh", 9, hyperbolicSine, 1, 1, ""},
    {"Cosh", 9, hyperbolicCosine, 1, 1, ""},
    {"Asinh", 9, areaSine, 1, 1, ""},
    {"Acosh", 9, areaCosine, 1, 1, ""},
    {"Atanh", 9, areaTangent, 1, 1, ""},
    unary<nn::FloorOp>("Floor", 6),
    unary<nn::CeilOp>("Ceil", 6),
    unary<nn::RoundOp>("Round", 11),
    unary<nn::TanhOp>("Tanh", 6),
    unary<nn::SigmoidOp>("Sigmoid", 6),
    unary<nn::ReluOp>("Relu", 6),
    unary<nn::SoftplusOp>("Softplus", 1),
    unary<nn::HardSwishOp>("HardSwish", 14),
    unary<nn::LogicalNotOp>("Not", 1),
    {"LeakyRelu", 6, leakyRelu, 1, 1, "alpha"},
    {"Elu", 6, elu, 1, 1, "alpha"},
    {"Selu", 6, selu, 1, 1, "alpha gamma"},
    {"Celu", 12, celu, 1, 1, "alpha"},
    {"Gelu", 20, gelu, 1, 1, "approximate"},
    {"HardSigmoid", 6, hardSigmoid, 1, 1, "alpha beta"},
    unary<nn::SoftsignOp>("Softsign", 1),
    {"Mish", 18, mish, 1, 1, ""},
    {"Swish", 24, swish, 1, 1, "alpha"},
    {"ThresholdedRelu", 10, thresholdedRelu, 1, 1, "alpha"},
    {"Shrink", 9, shrink, 1, 1, "bias lambd"},
    {"PRelu", 6, prelu, 2, 2, "", {1, 1}},
    {"PRelu", 7, prelu, 2, 2, "", {1, 1}},
};

ArrayRef<Operator> operatorsOfActivation() { return activationOperators; }

} // namespace dlc::onnx
