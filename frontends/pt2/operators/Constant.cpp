//===- Constant.cpp - ATen operators that make tensors and sizes --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/pt2/Node.h"
#include "frontends/pt2/OperatorTables.h"
#include <cmath>

using namespace mlir;

namespace dlc::pt2 {

//===-- Tensors ------------------------------------------------------------------------===//

static void filledWith(Node &node, double number, std::optional<nn::Shape> shape) {
  if (shape)
    node.give(node.filled(number, node.resultType(), *shape));
}
template <int number> static void filled(Node &node) { filledWith(node, number, node.sizes("size")); }
template <int number> static void filledLike(Node &node) { filledWith(node, number, node.shape("self")); }
static void full(Node &node) { filledWith(node, node.number("fill_value", 0), node.sizes("size")); }
static void fullLike(Node &node) { filledWith(node, node.number("fill_value", 0), node.shape("self")); }
static void scalarTensor(Node &node) { node.give(node.operand("s", node.resultType())); }

/// 0, 1 ... up to an open size.
static void openRange(Node &node, const nn::Dim &count) {
  Type type = node.resultType();
  bool isIndex = type.isInteger(64) || type.isInteger(32);
  Value places =
      nn::IotaOp::create(node.b, nn::tensorType({count}, isIndex ? type : node.b.getI64Type()), 0).getY();
  node.give(node.cast(places, type));
}

static void arange(Node &node) {
  std::optional<double> fixedEnd = node.fixedNumber("end");
  double start = node.number("start", 0), step = node.number("step", 1);
  if (!fixedEnd) {
    std::optional<nn::Dim> end = node.size("end");
    if (!end)
      return;
    if (end->isStatic())
      fixedEnd = double(end->factor);
    else if (start == 0 && step == 1)
      return openRange(node, *end);
    else
      return node.unsupported("an open end and another start than 0");
  }
  double count = std::ceil((*fixedEnd - start) / step);
  if (step == 0 || !(count <= double(nn::maxElements)))
    return node.error("cannot count from " + str(start) + " to " + str(*fixedEnd) + " by " + str(step));
  Type type = node.resultType();
  nn::Shape shape{nn::Dim(int64_t(std::max(count, 0.0)))};
  if (!node.checkSize(shape))
    return;
  nn::Expr places(
      node.b,
      nn::IotaOp::create(node.b, nn::tensorType(shape, type.isInteger(1) ? node.b.getI64Type() : type), 0)
          .getY());
  if (step != 1)
    places = places * step;
  node.give(start == 0 ? places : places + start);
}

static void eye(Node &node) {
  std::optional<nn::Dim> rows = node.size("n"), columns = node.has("m") ? node.size("m") : rows;
  if (!rows || !columns || !node.checkSize({*rows, *columns}))
    return;
  Type i64 = node.b.getI64Type();
  nn::Expr row(node.b, nn::IotaOp::create(node.b, nn::tensorType({*rows, nn::Dim(1)}, i64), 0).getY());
  nn::Expr column(node.b, nn::IotaOp::create(node.b, nn::tensorType({nn::Dim(1), *columns}, i64), 1).getY());
  node.give(node.cast(nn::equal(column, row), node.resultType()));
}

//===-- Sizes --------------------------------------------------------------------------===//

static void sizeOf(Node &node) {
  nn::Shape shape = node.shape("self");
  if (std::optional<int64_t> dim = node.axis(node.integer("dim", 0), shape.size()))
    node.give(shape[*dim]);
}
static void countOf(Node &node) { node.give(nn::elementCount(node.shape("self"))); }

/// Arithmetic of two sizes. Those that are open have products and quotients only.
template <typename Rule> static void combine(Node &node, Rule rule) {
  std::optional<nn::Dim> a = node.size("a"), b = a ? node.size("b") : std::nullopt;
  if (!b)
    return;
  constexpr int64_t most = int64_t(1) << 40;
  if (std::abs(a->factor) > most || std::abs(b->factor) > most || a->names.size() + b->names.size() > 16)
    return node.error("a size is too large: " + a->str() + " and " + b->str());
  if (std::optional<nn::Dim> result = rule(*a, *b))
    return node.give(*result);
  node.error(
      "the size that is computed of " + a->str() + " and " + b->str() +
      " is open, and neither a product nor a quotient, which is not supported: export the module with fixed "
      "sizes there");
}
static void multiply(Node &node) {
  combine(node, [](const nn::Dim &a, const nn::Dim &b) -> std::optional<nn::Dim> {
    int64_t factor;
    return llvm::MulOverflow(a.factor, b.factor, factor) ? std::nullopt : std::optional(a * b);
  });
}
static void plus(Node &node) {
  combine(node, [](const nn::Dim &a, const nn::Dim &b) -> std::optional<nn::Dim> {
    if (a.names != b.names)
      return a == nn::Dim(0) ? std::optional(b) : b == nn::Dim(0) ? std::optional(a) : std::nullopt;
    nn::Dim sum = a;
    sum.factor += b.factor;
    return sum;
  });
}
static void minus(Node &node) {
  combine(node, [](const nn::Dim &a, const nn::Dim &b) -> std::optional<nn::Dim> {
    nn::Dim rest = a;
    rest.factor -= b.factor;
    if (a == b)
      return nn::Dim(0);
    return a.names == b.names ? std::optional(rest) : b == nn::Dim(0) ? std::optional(a) : std::nullopt;
  });
}
static void quotient(Node &node) {
  combine(node, [](const nn::Dim &a, const nn::Dim &b) -> std::optional<nn::Dim> {
    if (b.factor == 0)
      return std::nullopt;
    if (a.isStatic() && b.isStatic()) {
      int64_t rest = a.factor % b.factor;
      return nn::Dim(a.factor / b.factor - (rest != 0 && (rest < 0) != (b.factor < 0)));
    }
    return nn::divide(a, b);
  });
}

static const Operator constantOperators[] = {
    {"aten.zeros", filled<0>, "size dtype"},
    {"aten.ones", filled<1>, "size dtype"},
    {"aten.full", full, "size fill_value dtype"},
    {"aten.zeros_like", filledLike<0>, "self dtype"},
    {"aten.ones_like", filledLike<1>, "self dtype"},
    {"aten.full_like", fullLike, "self fill_value dtype"},
    {"aten.new_zeros", filled<0>, "self size dtype"},
    {"aten.new_ones", filled<1>, "self size dtype"},
    {"aten.new_full", full, "self size fill_value dtype"},
    {"aten.scalar_tensor", scalarTensor, "s dtype"},
    {"aten.arange", arange, "start end step dtype"},
    {"aten.eye", eye, "n m dtype"},
    {"aten.sym_size.int", sizeOf, "self dim"},
    {"aten.sym_numel", countOf, "self"},
    {"_operator.mul", multiply, "a b"},
    {"_operator.add", plus, "a b"},
    {"_operator.sub", minus, "a b"},
    {"_operator.floordiv", quotient, "a b"},
};

ArrayRef<Operator> operatorsOfConstant() { return constantOperators; }

} // namespace dlc::pt2
