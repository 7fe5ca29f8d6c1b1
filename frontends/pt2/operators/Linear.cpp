//===- Linear.cpp - ATen operators that multiply matrices --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Einsum.h"
#include "frontends/pt2/Node.h"
#include "frontends/pt2/OperatorTables.h"

using namespace mlir;

namespace dlc::pt2 {

/// An operand of rank 1 is a row (left) or a column (right), and its dim of size 1 is dropped at the end.
static Value product(Node &node, Value left, Value right) {
  if (!left || !right)
    return {};
  nn::Shape a = nn::shapeOf(left), b = nn::shapeOf(right);
  if (a.empty() || b.empty()) {
    node.error("operands of rank 0 cannot be multiplied as matrices");
    return {};
  }
  bool row = a.size() == 1, column = b.size() == 1;
  if (row)
    left = node.reshape(left, {nn::Dim(1), a[0]});
  if (column)
    right = node.reshape(right, {b[0], nn::Dim(1)});
  Value y = node.make<nn::MatMulOp>({left, right});
  if (!y || (!row && !column))
    return y;
  nn::Shape shape = nn::shapeOf(y);
  if (row)
    shape.erase(shape.end() - 2);
  if (column)
    shape.pop_back();
  return node.reshape(y, shape);
}

/// input * weight^T + bias
static void linear(Node &node) {
  Value x = node.value("input"), weight = node.value("weight");
  if (!x || !weight)
    return;
  nn::Shape shape = nn::shapeOf(x), ofWeight = nn::shapeOf(weight);
  if (ofWeight.size() != 2 || shape.empty())
    return node.error("expects a weight of rank 2 and an input of rank 1 or more, got shapes " +
                      nn::str(ofWeight) + " and " + nn::str(shape));
  bool isRow = shape.size() == 1;
  if (isRow)
    x = node.reshape(x, {nn::Dim(1), shape[0]});
  Value y = node.make<nn::MatMulOp>({x, weight}, node.flag("transpose_b"));
  if (y && isRow)
    y = node.reshape(y, {ofWeight[0]});
  if (node.has("bias"))
    y = node.make<nn::AddOp>({y, node.value("bias")});
  node.give(y);
}

static void matmul(Node &node) { node.give(product(node, node.value("self"), node.value("other"))); }
static void matmul2(Node &node) { node.give(product(node, node.value("self"), node.value("mat2"))); }
static void matrixVector(Node &node) { node.give(product(node, node.value("self"), node.value("vec"))); }
static void dot(Node &node) { node.give(product(node, node.value("self"), node.value("tensor"))); }

/// beta * self + alpha * a * b
static void addProduct(Node &node, StringRef first, StringRef second) {
  Value y = product(node, node.value(first), node.value(second));
  double alpha = node.number("alpha", 1), beta = node.number("beta", 1);
  if (y && alpha != 1)
    y = nn::Expr(node.b, y) * alpha;
  Value self = beta == 0 ? Value() : node.value("self");
  if (self && beta != 1)
    self = nn::Expr(node.b, self) * beta;
  node.give(beta == 0 ? y : node.make<nn::AddOp>({y, self}));
}
static void addmm(Node &node) { addProduct(node, "mat1", "mat2"); }
static void baddbmm(Node &node) { addProduct(node, "batch1", "batch2"); }

static void outer(Node &node) {
  Value column = node.value("self"), row = node.value("vec2");
  if (!column || !row || nn::shapeOf(column).size() != 1 || nn::shapeOf(row).size() != 1)
    return node.error("expects two tensors of rank 1");
  node.give(node.make<nn::MulOp>({node.reshape(column, {nn::shapeOf(column)[0], nn::Dim(1)}), row}));
}

/// The sum over i and j of a_i * weight_kij * b_j, plus the bias.
static void bilinear(Node &node) {
  Value a = node.value("input1"), b = node.value("input2"), weight = node.value("weight");
  if (!a || !b || !weight)
    return;
  Value y = frontend::einsum(node.b, "...i,kij,...j->...k", {a, weight, b},
                             [&](const Twine &message) { node.error(message); });
  node.give(node.has("bias") ? node.make<nn::AddOp>({y, node.value("bias")}) : y);
}

static void einsum(Node &node) {
  SmallVector<Value> operands = node.values("tensors");
  if (operands.empty() || llvm::is_contained(operands, Value()))
    return;
  node.give(frontend::einsum(node.b, node.text("equation", ""), operands,
                             [&](const Twine &message) { node.error(message); }));
}

static const Operator linearOperators[] = {
    {"aten.linear", linear, "input weight bias"},
    {"aten.matmul", matmul, "self other"},
    {"aten.mm", matmul2, "self mat2"},
    {"aten.bmm", matmul2, "self mat2"},
    {"aten.mv", matrixVector, "self vec"},
    {"aten.dot", dot, "self tensor"},
    {"aten.addmm", addmm, "self mat1 mat2 beta alpha"},
    {"aten.baddbmm", baddbmm, "self batch1 batch2 beta alpha"},
    {"aten.outer", outer, "self vec2"},
    {"aten.bilinear", bilinear, "input1 input2 weight bias"},
    {"aten.einsum", einsum, "equation tensors"},
};

ArrayRef<Operator> operatorsOfLinear() { return linearOperators; }

} // namespace dlc::pt2
