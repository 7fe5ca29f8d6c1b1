//===- Attention.cpp - attention that ONNX Runtime's optimizers write as one operator
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// softmax(Q K^T / sqrt(size of a head) + mask) V, for each head. Attention multiplies its input with one
// matrix that holds those of queries, keys and values side by side; MultiHeadAttention gets them multiplied.
// Masks, and keys and values of earlier calls, are not supported.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Node.h"
#include <cmath>

using namespace mlir;

namespace dlc::onnx {

/// [batch, places, heads * size] as [batch, heads, places, size]; null after an error.
static Value splitHeads(Node &node, Value x, int64_t heads) {
  if (!x)
    return {};
  nn::Shape shape = nn::shapeOf(x);
  if (shape.size() != 3 || heads < 1 || !shape[2].isStatic() || shape[2].factor % heads != 0) {
    node.error("num_heads must divide the last dim of [batch, places, features], got " + Twine(heads) +
               " heads and shape " + nn::str(shape));
    return {};
  }
  Value split = node.reshape(x, {shape[0], shape[1], heads, shape[2].factor / heads});
  return node.make<nn::TransposeOp>({split}, node.attr("permutation", ArrayRef<int64_t>{0, 2, 1, 3}));
}

/// The columns [from, from + count) of the last dim.
static Value columns(Node &node, Value x, int64_t from, int64_t count) {
  if (!x)
    return {};
  nn::Shape shape = nn::shapeOf(x);
  SmallVector<int64_t> starts(shape.size(), 0), steps(shape.size(), 1), limits;
  for (const nn::Dim &dim : shape)
    limits.push_back(dim.isStatic() ? dim.factor : -1);
  starts.back() = from;
  limits.back() = from + count;
  return node.make<nn::SliceOp>(
      {x}, {node.attr("starts", starts), node.attr("limits", limits), node.attr("steps", steps)});
}

/// Scores without those of later places than the query's.
static Value withoutLater(Node &node, Value scores) {
  nn::Shape shape = scores ? nn::shapeOf(scores) : nn::Shape();
  if (shape.size() != 4)
    return {};
  if (shape[2] != shape[3] || !shape[2].isStatic()) {
    node.error("unidirectional attention needs as many keys as queries, a known number of them, got scores "
               "of shape " +
               nn::str(shape));
    return {};
  }
  Type i64 = node.b.getI64Type();
  Value query = nn::IotaOp::create(node.b, nn::tensorType({shape[2], nn::Dim(1)}, i64), 0);
  Value key = nn::IotaOp::create(node.b, nn::tensorType({nn::Dim(1), shape[3]}, i64), 1);
  Value isEarlier = nn::lessEqual(nn::Expr(node.b, key), nn::Expr(node.b, query));
  return node.make<nn::SelectOp>(
      {isEarlier, scores, node.scalar(-std::numeric_limits<double>::infinity(), nn::elementTypeOf(scores))});
}

/// Of [batch, heads, places, size] each; gives output 0 as [batch, places, heads * size].
static void attend(Node &node, Value q, Value k, Value v) {
  Value scores = node.make<nn::MatMulOp>({q, k}, node.flag("transpose_b"));
  if (!scores || !v)
    return;
  nn::Dim size = nn::shapeOf(q).back();
  double scale = node.number("scale", 0, 0);
  scores = nn::Expr(node.b, scores) * (scale != 0 ? scale : 1 / std::sqrt(double(size.factor)));
  if (node.integer("unidirectional", 0) != 0)
    scores = withoutLater(node, scores);
  if (!scores)
    return;
  Value shares = node.make<nn::SoftmaxOp>({scores}, node.attr("axis", int64_t(3)));
  Value mixed = node.make<nn::MatMulOp>({shares, v});
  Value turned = node.make<nn::TransposeOp>({mixed}, node.attr("permutation", ArrayRef<int64_t>{0, 2, 1, 3}));
  if (!turned)
    return;
  nn::Shape shape = nn::shapeOf(turned);
  node.give(0, node.reshape(turned, {shape[0], shape[1], shape[2] * shape[3]}));
}

static void attention(Node &node) {
  int64_t heads = node.integer("num_heads", 0);
  Value product = node.make<nn::MatMulOp>({node.value(0), node.value(1)});
  if (node.has(2))
    product = node.make<nn::AddOp>({product, node.value(2)});
  if (!product)
    return;
  nn::Dim width = nn::shapeOf(product).back();
  if (!width.isStatic() || width.factor % 3 != 0)
    return node.error("expects a matrix with the columns of queries, keys and values, got " +
                      nn::str(node.shape(1)));
  int64_t each = width.factor / 3;
  Value q = splitHeads(node, columns(node, product, 0, each), heads);
  Value k = splitHeads(node, columns(node, product, each, each), heads);
  Value v = splitHeads(node, columns(node, product, 2 * each, each), heads);
  attend(node, q, k, v);
  if (!node.wants(1) || !k || !v)
    return;
  // Keys and values for the calls after this one: [2, batch, heads, places, size].
  SmallVector<Value> both;
  for (Value part : {k, v}) {
    nn::Shape shape = nn::shapeOf(part);
    shape.insert(shape.begin(), nn::Dim(1));
    both.push_back(node.reshape(part, shape));
  }
  node.give(1, node.make<nn::ConcatOp>(both, node.attr("axis", int64_t(0))));
}

static void multiHeadAttention(Node &node) {
  int64_t heads = node.integer("num_heads", 0);
  Value parts[3];
  nn::Dim width = node.rank(0) ? node.shape(0).back() : nn::Dim(0);
  for (int i : {0, 1, 2}) {
    parts[i] = node.value(i);
    // Keys and values may have their heads already.
    if (i > 0 && node.rank(i) == 4)
      continue;
    if (node.has(3) && width.isStatic())
      parts[i] =
          node.make<nn::AddOp>({parts[i], columns(node, node.value(3), i * width.factor, width.factor)});
    parts[i] = splitHeads(node, parts[i], heads);
  }
  attend(node, parts[0], parts[1], parts[2]);
  node.give(1, parts[1]);
  node.give(2, parts[2]);
}

// mask_filter_value is that of masks, which are not there.
static const Operator operators[] = {
    {"com.microsoft.Attention", 1, attention, 2, 3, "num_heads unidirectional scale mask_filter_value"},
    {"com.microsoft.MultiHeadAttention", 1, multiHeadAttention, 3, 4,
     "num_heads unidirectional scale mask_filter_value"},
};

ArrayRef<Operator> operatorsOfAttention() { return operators; }

} // namespace dlc::onnx
