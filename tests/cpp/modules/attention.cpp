// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Attention and layers of transformers. PyTorch's modules take masks of what does not count.
#include "tests/cpp/modules/cases.h"

using namespace cases;

static void addProducts(Cases &c) {
  c.add("lambda q, k, v: F.scaled_dot_product_attention(q, k, v)",
        {{{2, 3, 4, 5}}, {{2, 3, 6, 5}}, {{2, 3, 6, 2}}},
        [](auto &x) { return F::scaled_dot_product_attention(x[0], x[1], x[2]); });
  c.add("lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)",
        {{{2, 1, 5, 3}}, {{2, 1, 5, 3}}, {{2, 1, 5, 3}}},
        [](auto &x) { return F::scaled_dot_product_attention(x[0], x[1], x[2], {.is_causal = true}); });
  c.add("lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.3)",
        {{{3, 4, 1}}, {{3, 6, 1}}, {{3, 6, 2}}}, [](auto &x) {
          return F::scaled_dot_product_attention(x[0], x[1], x[2], {.is_causal = true, .scale = 0.3});
        });
  c.add("lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m)",
        {{{2, 2, 4, 3}}, {{2, 2, 3, 3}}, {{2, 2, 3, 3}}, {{4, 3}, Kind::Truth}},
        [](auto &x) { return F::scaled_dot_product_attention(x[0], x[1], x[2], {.attn_mask = x[3]}); });
  c.add("lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m)",
        {{{2, 2, 4, 3}}, {{2, 2, 1, 3}}, {{2, 2, 1, 3}}, {{2, 1, 4, 1}, Kind::Truth}}, // some see nothing
        [](auto &x) { return F::scaled_dot_product_attention(x[0], x[1], x[2], {.attn_mask = x[3]}); });
  c.add("lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m)",
        {{{2, 4, 3}}, {{2, 5, 3}}, {{2, 5, 3}}, {{2, 1, 5}}},
        [](auto &x) { return F::scaled_dot_product_attention(x[0], x[1], x[2], {.attn_mask = x[3]}); });
  c.add("lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)",
        {{{2, 6, 4, 3}}, {{2, 2, 4, 3}}, {{2, 2, 4, 3}}}, [](auto &x) {
          return F::scaled_dot_product_attention(x[0], x[1], x[2], {.is_causal = true, .enable_gqa = true});
        });
}

static void addModules(Cases &c) {
  auto attend = [](auto masks) {
    return [=](nn::MultiheadAttention &m, std::vector<Tensor> &x) { return m(x[0], x[0], x[0], masks(x)); };
  };
  auto none = [](auto &) { return nn::AttentionMasks(); };
  c.add("nn.MultiheadAttention(6, 2)", "m(x[0], x[0], x[0], need_weights=False)[0]",
        nn::MultiheadAttention(6, 2), {{{5, 3, 6}}}, attend(none));
  c.add("nn.MultiheadAttention(4, 4, bias=False, batch_first=True)",
        "m(x[0], x[0], x[0], need_weights=False)[0]",
        nn::MultiheadAttention(4, 4, {.bias = false, .batch_first = true}), {{{2, 3, 4}}}, attend(none));
  c.add("nn.MultiheadAttention(3, 1)", "m(x[0], x[0], x[0], need_weights=False)[0]",
        nn::MultiheadAttention(3, 1), {{{4, 3}}}, attend(none));
  c.add(
      "nn.MultiheadAttention(6, 3, batch_first=True)",
      "m(x[0], x[0], x[0], need_weights=False, attn_mask=torch.ones(4, 4).triu(1).bool(), is_causal=True)[0]",
      nn::MultiheadAttention(6, 3, {.batch_first = true}), {{{2, 4, 6}}},
      attend([](auto &) { return nn::AttentionMasks{.is_causal = true}; }));
  c.add("nn.MultiheadAttention(4, 2)", "m(x[0], x[1], x[2], need_weights=False)[0]",
        nn::MultiheadAttention(4, 2), {{{3, 2, 4}}, {{5, 2, 4}}, {{5, 2, 4}}},
        [](auto &m, std::vector<Tensor> &x) { return m(x[0], x[1], x[2]); });
  c.add("nn.MultiheadAttention(4, 2, kdim=3, vdim=5, batch_first=True)",
        "m(x[0], x[1], x[2], need_weights=False, key_padding_mask=x[3])[0]",
        nn::MultiheadAttention(4, 2, {.kdim = 3, .vdim = 5, .batch_first = true}),
        {{{2, 3, 4}}, {{2, 6, 3}}, {{2, 6, 5}}, {{2, 6}}},
        [](auto &m, std::vector<Tensor> &x) { return m(x[0], x[1], x[2], {.key_padding_mask = x[3]}); });
  c.add("nn.MultiheadAttention(4, 2)",
        "m(x[0], x[1], x[1], need_weights=False, key_padding_mask=~x[2], attn_mask=~x[3])[0]",
        nn::MultiheadAttention(4, 2),
        {{{3, 2, 4}}, {{5, 2, 4}}, {{2, 5}, Kind::Truth}, {{4, 3, 5}, Kind::Truth}},
        [](auto &m, std::vector<Tensor> &x) {
          return m(x[0], x[1], x[1], {.key_padding_mask = !x[2], .attn_mask = !x[3]});
        });
}

/// The results and how much each key counted, one behind the other.
static Tensor both(const nn::AttentionResult &result) {
  return cat({result.output.flatten(), result.weights.flatten()});
}

static void addWeights(Cases &c) {
  c.add("nn.MultiheadAttention(4, 2)", "cat(m(x[0], x[1], x[1]))", nn::MultiheadAttention(4, 2),
        {{{3, 2, 4}}, {{5, 2, 4}}},
        [](auto &m, std::vector<Tensor> &x) { return both(m.run(x[0], x[1], x[1])); });
  c.add("nn.MultiheadAttention(6, 3, batch_first=True)",
        "cat(m(x[0], x[1], x[1], attn_mask=~x[2], average_attn_weights=False))",
        nn::MultiheadAttention(6, 3, {.batch_first = true}),
        {{{2, 4, 6}}, {{2, 3, 6}}, {{4, 3}, Kind::Truth}}, [](auto &m, std::vector<Tensor> &x) {
          return both(m.run(x[0], x[1], x[1], {.attn_mask = !x[2]}, false));
        });
  c.add("nn.MultiheadAttention(3, 1)", "cat(m(x[0], x[0], x[0]))", nn::MultiheadAttention(3, 1), {{{4, 3}}},
        [](auto &m, std::vector<Tensor> &x) { return both(m.run(x[0], x[0], x[0])); });
  c.add("nn.MultiheadAttention(4, 2, add_bias_kv=True)", "cat(m(x[0], x[1], x[1], key_padding_mask=~x[2]))",
        nn::MultiheadAttention(4, 2, {.add_bias_kv = true}),
        {{{3, 2, 4}}, {{5, 2, 4}}, {{2, 5}, Kind::Truth}}, [](auto &m, std::vector<Tensor> &x) {
          return both(m.run(x[0], x[1], x[1], {.key_padding_mask = !x[2]}));
        });
  c.add("nn.MultiheadAttention(2, 1, add_zero_attn=True, batch_first=True)",
        "m(x[0], x[0], x[0], attn_mask=x[1], need_weights=False)[0]",
        nn::MultiheadAttention(2, 1, {.add_zero_attn = true, .batch_first = true}), {{{2, 3, 2}}, {{3, 3}}},
        [](auto &m, std::vector<Tensor> &x) { return m(x[0], x[0], x[0], {.attn_mask = x[1]}); });
  c.add("nn.MultiheadAttention(6, 2, add_bias_kv=True, add_zero_attn=True, kdim=3, vdim=2, bias=False)",
        "m(x[0], x[1], x[2])[0]",
        nn::MultiheadAttention(
            6, 2, {.bias = false, .add_bias_kv = true, .add_zero_attn = true, .kdim = 3, .vdim = 2}),
        {{{2, 1, 6}}, {{4, 1, 3}}, {{4, 1, 2}}},
        [](auto &m, std::vector<Tensor> &x) { return m(x[0], x[1], x[2]); });
}

static Program attention(DType dtype) {
  Cases c(dtype);
  addProducts(c);
  addModules(c);
  addWeights(c);
  return c.program();
}

DLC_MODEL(attention) { return attention(float64); }
DLC_MODEL(attention32) { return attention(float32); }
