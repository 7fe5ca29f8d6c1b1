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

static void addLayers(Cases &c) {
  c.add("nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0)",
        nn::TransformerEncoderLayer(4, 2, {.dim_feedforward = 6, .dropout = 0}), {{{3, 2, 4}}});
  c.add("nn.TransformerEncoderLayer(6, 3, 5, dropout=0.0, activation='gelu', batch_first=True, "
        "norm_first=True)",
        nn::TransformerEncoderLayer(6, 3,
                                    {.dim_feedforward = 5,
                                     .dropout = 0,
                                     .activation = "gelu",
                                     .batch_first = true,
                                     .norm_first = true}),
        {{{2, 4, 6}}});
  c.add("nn.TransformerEncoderLayer(4, 1, 3, layer_norm_eps=0.01, bias=False).eval().requires_grad_()",
        "m(x[0], src_mask=torch.ones(5, 5).triu(1).bool(), is_causal=True)",
        evaluated(
            nn::TransformerEncoderLayer(4, 1, {.dim_feedforward = 3, .layer_norm_eps = 0.01, .bias = false})),
        {{{5, 1, 4}}}, [](auto &m, std::vector<Tensor> &x) { return m(x[0], {.is_causal = true}); });
  c.add("nn.TransformerDecoderLayer(4, 2, 6, dropout=0.0)", "m(x[0], x[1])",
        nn::TransformerDecoderLayer(4, 2, {.dim_feedforward = 6, .dropout = 0}), {{{3, 2, 4}}, {{5, 2, 4}}},
        [](auto &m, std::vector<Tensor> &x) { return m(x[0], x[1]); });
  c.add("nn.TransformerDecoderLayer(4, 4, 3, dropout=0.0, activation='gelu', batch_first=True, "
        "norm_first=True)",
        "m(x[0], x[1], tgt_mask=torch.ones(3, 3).triu(1).bool(), tgt_is_causal=True, "
        "memory_key_padding_mask=x[2])",
        nn::TransformerDecoderLayer(4, 4,
                                    {.dim_feedforward = 3,
                                     .dropout = 0,
                                     .activation = "gelu",
                                     .batch_first = true,
                                     .norm_first = true}),
        {{{2, 3, 4}}, {{2, 5, 4}}, {{2, 5}}}, [](auto &m, std::vector<Tensor> &x) {
          return m(x[0], x[1], {.memory_key_padding_mask = x[2], .tgt_is_causal = true});
        });
  c.add("nn.TransformerDecoderLayer(2, 1, 2, dropout=0.0, bias=False)", "m(x[0], x[1])",
        nn::TransformerDecoderLayer(2, 1, {.dim_feedforward = 2, .dropout = 0, .bias = false}),
        {{{1, 1, 2}}, {{3, 1, 2}}}, [](auto &m, std::vector<Tensor> &x) { return m(x[0], x[1]); });
  nn::TransformerLayerOptions small{.dim_feedforward = 3, .dropout = 0};
  manual_seed(0);
  c.add("nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 3, dropout=0.0), 2)",
        nn::TransformerEncoder(nn::TransformerEncoderLayer(4, 2, small), 2), {{{3, 2, 4}}});
  c.add("nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 3, dropout=0.0), 3, norm=nn.LayerNorm(4))",
        nn::TransformerEncoder(nn::TransformerEncoderLayer(4, 2, small), 3, nn::LayerNorm(4)), {{{2, 1, 4}}});
  c.add("nn.TransformerEncoder(nn.TransformerEncoderLayer(2, 1, 3, dropout=0.0), 1)",
        "m(x[0], mask=torch.ones(3, 3).triu(1).bool(), is_causal=True)",
        nn::TransformerEncoder(nn::TransformerEncoderLayer(2, 1, small), 1), {{{3, 2, 2}}},
        [](auto &m, std::vector<Tensor> &x) { return m(x[0], {.is_causal = true}); });
  auto decode = [](auto &m, std::vector<Tensor> &x) { return m(x[0], x[1]); };
  c.add("nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 3, dropout=0.0), 2)", "m(x[0], x[1])",
        nn::TransformerDecoder(nn::TransformerDecoderLayer(4, 2, small), 2), {{{3, 2, 4}}, {{4, 2, 4}}},
        decode);
  c.add("nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 1, 3, dropout=0.0), 1, norm=nn.LayerNorm(4))",
        "m(x[0], x[1])",
        nn::TransformerDecoder(nn::TransformerDecoderLayer(4, 1, small), 1, nn::LayerNorm(4)),
        {{{1, 2, 4}}, {{2, 2, 4}}}, decode);
  c.add("nn.TransformerDecoder(nn.TransformerDecoderLayer(2, 2, 3, dropout=0.0), 3)", "m(x[0], x[1])",
        nn::TransformerDecoder(nn::TransformerDecoderLayer(2, 2, small), 3), {{{2, 2, 2}}, {{1, 2, 2}}},
        decode);
}

static Program attention(DType dtype) {
  Cases c(dtype);
  addProducts(c);
  addModules(c);
  addLayers(c);
  return c.program();
}

DLC_MODEL(attention) { return attention(float64); }
DLC_MODEL(attention32) { return attention(float32); }
