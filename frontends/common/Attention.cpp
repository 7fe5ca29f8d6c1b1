//===- Attention.cpp - attention, composed
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Attention.h"
#include <cmath>

using namespace mlir;

namespace dlc::frontend {

constexpr double infinity = std::numeric_limits<double>::infinity();

static Value exchangePlacesAndHeads(OpMaker &maker, Value x) {
  return maker.make<nn::TransposeOp>({x}, maker.attr("permutation", ArrayRef<int64_t>{0, 2, 1, 3}));
}

Value splitHeads(OpMaker &maker, Value x, int64_t heads, StringRef attribute) {
  if (!x)
    return {};
  nn::Shape shape = nn::shapeOf(x);
  if (shape.size() != 3 || heads < 1 || !shape[2].isStatic() || shape[2].factor % heads != 0) {
    maker.error(attribute + " must divide the last dim of [batch, places, features], got " + Twine(heads) +
                " heads and shape " + nn::str(shape));
    return {};
  }
  return exchangePlacesAndHeads(maker,
                                maker.reshape(x, {shape[0], shape[1], heads, shape[2].factor / heads}));
}

Value joinHeads(OpMaker &maker, Value x) {
  Value turned = exchangePlacesAndHeads(maker, x);
  if (!turned)
    return {};
  nn::Shape shape = nn::shapeOf(turned);
  return maker.reshape(turned, {shape[0], shape[1], shape[2] * shape[3]});
}

Value part(OpMaker &maker, Value x, int64_t fromBack, int64_t from, int64_t count, int64_t step) {
  return x ? maker.part(x, nn::shapeOf(x).size() - fromBack, from, from + count, step) : Value();
}

Value join(OpMaker &maker, ValueRange parts, int64_t fromBack) {
  if (llvm::is_contained(parts, Value()))
    return {};
  int64_t rank = nn::tensorOf(parts.front()).getRank();
  return maker.make<nn::ConcatOp>(parts, maker.attr("axis", rank - fromBack));
}

nn::Expr positions(OpMaker &maker, const nn::Dim &size, int64_t fromBack) {
  nn::Shape shape(4, nn::Dim(1));
  shape[4 - fromBack] = size;
  return {maker.b,
          nn::IotaOp::create(maker.b, nn::tensorType(shape, maker.b.getI64Type()), 4 - fromBack).getY()};
}

bool hideOutside(OpMaker &maker, Attention &attention, nn::Expr earlier, int64_t before, int64_t after) {
  nn::Dim queries = nn::shapeOf(attention.q)[2], keys = nn::shapeOf(attention.k)[2];
  if (!queries.isStatic() || !keys.isStatic()) {
    maker.error("attention that hides places needs known numbers of queries and keys, got " + queries.str() +
                " and " + keys.str());
    return false;
  }
  // A window that reaches over all places is as good, and far numbers would not fit.
  auto near = [](int64_t count) { return double(std::min(count, maxDim)); };
  nn::Expr query = positions(maker, queries, 2) + earlier, key = positions(maker, keys, 1);
  if (after >= 0)
    attention.masks.push_back(nn::lessEqual(key, after == 0 ? query : query + near(after)));
  if (before >= 0)
    attention.masks.push_back(nn::lessEqual(query, key + near(before)));
  // Without earlier keys, each query has at least its own.
  attention.mayHaveNoKey |= before >= 0 && queries.factor > keys.factor;
  return true;
}

/// Whether the shapes fit each other; says what does not.
static bool check(OpMaker &maker, const Attention &attention) {
  if (!attention.q || !attention.k || !attention.v)
    return false;
  nn::Shape q = nn::shapeOf(attention.q), k = nn::shapeOf(attention.k), v = nn::shapeOf(attention.v);
  std::string found = nn::str(q) + " of queries, " + nn::str(k) + " of keys and " + nn::str(v) + " of values";
  if (q.size() != 4 || k.size() != 4 || v.size() != 4 || q[0] != k[0] || q[0] != v[0] || k[1] != v[1] ||
      k[2] != v[2] || q[3] != k[3])
    maker.error(
        "expects queries, keys and values that fit each other, of shapes [batch, heads, places, size], "
        "got " +
        found);
  else if (!q[1].isStatic() || !k[1].isStatic() || k[1].factor < 1 || q[1].factor % k[1].factor != 0)
    maker.error("the heads of keys and values must divide those of queries, got " + found);
  else if (!q[3].isStatic())
    maker.error("expects a known size of the heads, got " + found);
  else
    return true;
  return false;
}

/// Whether a mask is stretched to the scores, and not the scores to the mask; says what does not fit.
static bool fits(OpMaker &maker, Value mask, ArrayRef<nn::Dim> scores) {
  nn::Shape shape = nn::shapeOf(mask);
  std::optional<nn::Shape> both = nn::broadcast(shape, scores);
  if (both && ArrayRef<nn::Dim>(*both) == scores)
    return true;
  maker.error("a mask of shape " + nn::str(shape) + " does not fit scores of shape " + nn::str(scores));
  return false;
}

Attended attend(OpMaker &maker, const Attention &attention) {
  return check(maker, attention) ? attendChecked(maker, attention) : Attended();
}

Attended attendChecked(OpMaker &maker, const Attention &attention) {
  nn::Shape q = nn::shapeOf(attention.q), k = nn::shapeOf(attention.k), v = nn::shapeOf(attention.v);
  const size_t places = q.size() - 2; // heads stand before them
  // Keys and values are repeated for the queries that share them: scores of all heads in one form are what
  // becomes one kernel with the products around.
  auto repeated = [&](Value x, nn::Shape shape) {
    if (!attention.sharesHeads || q[places - 1] == k[places - 1])
      return x;
    nn::Shape one = shape, each = shape, all = shape;
    one.insert(one.begin() + places, nn::Dim(1));
    each.insert(each.begin() + places, nn::Dim(q[places - 1].factor / k[places - 1].factor));
    all[places - 1] = q[places - 1];
    return maker.reshape(maker.expand(maker.reshape(x, one), each), all);
  };
  Value products =
      maker.make<nn::MatMulOp>({attention.q, repeated(attention.k, k)}, maker.flag("transpose_b"));
  if (!products)
    return {};
  Attended result;
  nn::Expr scores =
      nn::Expr(maker.b, products) * attention.scale.value_or(1 / std::sqrt(double(q.back().factor)));
  result.products = scores;
  if (attention.softcap > 0)
    scores = attention.softcap * nn::tanh(scores / attention.softcap);
  Value masked = result.capped = scores;
  nn::Shape shape = nn::shapeOf(products);
  for (Value mask : llvm::concat<const Value>(attention.biases, attention.masks))
    if (!fits(maker, mask, shape))
      return {};
  for (Value bias : attention.biases)
    masked = maker.make<nn::AddOp>({masked, bias});
  auto hide = [&](Value mask) {
    masked = maker.make<nn::SelectOp>({mask, masked, maker.scalar(-infinity, scores.elementType())});
  };
  for (Value mask : attention.masks)
    hide(mask);
  if (attention.lastMask)
    hide(attention.lastMask());
  if (!masked)
    return {};
  result.masked = masked;
  nn::Expr logits(maker.b, masked);
  if (attention.precision)
    logits = nn::cast(logits, attention.precision);
  SmallVector<NamedAttribute> settings{maker.attr("axis", int64_t(shape.size() - 1))};
  if (attention.mayHaveNoKey)
    settings.push_back(maker.flag("empty_to_zero"));
  nn::Expr shares(maker.b, maker.make<nn::SoftmaxOp>({logits}, settings));
  shares = nn::cast(shares, scores.elementType());
  if (attention.drop)
    shares = {maker.b, attention.drop(shares)};
  result.shares = shares;
  result.mixed = maker.make<nn::MatMulOp>({shares, repeated(attention.v, v)});
  return result;
}

} // namespace dlc::frontend
