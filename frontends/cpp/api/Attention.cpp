//===- Attention.cpp - attention -----------------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention is a product of matrices, masks, a softmax and a product, as frontends/common/Attention.h
// composes them: the compiler makes one kernel of them, and knows a causal mask by the comparison of
// positions (compiler/forward/raise/Masks.h).
//===----------------------------------------------------------------------===//
#include "dlc/nn/attention.h"
#include "frontends/cpp/api/Attention.h"
#include "frontends/cpp/api/Dropout.h"
#include <algorithm>

namespace dlc {

namespace detail {

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
  if (!is_floating_point(q.dtype()) || k.dtype() != q.dtype() || v.dtype() != q.dtype())
    fail(std::string("attention: expected floating-point numbers of one dtype, got ") + name_of(q.dtype()) +
             " queries, " + name_of(k.dtype()) + " keys and " + name_of(v.dtype()) + " values",
         where);
  if (!attention.isGrouped)
    return;
  bool areHeads = q.dim() >= 3 && k.dim() == q.dim() && v.dim() == q.dim() && k.size(-3) == v.size(-3);
  if (!areHeads || !q.size(-3).is_static() || !k.size(-3).is_static() ||
      q.size(-3).factor % k.size(-3).factor)
    fail("attention: expected heads of keys and values that divide those of the queries" + found, where);
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

/// Which keys each query sees: those up to its own place.
static Tensor causalMask(const Attention &attention, const Where &where) {
  const int64_t rank = std::max(attention.q.dim(), attention.k.dim());
  Tensor key = positions(attention.k.size(-2), rank, 1, where),
         query = positions(attention.q.size(-2), rank, 2, where);
  return key <= query;
}

Attended attend(const Attention &attention, const Where &where) {
  At at(where);
  checkShapes(attention, where);
  requireProbability("dropout", attention.dropout, where);
  if (!attention.scale && !attention.q.size(-1).is_static())
    fail("attention: expected a known size of the heads, got " + str(attention.q.shape()), where);
  if (attention.isCausal && (!attention.q.size(-2).is_static() || !attention.k.size(-2).is_static()))
    fail("attention: expected known numbers of queries and keys where it is causal, got " +
             str(attention.q.shape()) + " and " + str(attention.k.shape()),
         where);
  auto idsOf = [](const std::vector<Tensor> &tensors) {
    std::vector<record::Id> ids;
    for (const Tensor &tensor : tensors)
      ids.push_back(tensor.id());
    return ids;
  };
  record::Attention parts{attention.q.id(),
                          attention.k.id(),
                          attention.v.id(),
                          idsOf(attention.biases),
                          idsOf(attention.masks),
                          attention.scale,
                          attention.isGrouped,
                          {},
                          {},
                          {}};
  // Where a row sees nothing, its shares and its gradient are zero.
  parts.mayHaveNoKey = !attention.masks.empty() || !attention.biases.empty();
  if (attention.isCausal)
    parts.lastMask = [&] { return causalMask(attention, where).id(); };
  if (attention.dropout > 0)
    parts.drop = [&](record::Id shares) { return drop(Tensor::of(shares), attention.dropout, where).id(); };
  const record::Attended attended = unwrap(record::Recorder::get().attend(parts, placeOf(where)), where);
  return {unlessNoGrad(Tensor::of(attended.values), where), unlessNoGrad(Tensor::of(attended.shares), where)};
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
