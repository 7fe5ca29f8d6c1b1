//===- Attention.cpp - ONNX's own operators of attention
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scaled dot products with masks, keys and values of earlier calls, and fewer heads of keys than of queries;
// the rotation of queries and keys by their places. What ONNX Runtime's optimizers write is in
// FusedAttention.cpp.
//===----------------------------------------------------------------------===//
#include "frontends/common/Attention.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

using frontend::Attended, frontend::Attention;

/// Queries, keys or values with their heads as a dim: they come so, or are split.
static Value withHeads(Node &node, int input, const char *attribute) {
  if (node.rank(input) == 4)
    return node.value(input);
  if (node.rank(input) == 3)
    return splitHeads(node, node.value(input), node.integer(attribute, 0), attribute);
  node.error("expects queries, keys and values of 3 or 4 dims, got '" + node.inputName(input) +
             "' of shape " + nn::str(node.shape(input)));
  return {};
}

/// Keys or values of earlier calls, and those of this one.
static Value afterPast(Node &node, int input, Value x) {
  return node.has(input) ? join(node, {node.value(input), x}, 2) : x;
}

/// The mask, whose last dim may be shorter than there are keys from version 24 on: the rest does not count.
static void addMask(Node &node, Attention &attention) {
  Value mask = node.value(3);
  if (!mask || !attention.k)
    return;
  nn::Shape shape = nn::shapeOf(mask);
  nn::Dim keys = nn::shapeOf(attention.k)[2];
  bool isBoolean = nn::elementTypeOf(mask).isInteger(1);
  if (shape.empty() || shape.size() > 4)
    return node.error("attn_mask must have 1 to 4 dims, got shape " + nn::str(shape));
  if (!isBoolean && nn::elementTypeOf(mask) != node.elementType(0))
    return node.error("attn_mask must hold truth values or " + typeName(node.elementType(0)) + ", got " +
                      typeName(nn::elementTypeOf(mask)));
  nn::Dim last = shape.back();
  bool isShort =
      last != keys && !last.isOne() && last.isStatic() && keys.isStatic() && last.factor < keys.factor;
  if (isShort && node.since < 24)
    return node.error("attn_mask has " + last.str() + " columns for " + keys.str() +
                      " keys, got operator set " + Twine(node.opset) +
                      "; a mask with fewer columns than keys needs operator set 24");
  if (isShort) {
    SmallVector<int64_t> none(shape.size(), 0), high = none;
    high.back() = keys.factor - last.factor;
    double rest = isBoolean ? 0 : -std::numeric_limits<double>::infinity();
    auto mode = nn::PadModeAttr::get(node.b.getContext(), nn::PadMode::constant);
    mask = node.make<nn::PadOp>({mask}, {node.b.getNamedAttr("mode", mode), node.attr("low", none),
                                         node.attr("high", high), node.attr("interior", none),
                                         node.attr("value", rest)});
  }
  (isBoolean ? attention.masks : attention.biases).push_back(mask);
  attention.mayHaveNoKey = true;
}

/// How many keys each batch row has ([batch]), and what they say of causality; null after an error.
static Value keysOfRows(Node &node, Attention &attention) {
  nn::Shape shape = node.shape(6);
  if (node.has(4))
    node.error("nonpad_kv_seqlen cannot be given together with past_key and past_value");
  else if (shape != nn::Shape{node.shape(0)[0]})
    node.error("nonpad_kv_seqlen must have the shape [batch], got " + nn::str(shape) +
               " and queries of shape " + nn::str(node.shape(0)));
  else
    return node.reshape(nn::cast(node.expr(6), node.b.getI64Type()), {shape[0], 1, 1, 1});
  return {};
}

static void attention(Node &node) {
  if (node.has(4) != node.has(5))
    return node.error("past_key and past_value must be given together");
  Attention attention;
  // What is wrong with one of them is told once.
  if (!(attention.q = withHeads(node, 0, "q_num_heads")) ||
      !(attention.k = withHeads(node, 1, "kv_num_heads")) ||
      !(attention.v = withHeads(node, 2, "kv_num_heads")))
    return;
  for (int input : {4, 5})
    if (node.has(input) && node.rank(input) != 4)
      return node.error("expects '" + node.inputName(input) +
                        "' of shape [batch, heads, places, size], got " + nn::str(node.shape(input)));
  nn::Dim past = node.has(4) ? node.shape(4)[2] : nn::Dim(0);
  if (!past.isStatic())
    return node.error("the number of keys in '" + node.inputName(4) + "' must be known, got " + past.str());
  attention.k = afterPast(node, 4, attention.k);
  attention.v = afterPast(node, 5, attention.v);
  if (!attention.k || !attention.v)
    return;
  if (node.hasAttribute("scale"))
    attention.scale = node.number("scale", 1);
  attention.softcap = node.number("softcap", 0, 0);
  if (int64_t type = node.integer("softmax_precision", 0)) {
    attention.precision = elementTypeOf(type, node.b.getContext());
    if (!isa_and_nonnull<FloatType>(attention.precision))
      return node.error("softmax_precision must be a type of floats, got " + dataTypeName(type));
  }
  if (node.has(3))
    addMask(node, attention);
  nn::Expr earlier(node.b, node.scalar(double(past.factor), node.b.getI64Type()));
  if (node.has(6)) {
    Value given = keysOfRows(node, attention);
    if (!given)
      return;
    nn::Expr keys(node.b, given);
    attention.masks.push_back(nn::less(positions(node, nn::shapeOf(attention.k)[2], 1), keys));
    attention.mayHaveNoKey = true;
    earlier = keys - double(nn::shapeOf(attention.q)[2].factor);
  }
  int64_t before = node.integer("left_window_size", -1), after = node.integer("right_window_size", -1);
  if (node.integer("is_causal", 0) != 0)
    after = 0;
  if (before < -1 || after < -1)
    return node.error("a window size must be -1 or more, got " + Twine(std::min(before, after)));
  if ((before >= 0 || after >= 0) && !hideOutside(node, attention, earlier, before, after))
    return;
  Attended result = attend(node, attention);
  node.give(0, node.rank(0) == 3 ? joinHeads(node, result.mixed) : result.mixed);
  node.give(1, attention.k);
  node.give(2, attention.v);
  Value stages[] = {result.products, result.capped, result.masked, result.shares};
  int64_t mode = node.integer("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3)
    return node.error("qk_matmul_output_mode must be from 0 to 3, got " + Twine(mode));
  node.give(3, stages[mode]);
}

//===-- RotaryEmbedding ------------------------------------------------------------===//

/// Rows of a table of angles, one for each place: [batch, 1, places, half], or without batch.
static Value rowsOfCache(Node &node, int input, int positionIds, ArrayRef<nn::Dim> x, int64_t half) {
  Value cache = node.value(input);
  if (positionIds >= 0) {
    if (node.rank(input) != 2 || node.rank(positionIds) != 2) {
      node.error("expects a table of 2 dims and position_ids of shape [batch, places], got " +
                 nn::str(node.shape(input)) + " and " + nn::str(node.shape(positionIds)));
      return {};
    }
    nn::Dim rows = node.shape(input)[0];
    node.limitIndices(node.value(positionIds), rows.isStatic() ? -rows.factor : 0, rows);
    cache = node.make<nn::GatherOp>({cache, node.value(positionIds)}, node.attr("axis", int64_t(0)));
  }
  nn::Shape shape = cache ? nn::shapeOf(cache) : nn::Shape();
  if (!cache)
    return {};
  if (shape.size() != 3 || shape[2] != nn::Dim(half) || shape[1] != x[2] ||
      (shape[0] != x[0] && !shape[0].isOne())) {
    node.error("expects one row of " + Twine(half) + " angles for each place, got shape " + nn::str(shape) +
               " for input of shape " + nn::str(node.shape(0)));
    return {};
  }
  return node.reshape(cache, {shape[0], nn::Dim(1), shape[1], shape[2]});
}

static void rotaryEmbedding(Node &node) {
  int64_t heads = node.integer("num_heads", 0), rank = node.rank(0);
  if (rank != 3 && rank != 4)
    return node.error("expects input of 3 or 4 dims, got shape " + nn::str(node.shape(0)));
  Value x = rank == 3 ? splitHeads(node, node.value(0), heads, "num_heads") : node.value(0);
  if (!x)
    return;
  nn::Shape shape = nn::shapeOf(x);
  int64_t size = shape[3].isStatic() ? shape[3].factor : 0, rotated = node.integer("rotary_embedding_dim", 0);
  rotated = rotated == 0 ? size : rotated;
  if (rotated < 2 || rotated > size || rotated % 2 != 0)
    return node.error("expects an even number of rotated features, from 2 to the size of a head, got " +
                      Twine(rotated) + " and heads of shape " + nn::str(shape));
  int64_t half = rotated / 2, positionIds = node.has(3) ? 3 : -1;
  Value cos = rowsOfCache(node, 1, positionIds, shape, half);
  Value sin = cos ? rowsOfCache(node, 2, positionIds, shape, half) : Value();
  if (!cos || !sin)
    return;
  bool interleaved = node.integer("interleaved", 0) != 0;
  nn::Expr c(node.b, cos), s(node.b, sin);
  nn::Expr first(node.b, interleaved ? part(node, x, 1, 0, rotated - 1, 2) : part(node, x, 1, 0, half));
  nn::Expr second(node.b, interleaved ? part(node, x, 1, 1, rotated - 1, 2) : part(node, x, 1, half, half));
  nn::Expr firstByCos = first * c, secondBySin = second * s, firstBySin = first * s, secondByCos = second * c;
  Value real = firstByCos - secondBySin, imaginary = firstBySin + secondByCos, y;
  if (interleaved) {
    nn::Shape pair{shape[0], shape[1], shape[2], half, 1}, whole{shape[0], shape[1], shape[2], rotated};
    y = node.reshape(join(node, {node.reshape(real, pair), node.reshape(imaginary, pair)}, 1), whole);
  } else {
    y = join(node, {real, imaginary}, 1);
  }
  if (rotated < size)
    y = join(node, {y, part(node, x, 1, rotated, size - rotated)}, 1);
  node.give(0, rank == 3 ? joinHeads(node, y) : y);
}

static const char attentionAttributes[] =
    "is_causal kv_num_heads q_num_heads qk_matmul_output_mode scale softcap softmax_precision";

static const char windowedAttributes[] = "is_causal kv_num_heads q_num_heads qk_matmul_output_mode scale "
                                         "softcap softmax_precision left_window_size "
                                         "right_window_size";

static const Operator attentionOperators[] = {
    {"Attention", 23, attention, 3, 6, attentionAttributes},
    {"Attention", 24, attention, 3, 7, attentionAttributes},
    {"Attention", 25, attention, 3, 7, windowedAttributes},
    {"RotaryEmbedding", 23, rotaryEmbedding, 3, 4, "interleaved num_heads rotary_embedding_dim"},
};

ArrayRef<Operator> operatorsOfAttention() { return attentionOperators; }

} // namespace dlc::onnx
