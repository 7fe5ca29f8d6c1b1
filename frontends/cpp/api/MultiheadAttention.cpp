//===- MultiheadAttention.cpp - attention of several heads
//-----------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/nn/attention.h"
#include "dlc/nn/init.h"
#include "frontends/cpp/api/Attention.h"
#include "frontends/cpp/api/Init.h"
#include "frontends/cpp/api/ModuleState.h"
#include <cmath>

namespace dlc::nn {
using namespace detail;

/// A Linear that prints as PyTorch's of this place.
static Linear outProjection(int64_t size, bool bias, const Where &where) {
  Linear out(size, size, {.bias = bias}, where);
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
  for (const char *name : {"bias_k", "bias_v"})
    if (options.add_bias_kv) // as xavier_normal_ has it
      register_parameter(name, normalTensor({1, 1, embed}, std::sqrt(1 / double(embed)), where), where);
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
  return dlc::detail::called(*this, where, query, key, value, masks);
}

AttentionResult MultiheadAttention::run(const Tensor &query, const Tensor &key, const Tensor &value,
                                        AttentionMasks masks, bool average_attn_weights, Where where) {
  Scope scope(*this, where);
  refuseHooks(*this, where);
  AttentionResult result = compute(query, key, value, std::move(masks));
  At at(where);
  if (average_attn_weights)
    result.weights = result.weights.mean(-3);
  return result;
}

Tensor MultiheadAttention::forward(Tensor query, Tensor key, Tensor value, AttentionMasks masks) {
  return compute(query, key, value, std::move(masks)).output;
}

/// Rows [from, to) of a matrix or a vector.
static Tensor rows(const Tensor &x, int64_t from, int64_t to) { return x.slice(0, {from, to}); }

AttentionResult MultiheadAttention::compute(Tensor query, Tensor key, Tensor value, AttentionMasks masks) {
  Where where = caller();
  At at(where);
  bool isAlone = query.dim() == 2, isSelf = query.id() == key.id() && key.id() == value.id();
  int64_t batchDim = options.batch_first ? 0 : 1;
  for (const auto &[x, size, name] :
       {std::tuple(query, embed, "query"), std::tuple(key, kdim, "key"), std::tuple(value, vdim, "value")})
    if (x.dim() != (isAlone ? 2 : 3) || x.size(-1) != Dim(size))
      fail(std::string("MultiheadAttention: expected a ") + name + " of " +
               (x.id() == query.id() ? "2 or 3"
                : isAlone            ? "2"
                                     : "3") +
               " dims, of which the last one has " + std::to_string(size) + " features, got " +
               str(x.shape()),
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
  auto append = [&](const Tensor &row, Tensor &x) { // one more place for all of the batch
    Shape shape = x.shape();
    shape[1 - batchDim] = 1;
    x = cat({x, row.expand(shape)}, 1 - batchDim);
  };
  auto appendToAll = [&](const Tensor &keyRow, const Tensor &valueRow) {
    if (masks.is_causal)
      fail("MultiheadAttention: is_causal does not say whether queries see what add_bias_kv and "
           "add_zero_attn append; expected attn_mask",
           where);
    append(keyRow, k);
    append(valueRow, v);
    for (Tensor *mask : {&masks.attn_mask, &masks.key_padding_mask})
      if (mask->defined()) { // it is seen
        Shape shape = mask->shape();
        shape.back() = 1;
        *mask = cat({*mask, full(shape, 0, mask->dtype())}, -1);
      }
  };
  if (options.add_bias_kv)
    appendToAll(parameter("bias_k"), parameter("bias_v"));
  if (options.add_zero_attn)
    appendToAll(full({1, 1, embed}, 0, k.dtype()), full({1, 1, embed}, 0, v.dtype()));
  Attention attention{heads(q), heads(k), heads(v), {}, {}, masks.is_causal};
  attention.dropout = is_training() ? options.dropout : 0;
  Dim batch = query.size(batchDim), keys = k.size(1 - batchDim);
  if (masks.attn_mask.defined()) {
    Tensor mask = masks.attn_mask;
    if (mask.dim() != 2 && (mask.dim() != 3 || mask.size(0) != batch * Dim(count)))
      fail("attn_mask: expected shape [queries, keys] or [batch * heads, queries, keys], got " +
               str(mask.shape()) + " for a batch of " + batch.str() + " and " + std::to_string(count) +
               " heads",
           where);
    mask = mask.dim() == 3 ? mask.reshape({batch, count, mask.size(1), mask.size(2)}) : mask;
    addMask(attention, "attn_mask", mask, true, where);
  }
  if (masks.key_padding_mask.defined()) {
    const Tensor &mask = masks.key_padding_mask;
    if (mask.shape() != Shape{batch, keys})
      fail("key_padding_mask: expected shape [batch, keys], which is " + str(Shape{batch, keys}) + ", got " +
               str(mask.shape()),
           where);
    addMask(attention, "key_padding_mask", mask.reshape({batch, 1, 1, keys}), true, where);
  }
  auto [mixed, shares] = attend(attention, where);
  Tensor turned = options.batch_first ? mixed.permute({0, 2, 1, 3}) : mixed.permute({2, 0, 1, 3});
  Tensor y = out(turned.reshape({turned.size(0), turned.size(1), embed}), where);
  return isAlone ? AttentionResult{y.squeeze(batchDim), shares.squeeze(0)} : AttentionResult{y, shares};
}

} // namespace dlc::nn
