//===- Attention.cpp - attention
//---------------------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention is a product of matrices, masks, a softmax and a product: the compiler makes one kernel of them,
// and knows a causal mask by the comparison of positions (compiler/forward/raise/Masks.h).
//===----------------------------------------------------------------------===//
#include "dlc/nn/attention.h"
#include "dlc/nn/init.h"
#include "frontends/cpp/api/Attention.h"
#include "frontends/cpp/api/Init.h"
#include "frontends/cpp/api/ModuleState.h"
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

/// [..., heads, rows, size] as [..., heads / each, each, rows, size].
static Tensor inGroups(const Tensor &x, int64_t each) {
  Shape shape = x.shape();
  shape[shape.size() - 3] = shape[shape.size() - 3] / Dim(each);
  shape.insert(shape.end() - 2, Dim(each));
  return x.reshape(shape);
}
static Tensor withoutGroups(const Tensor &x) { return x.flatten(x.dim() - 4, x.dim() - 3); }

Tensor attend(const Attention &attention, const Where &where) {
  At at(where);
  checkShapes(attention, where);
  const Tensor &q = attention.q, &k = attention.k, &v = attention.v;
  int64_t each = attention.isGrouped ? q.size(-3).factor / k.size(-3).factor : 1;
  auto product = [&](const Tensor &a, const Tensor &b, bool transpose) {
    if (each == 1)
      return apply("nn.matmul", {a, b}, {{"transpose_b", transpose}}, where);
    return withoutGroups(
        apply("nn.matmul", {inGroups(a, each), inGroups(b, 1)}, {{"transpose_b", transpose}}, where));
  };
  if (!attention.scale && !q.size(-1).is_static())
    fail("attention: expected a known size of the heads, got " + str(q.shape()), where);
  Tensor scores = product(q, k, true) * attention.scale.value_or(1 / std::sqrt(double(q.size(-1).factor))),
         logits = scores;
  for (const Tensor &bias : attention.biases)
    logits = logits + bias;
  for (const Tensor &mask : attention.masks)
    logits = dlc::where(mask, logits, -infinity);
  if (attention.isCausal) {
    if (!q.size(-2).is_static() || !k.size(-2).is_static())
      fail("attention: expected known numbers of queries and keys where it is causal, got " + str(q.shape()) +
               " and " + str(k.shape()),
           where);
    Tensor isSeen =
        positions(k.size(-2), logits.dim(), 1, where) <= positions(q.size(-2), logits.dim(), 2, where);
    logits = dlc::where(isSeen, logits, -infinity);
  }
  if (logits.shape() != scores.shape())
    fail("attention: expected masks that fit scores of shape " + str(scores.shape()) +
             ", got a result of shape " + str(logits.shape()),
         where);
  Tensor shares;
  if (attention.masks.empty() && attention.biases.empty()) {
    shares = logits.softmax(-1);
  } else {
    // Where a row sees nothing, each gradient is zero.
    Tensor sees = logits.amax(-1, /*keepdim=*/true) > -infinity;
    shares = dlc::where(sees, dlc::where(sees, logits, 0.0).softmax(-1), 0.0);
  }
  return product(drop(shares, attention.dropout, where), v, false);
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
    (options.attn_mask.dtype() == boolean ? attention.masks : attention.biases).push_back(options.attn_mask);
  return attend(attention, where);
}

/// A Linear that prints as PyTorch's of this place.
static Linear outProjection(int64_t size, bool bias, const Where &where) {
  Linear out(size, size, bias, where);
  out.state().type = "NonDynamicallyQuantizableLinear";
  if (bias)
    init::zeros_(out.parameter("bias"), where);
  return out;
}

MultiheadAttention::MultiheadAttention(int64_t embed_dim, int64_t num_heads,
                                       MultiheadAttentionOptions options, Where where)
    : embed(embed_dim), count(num_heads), kdim(options.kdim.value_or(embed_dim)),
      vdim(options.vdim.value_or(embed_dim)), options(options),
      out(outProjection(embed_dim, options.bias, where)) {
  At at(where);
  requirePositive("num_heads", num_heads, where);
  requirePositive("kdim", kdim, where);
  requirePositive("vdim", vdim, where);
  if (embed % count)
    fail("num_heads: expected a divisor of embed_dim, got " + std::to_string(count) +
             " heads and embed_dim " + std::to_string(embed),
         where);
  if (kdim == embed && vdim == embed) {
    register_parameter("in_proj_weight", xavierUniformTensor({3 * embed, embed}, where), where);
  } else {
    register_parameter("q_proj_weight", xavierUniformTensor({embed, embed}, where), where);
    register_parameter("k_proj_weight", xavierUniformTensor({embed, kdim}, where), where);
    register_parameter("v_proj_weight", xavierUniformTensor({embed, vdim}, where), where);
  }
  if (options.bias)
    register_parameter("in_proj_bias", filledTensor({3 * embed}, 0, where), where);
  register_module("out_proj", out, where);
}

/// [batch, heads, places, size]
Tensor MultiheadAttention::heads(const Tensor &x) const {
  Shape shape = x.shape();
  Tensor split = x.reshape({shape[0], shape[1], count, embed / count});
  return options.batch_first ? split.permute({0, 2, 1, 3}) : split.permute({1, 2, 0, 3});
}

Tensor MultiheadAttention::operator()(const Tensor &query, const Tensor &key, const Tensor &value,
                                      AttentionMasks masks, Where where) {
  Scope scope(*this, where);
  return forward(query, key, value, std::move(masks));
}

/// Rows [from, to) of a matrix or a vector.
static Tensor rows(const Tensor &x, int64_t from, int64_t to) { return x.slice(0, {from, to}); }

Tensor MultiheadAttention::forward(Tensor query, Tensor key, Tensor value, AttentionMasks masks) {
  Where where = caller();
  At at(where);
  bool isAlone = query.dim() == 2, isSelf = query.id() == key.id() && key.id() == value.id();
  int64_t batchDim = options.batch_first ? 0 : 1;
  for (const auto &[x, size, name] :
       {std::tuple(query, embed, "query"), std::tuple(key, kdim, "key"), std::tuple(value, vdim, "value")})
    if (x.dim() != (isAlone ? 2 : 3) || x.size(-1) != Dim(size))
      fail(std::string("MultiheadAttention: expected a ") + name + " of 2 or 3 dims like the query with " +
               std::to_string(size) + " features, got " + str(x.shape()),
           where);
  if (isAlone) {
    for (Tensor *x : {&query, &key, &value})
      *x = x->unsqueeze(batchDim);
    if (masks.key_padding_mask.defined())
      masks.key_padding_mask = masks.key_padding_mask.unsqueeze(0);
  }
  Tensor bias = options.bias ? parameter("in_proj_bias") : Tensor();
  // Inputs and weights, of which several may be one product.
  auto project = [&](const Tensor &x, const Tensor &weight, int64_t from, int64_t to) {
    Tensor y = apply("nn.matmul", {x, weight}, {{"transpose_b", true}}, where);
    return bias.defined() ? y + rows(bias, from, to) : y;
  };
  Tensor q, k, v;
  if (isSelf && kdim == embed && vdim == embed) {
    Tensor all = project(query, parameter("in_proj_weight"), 0, 3 * embed);
    q = all.slice(-1, {0, embed});
    k = all.slice(-1, {embed, 2 * embed});
    v = all.slice(-1, {2 * embed, 3 * embed});
  } else {
    bool isPacked = kdim == embed && vdim == embed;
    auto weight = [&](int64_t i, const char *name) {
      return isPacked ? rows(parameter("in_proj_weight"), i * embed, (i + 1) * embed) : parameter(name);
    };
    q = project(query, weight(0, "q_proj_weight"), 0, embed);
    k = project(key, weight(1, "k_proj_weight"), embed, 2 * embed);
    v = project(value, weight(2, "v_proj_weight"), 2 * embed, 3 * embed);
  }
  Attention attention{heads(q), heads(k), heads(v), {}, {}, masks.is_causal};
  attention.dropout = is_training() ? options.dropout : 0;
  auto add = [&](const Tensor &mask) {
    if (mask.dtype() == boolean)
      attention.masks.push_back(!mask);
    else
      attention.biases.push_back(mask);
  };
  Dim batch = query.size(batchDim), keys = k.size(options.batch_first ? 1 : 0);
  if (masks.attn_mask.defined()) {
    Tensor mask = masks.attn_mask;
    add(mask.dim() == 3 ? mask.reshape({batch, count, mask.size(1), mask.size(2)}) : mask);
  }
  if (masks.key_padding_mask.defined())
    add(masks.key_padding_mask.reshape({batch, 1, 1, keys}));
  Tensor mixed = attend(attention, where);
  Tensor turned = options.batch_first ? mixed.permute({0, 2, 1, 3}) : mixed.permute({2, 0, 1, 3});
  Tensor y = out(turned.reshape({turned.size(0), turned.size(1), embed}), where);
  return isAlone ? y.squeeze(batchDim) : y;
}

} // namespace nn
} // namespace dlc
