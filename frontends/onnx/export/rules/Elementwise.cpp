//===- Elementwise.cpp - ONNX nodes for operations element by element -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/export/Writer.h"
#include <cmath>

using namespace mlir;

namespace dlc::onnx {

namespace {

Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

LogicalResult rsqrt(Writer &w, nn::RsqrtOp op) {
  w.result(op.getY(), "Reciprocal", {w.step("Sqrt", {w[op.getX()]})});
  return success();
}

/// Near 0, where e^x - 1 loses its digits, 2 t / (1 - t) with t = tanh(x / 2).
LogicalResult expm1(Writer &w, nn::Expm1Op op) {
  Type type = elementOf(op.getX());
  std::string x = w[op.getX()], one = w.scalar(1, type), two = w.scalar(2, type);
  std::string t = w.step("Tanh", {w.step("Div", {x, two})});
  std::string near = w.step("Div", {w.step("Mul", {two, t}), w.step("Sub", {one, t})});
  std::string far = w.step("Sub", {w.step("Exp", {x}), one});
  w.result(op.getY(), "Where", {w.step("Less", {w.step("Abs", {x}), one}), near, far});
  return success();
}

/// With u = 1 + x rounded, ln(u) x / (u - 1) makes up for the rounding.
LogicalResult log1p(Writer &w, nn::Log1pOp op) {
  Type type = elementOf(op.getX());
  std::string x = w[op.getX()], one = w.scalar(1, type);
  std::string u = w.step("Add", {x, one}), d = w.step("Sub", {u, one}), log = w.step("Log", {u});
  std::string isTiny = w.step("Equal", {d, w.scalar(0, type)});
  std::string isLarge = w.step("Greater", {x, one}); // also infinity, where the quotient is none
  std::string quotient = w.step("Div", {x, w.step("Where", {isTiny, one, d})});
  std::string near = w.step("Where", {isTiny, x, w.step("Mul", {log, quotient})});
  w.result(op.getY(), "Where", {isLarge, log, near});
  return success();
}

LogicalResult silu(Writer &w, nn::SiluOp op) {
  w.result(op.getY(), "Mul", {w[op.getX()], w.step("Sigmoid", {w[op.getX()]})});
  return success();
}

LogicalResult gelu(Writer &w, nn::GeluOp op) {
  w.result(op.getY(), "Gelu", {w[op.getX()]}, {{"approximate", std::string(op.getTanh() ? "tanh" : "none")}});
  return success();
}

LogicalResult leakyRelu(Writer &w, nn::LeakyReluOp op) {
  w.result(op.getY(), "LeakyRelu", {w[op.getX()]}, {{"alpha", float(op.getAlpha().convertToDouble())}});
  return success();
}
LogicalResult elu(Writer &w, nn::EluOp op) {
  w.result(op.getY(), "Elu", {w[op.getX()]}, {{"alpha", float(op.getAlpha().convertToDouble())}});
  return success();
}
LogicalResult hardSigmoid(Writer &w, nn::HardSigmoidOp op) {
  w.result(
      op.getY(), "HardSigmoid", {w[op.getX()]},
      {{"alpha", float(op.getAlpha().convertToDouble())}, {"beta", float(op.getBeta().convertToDouble())}});
  return success();
}

LogicalResult clip(Writer &w, nn::ClipOp op) {
  // A limit that is infinite is none, and one that the dtype cannot hold neither.
  Type type = elementOf(op.getX());
  auto limit = [&](double value) -> std::string {
    bool isNone = std::isinf(value) ||
                  (!isa<FloatType>(type) && std::abs(value) >= (type.isInteger(32) ? 0x1p31 : 0x1p63));
    return isNone ? "" : w.scalar(value, type);
  };
  std::string low = limit(op.getLow().convertToDouble()), high = limit(op.getHigh().convertToDouble());
  w.result(op.getY(), "Clip", high.empty() ? Names{w[op.getX()], low} : Names{w[op.getX()], low, high});
  return success();
}

LogicalResult cast_(Writer &w, nn::CastOp op) {
  w.result(op.getY(), "Cast", {w[op.getX()]}, {{"to", int64_t(exportedType(op.getTo()))}});
  return success();
}

LogicalResult compare(Writer &w, nn::CompareOp op) {
  Names operands{w[op.getA()], w[op.getB()]};
  if (op.getPredicate() == nn::Comparison::ne) {
    w.result(op.getC(), "Not", {w.step("Equal", operands)});
    return success();
  }
  const char *type = op.getPredicate() == nn::Comparison::eq   ? "Equal"
                     : op.getPredicate() == nn::Comparison::lt ? "Less"
                     : op.getPredicate() == nn::Comparison::le ? "LessOrEqual"
                     : op.getPredicate() == nn::Comparison::gt ? "Greater"
                                                               : "GreaterOrEqual";
  w.result(op.getC(), type, operands);
  return success();
}

/// A product of numbers of at most 24 bits is exact in float64. What its rounding would change can be large:
/// the rest of a division is a whole divisor, or nothing.
LogicalResult fma(Writer &w, nn::FmaOp op) {
  Type type = getElementTypeOrSelf(op.getType());
  if (type.isF64())
    return op.emitError(
        "cannot be exported: ONNX has no product of float64 that is added without being rounded");
  auto wide = [&](Value x) { return w.step("Cast", {w[x]}, {{"to", int64_t(::onnx::TensorProto::DOUBLE)}}); };
  std::string sum = w.step("Add", {w.step("Mul", {wide(op.getA()), wide(op.getB())}), wide(op.getC())});
  w.result(op.getY(), "Cast", {sum}, {{"to", int64_t(exportedType(type))}});
  return success();
}

} // namespace

void addElementwiseRules(ExportRules &rules) {
  rules.add(rsqrt);
  rules.add(expm1);
  rules.add(log1p);
  rules.add(silu);
  rules.add(gelu);
  rules.add(leakyRelu);
  rules.add(elu);
  rules.add(hardSigmoid);
  rules.add(clip);
  rules.add(cast_);
  rules.add(compare);
  rules.add(fma);
}

} // namespace dlc::onnx
