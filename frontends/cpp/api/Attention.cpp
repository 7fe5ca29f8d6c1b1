//===- Attention.cpp - attention -----------------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention is a product of matrices, masks, a softmax and a product: the compiler makes one kernel of them,
// and knows a causal mask by the comparison of positions (compiler/forward/raise/Masks.h).
//===----------------------------------------------------------------------===//
#include "dlc/nn/attention.h"
#include "frontends/cpp/api/Attention.h"
#include "frontends/cpp/api/Dropout.h"
#include <cmath>
#include <limits>

namespace dlc {

namespace detail {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The numbers of a dim of `rank` dims, counted from the end.
static Tensor positions(const Dim &size, int64_t rank, int64_t fromBack, const Where &where) {
  Shape shape(rank, Dim(1));
  shape[rank - fromBack] = size;
  return apply("nn.iota", {}, {{"axis", rank - fromBack}}, where, {{shape, int64}});
}

static void checkShapes(const Attention &attention, const Where &where) {
  const Tensor &q = attention.q, &k = attention.k, &v = attention.v;
  std::string found = ", got " + str(q.shape()) + " of queries, " + str(k.shape()) + " of keys and " +
                      str(v.shape()) + " of values";
  if (q.dim() < 2 || k.dim() < 2 || v.dim() < 2 || q.size(-1) != k.size(-1) || k.size(-2) != v.size(-2))
    fail("attention: expected queries [..., queries, size], keys [..., keys, size] and values [..., keys, "
         "size]" +
             found,
         where);
  if (!attention.isGrouped)
    return;
  bool areHeads = q.dim() >= 3 && k.dim() == q.dim() && v.dim() == q.dim() && k.size(-3) == v.size(-3);
  if (!areHeads || !q.size(-3).is_static() || !k.size(-3).is_static() ||
      q.size(-3).factor % k.size(-3).factor)
    fail("attention: expected heads of keys and values that divide those of the queries" + found, where);
}

/// [..., heads, rows, size] as [..., heads * each, rows, size], each head so many times.
static Tensor repeated(const Tensor &x, int64_t each) {
  if (each == 1)
    return x;
  Tensor apart = x.unsqueeze(-3);
  Shape shape = apart.shape();
  shape[shape.size() - 3] = each;
  return apart.expand(shape).flatten(x.dim() - 3, x.dim() - 2);
}

void addMask(Attention &attention, const char *name, const Tensor &mask, bool hides, const Where &where) {
  if (mask.dtype() == boolean)
    attention.masks.push_back(hides ? !mask : mask);
  else if (mask.dtype() == attention.q.dtype())
    attention.biases.push_back(mask);
  else
    fail(std::string(name) + ": expected truth values, or " + name_of(attention.q.dtype()) +
             " that is added to the scores, got " + name_of(mask.dtype()) +
             "; a mask of ones and zeros is compared with 0 first",
         where);
}

/// Masks are stretched to the scores, not the scores to a mask.
static void checkFit(const Tensor &mask, const Tensor &scores, const Where &where) {
  bool fits = mask.dim() <= scores.dim();
  for (int64_t dim = 1; fits && dim <= mask.dim(); ++dim)
    fits = mask.size(-dim) == scores.size(-dim) || mask.size(-dim) == Dim(1);
  if (!fits)
    fail("attention: expected masks that fit scores of shape " + str(scores.shape()) + ", got one of shape " +
             str(mask.shape()),
         where);
}

Attended attend(const Attention &attention, const Where &where) {
  At at(where);
  checkShapes(attention, where);
  const Tensor &q = attention.q;
  // Scores of all heads in one form are what becomes one kernel with the products around.
  int64_t each = attention.isGrouped ? q.size(-3).factor / attention.k.size(-3).factor : 1;
  Tensor k = repeated(attention.k, each), v = repeated(attention.v, each);
  if (!attention.scale && !q.size(-1).is_static())
    fail("attention: expected a known size of the heads, got " + str(q.shape()), where);
  Tensor scores = apply("nn.matmul", {q, k}, {{"transpose_b", true}}, where) *
                  attention.scale.value_or(1 / std::sqrt(double(q.size(-1).factor))),
         logits = scores;
  for (const Tensor &bias : attention.biases) {
    checkFit(bias, scores, where);
    logits = logits + bias;
  }
  for (const Tensor &mask : attention.masks) {
    checkFit(mask, scores, where);
    logits = dlc::where(mask, logits, -infinity);
  }
  if (attention.isCausal) {
    if (!q.size(-2).is_static() || !k.size(-2).is_static())
      fail("attention: expected known numbers of queries and keys where it is causal, got " + str(q.shape()) +
               " and " + str(k.shape()),
           where);
    Tensor isSeen =
        positions(k.size(-2), logits.dim(), 1, where) <= positions(q.size(-2), logits.dim(), 2, where);
    logits = dlc::where(isSeen, logits, -infinity);
  }
  // Where a row sees nothing, its shares and its gradient are zero.
  bool mayBeEmpty = !attention.masks.empty() || !attention.biases.empty();
  Tensor shares =
      apply("nn.softmax", {logits}, {{"axis", logits.dim() - 1}, {"empty_to_zero", mayBeEmpty}}, where);
  shares = drop(shares, attention.dropout, where);
  return {apply("nn.matmul", {shares, v}, {}, where), shares};
}

} // namespace detail

namespace nn {
using namespace detail;

Tensor functional::scaled_dot_product_attention(const Tensor &q, const Tensor &k, const Tensor &v,
                                                AttentionOptions options, Where where) {
  Attention attention{
      q, k, v, {}, {}, options.is_causal, options.enable_gqa, options.scale, options.dropout_p};
  if (options.attn_mask.defined() && options.is_causal)
    fail("scaled_dot_product_attention: expected attn_mask or is_causal, got both", where);
  if (options.attn_mask.defined())
    addMask(attention, "attn_mask", options.attn_mask, false, where);
  return attend(attention, where).values;
}

} // namespace nn
} // namespace dlc
