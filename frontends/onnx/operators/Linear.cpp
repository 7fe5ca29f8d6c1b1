//===- Linear.cpp - ONNX operators of the family Linear
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

/// An operand of rank 1 is a row (left) or a column (right), and its dim of size 1 is dropped at the end.
static void matMul(Node &node) {
  nn::Shape a = node.shape(0), b = node.shape(1);
  if (a.empty() || b.empty())
    return node.error("operands of rank 0 cannot be multiplied");
  bool row = a.size() == 1, column = b.size() == 1;
  Value left = node.value(0), right = node.value(1);
  if (row)
    left = node.reshape(left, {nn::Dim(1), a[0]});
  if (column)
    right = node.reshape(right, {b[0], nn::Dim(1)});
  Value product = node.make<nn::MatMulOp>({left, right});
  if (!product)
    return;
  nn::Shape shape = nn::shapeOf(product);
  if (row)
    shape.erase(shape.end() - 2);
  if (column)
    shape.pop_back();
  node.give(0, node.reshape(product, shape));
}

/// alpha * A * B + beta * C; null after an error.
static Value gemmOf(Node &node) {
  SmallVector<NamedAttribute> flags;
  if (node.integer("transA", 0) != 0)
    flags.push_back(node.flag("transpose_a"));
  if (node.integer("transB", 0) != 0)
    flags.push_back(node.flag("transpose_b"));
  for (int i : {0, 1})
    if (node.rank(i) != 2) {
      node.error("expects matrices, got an operand of shape " + nn::str(node.shape(i)));
      return {};
    }
  double alpha = node.number("alpha", 1), beta = node.number("beta", 1);
  Value product = node.make<nn::MatMulOp>({node.value(0), node.value(1)}, flags);
  if (!product)
    return {};
  if (alpha != 1)
    product = nn::Expr(node.b, product) * alpha;
  if (!node.has(2) || beta == 0)
    return product;
  nn::Expr c = node.expr(2);
  Value sum = node.make<nn::AddOp>({product, beta == 1 ? c : c * beta});
  if (sum && sum.getType() != product.getType()) {
    node.error("C of shape " + nn::str(node.shape(2)) + " does not fit the product, " +
               nn::str(nn::shapeOf(product)));
    return {};
  }
  return sum;
}

static void gemm(Node &node) { node.give(0, gemmOf(node)); }

/// What ONNX Runtime makes of a Gemm and the activation after it.
static void fusedGemm(Node &node) {
  std::string activation = node.text("activation", "");
  double alpha = node.number("activation_alpha", 0.01f);
  Value sum = gemmOf(node);
  if (!sum)
    return;
  if (activation == "Relu")
    return node.give(0, Value(nn::ReluOp::create(node.b, sum)));
  if (activation == "LeakyRelu")
    return node.give(0, Value(nn::LeakyReluOp::create(node.b, sum, APFloat(alpha))));
  if (activation == "Sigmoid")
    return node.give(0, Value(nn::SigmoidOp::create(node.b, sum)));
  if (activation == "Tanh")
    return node.give(0, Value(nn::TanhOp::create(node.b, sum)));
  node.error("activation must be Relu, LeakyRelu, Sigmoid or Tanh, got '" + activation + "'");
}

static const Operator linearOperators[] = {
    {"MatMul", 1, matMul, 2, 2, "", {0, 2}},
    {"Gemm", 6, gemm, 3, 3, "alpha beta transA transB broadcast", {0, 3}},
    {"Gemm", 7, gemm, 3, 3, "alpha beta transA transB", {0, 3}},
    {"Gemm", 11, gemm, 2, 3, "alpha beta transA transB", {0, 3}},
    {"com.microsoft.FusedGemm",
     1,
     fusedGemm,
     2,
     3,
     "alpha beta transA transB activation activation_alpha",
     {0, 3}},
};

ArrayRef<Operator> operatorsOfLinear() { return linearOperators; }

} // namespace dlc::onnx
