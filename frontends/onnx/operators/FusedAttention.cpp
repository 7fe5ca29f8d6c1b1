//===- FusedAttention.cpp - attention that ONNX Runtime's optimizers write as one operator
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// com.microsoft.Attention multiplies its input with one matrix that holds those of queries, keys and values
// side by side; MultiHeadAttention gets them multiplied. A mask is a number of keys for each batch row, or
// says of each key whether it counts; a key that does not count has a lower score by mask_filter_value, not
// -infinity.
//===----------------------------------------------------------------------===//
#include "frontends/common/Attention.h"
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

using frontend::Attended, frontend::Attention;

/// Keys that count by their places: [batch] says how many, [2 * batch] where they end and then where they
/// begin.
static Value keysInRange(Node &node, nn::Expr mask, const nn::Dim &batch, const nn::Dim &keys) {
  nn::Expr place = positions(node, keys, 1);
  nn::Expr ends = nn::cast(mask, node.b.getI64Type());
  nn::Shape perRow{batch, 1, 1, 1};
  if (nn::shapeOf(mask.type())[0] == batch)
    return nn::less(place, {node.b, node.reshape(ends, perRow)});
  Value end = node.reshape(part(node, ends, 1, 0, batch.factor), perRow);
  Value begin = node.reshape(part(node, ends, 1, batch.factor, batch.factor), perRow);
  if (!begin || !end)
    return {};
  nn::Expr isBefore = nn::less(place, {node.b, end});
  return nn::logicalAnd(isBefore, nn::greaterEqual(place, {node.b, begin}));
}

/// Which keys count for which query, broadcast to the scores; null after an error.
static Value keysThatCount(Node &node, int input, const Attention &attention) {
  nn::Shape q = nn::shapeOf(attention.q), k = nn::shapeOf(attention.k), shape = node.shape(input);
  nn::Dim batch = q[0], keys = k[2];
  if (!isa<IntegerType>(node.elementType(input))) {
    node.error("expects integers in the mask '" + node.inputName(input) + "'");
    return {};
  }
  nn::Expr mask = node.expr(input);
  bool areEnds = shape.size() == 1 && shape[0] == batch,
       areRanges = shape.size() == 1 && batch.isStatic() && shape[0] == nn::Dim(2 * batch.factor);
  if (areEnds || areRanges)
    return keysInRange(node, mask, batch, keys);
  nn::Expr counts = nn::greater(mask, mask.scalar(0));
  if (shape.size() == 2 && shape[1] == keys)
    return node.reshape(counts, {shape[0], 1, 1, keys});
  if (shape.size() == 3 && shape[1] == q[2] && shape[2] == keys)
    return node.reshape(counts, {shape[0], 1, q[2], keys});
  // The cache covers all positions that there may be; the queries are the last of those that have keys.
  if (shape.size() == 4 && shape[1].isOne() && shape[2].isStatic() && shape[2] == shape[3] &&
      q[2].isStatic() && keys.isStatic() && q[2].factor <= keys.factor && keys.factor <= shape[2].factor) {
    Value rows = part(node, counts, 2, keys.factor - q[2].factor, q[2].factor);
    return rows ? part(node, rows, 1, 0, keys.factor) : Value();
  }
  node.error("expects a mask of shape [batch], [2 * batch], [batch, keys], [batch, queries, keys] or "
             "[batch, 1, places, places] for at least as many places as keys, got '" +
             node.inputName(input) + "' of shape " + nn::str(shape) + " for queries of shape " + nn::str(q) +
             " and keys of shape " + nn::str(k));
  return {};
}

/// What both operators know: a mask, numbers that are added to the scores, and causality.
struct Masks {
  int mask, bias; ///< inputs
};

/// Gives output 0; null keys or values pass through.
static void attendMasked(Node &node, Attention attention, Masks inputs) {
  if (!attention.q || !attention.k || !attention.v)
    return;
  if (double scale = node.number("scale", 0, 0); scale != 0)
    attention.scale = scale;
  Type type = nn::elementTypeOf(attention.q);
  if (node.has(inputs.mask)) {
    Value counts = keysThatCount(node, inputs.mask, attention);
    if (!counts)
      return;
    Value none = node.scalar(0, type), filter = node.scalar(node.number("mask_filter_value", -10000), type);
    attention.biases.push_back(nn::select({node.b, counts}, {node.b, none}, nn::Expr(node.b, filter)));
  }
  if (node.has(inputs.bias))
    attention.biases.push_back(node.value(inputs.bias));
  if (node.integer("unidirectional", 0) != 0) {
    nn::Dim queries = nn::shapeOf(attention.q)[2], keys = nn::shapeOf(attention.k)[2];
    if (queries.isStatic() && keys.isStatic() && keys.factor < queries.factor)
      return node.error("unidirectional attention needs a key for each query, got " + queries.str() +
                        " queries and " + keys.str() + " keys");
    nn::Expr earlier(node.b, node.scalar(double(keys.factor - queries.factor), node.b.getI64Type()));
    if (!hideOutside(node, attention, earlier, -1, 0))
      return;
  }
  node.give(0, joinHeads(node, attend(node, attention).mixed));
}

/// Keys or values of earlier calls before those of this one. `past` is [batch, heads, places, size].
static Value afterPast(Node &node, Value past, Value x) {
  if (!past || !x)
    return {};
  if (nn::tensorOf(past).getRank() == 4)
    return join(node, {past, x}, 2);
  node.error("expects keys and values of earlier calls of shape [batch, heads, places, size], got " +
             nn::str(nn::shapeOf(past)));
  return {};
}

/// Columns of queries, keys and values in the matrix; nullopt after an error.
static std::optional<SmallVector<int64_t>> widths(Node &node, const nn::Dim &all) {
  std::optional<SmallVector<int64_t>> given = node.integerList("qkv_hidden_sizes");
  if (!given && all.isStatic() && all.factor % 3 == 0)
    return SmallVector<int64_t>(3, all.factor / 3);
  if (given && given->size() == 3 && all.isStatic() &&
      llvm::all_of(*given, [](int64_t n) { return n > 0; }) &&
      (*given)[0] + (*given)[1] + (*given)[2] == all.factor)
    return given;
  node.error("expects a matrix with the columns of queries, keys and values" +
             Twine(given ? ", as many as qkv_hidden_sizes says" : "") + ", got " + nn::str(node.shape(1)));
  return std::nullopt;
}

/// Attributes that say how ONNX Runtime stores and rotates; only their absence is supported.
static bool hasUnsupported(Node &node, ArrayRef<StringRef> attributes) {
  for (StringRef name : attributes)
    if (node.integer(name, 0) != 0) {
      node.error("attribute '" + name + "' other than 0 is not supported");
      return true;
    }
  return false;
}

static void attention(Node &node) {
  if (hasUnsupported(node, {"do_rotary", "past_present_share_buffer"}))
    return;
  int64_t heads = node.integer("num_heads", 0);
  Value product = node.make<nn::MatMulOp>({node.value(0), node.value(1)});
  if (node.has(2))
    product = node.make<nn::AddOp>({product, node.value(2)});
  if (!product)
    return;
  std::optional<SmallVector<int64_t>> columns = widths(node, nn::shapeOf(product).back());
  if (!columns)
    return;
  int64_t q = (*columns)[0], k = (*columns)[1], v = (*columns)[2];
  Attention attention;
  attention.q = splitHeads(node, part(node, product, 1, 0, q), heads, "num_heads");
  if (!attention.q)
    return;
  attention.k = splitHeads(node, part(node, product, 1, q, k), heads, "num_heads");
  attention.v = splitHeads(node, part(node, product, 1, q + k, v), heads, "num_heads");
  if (node.has(4)) {
    nn::Shape past = node.shape(4);
    if (past.size() != 5 || past[0] != nn::Dim(2))
      return node.error("expects past of shape [2, batch, heads, places, size], got " + nn::str(past));
    ArrayRef<nn::Dim> each = ArrayRef<nn::Dim>(past).drop_front();
    attention.k = afterPast(node, node.reshape(part(node, node.value(4), 5, 0, 1), each), attention.k);
    attention.v = afterPast(node, node.reshape(part(node, node.value(4), 5, 1, 1), each), attention.v);
  }
  attendMasked(node, attention, {3, 5});
  if (!node.wants(1) || !attention.k || !attention.v)
    return;
  // Keys and values for the calls after this one: [2, batch, heads, places, size].
  SmallVector<Value> both;
  for (Value each : {attention.k, attention.v}) {
    nn::Shape shape = nn::shapeOf(each);
    shape.insert(shape.begin(), nn::Dim(1));
    both.push_back(node.reshape(each, shape));
  }
  node.give(1, join(node, both, 5));
}

static void multiHeadAttention(Node &node) {
  int64_t heads = node.integer("num_heads", 0), from = 0;
  Value parts[3];
  for (int i : {0, 1, 2}) {
    parts[i] = node.value(i);
    // Keys and values may have their heads already.
    if (i > 0 && node.rank(i) == 4)
      continue;
    nn::Dim width = node.rank(i) ? node.shape(i).back() : nn::Dim(0);
    if (node.has(3) && width.isStatic()) {
      parts[i] = node.make<nn::AddOp>({parts[i], part(node, node.value(3), 1, from, width.factor)});
      from += width.factor;
    }
    parts[i] = splitHeads(node, parts[i], heads, "num_heads");
    if (!parts[i])
      return;
  }
  if (node.has(6) != node.has(7))
    return node.error("past_key and past_value must be given together");
  if (node.has(6)) {
    parts[1] = afterPast(node, node.value(6), parts[1]);
    parts[2] = afterPast(node, node.value(7), parts[2]);
  }
  Attention attention;
  attention.q = parts[0];
  attention.k = parts[1];
  attention.v = parts[2];
  attendMasked(node, attention, {4, 5});
  node.give(1, parts[1]);
  node.give(2, parts[2]);
}

static const Operator fusedAttentionOperators[] = {
    {"com.microsoft.Attention", 1, attention, 2, 6,
     "num_heads unidirectional scale mask_filter_value qkv_hidden_sizes do_rotary past_present_share_buffer"},
    {"com.microsoft.MultiHeadAttention", 1, multiHeadAttention, 3, 8,
     "num_heads unidirectional scale mask_filter_value"},
};

ArrayRef<Operator> operatorsOfFusedAttention() { return fusedAttentionOperators; }

} // namespace dlc::onnx

