// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Encoders and decoders of transformers: layers, stacks, and the whole.
#include "tests/cpp/modules/cases.h"

using namespace cases;

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
}

static void addStacks(Cases &c) {
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

static void addWholes(Cases &c) {
  c.add("nn.Transformer(4, 2, 1, 2, 6, dropout=0.0)", "m(x[0], x[1])",
        nn::Transformer(
            4, 2, {.num_encoder_layers = 1, .num_decoder_layers = 2, .dim_feedforward = 6, .dropout = 0}),
        {{{3, 2, 4}}, {{5, 2, 4}}}, [](auto &m, std::vector<Tensor> &x) { return m(x[0], x[1]); });
  c.add("nn.Transformer(6, 3, 2, 1, 4, dropout=0.0, activation='gelu', batch_first=True, norm_first=True)",
        "m(x[0], x[1], tgt_mask=nn.Transformer.generate_square_subsequent_mask(3).double(), "
        "src_key_padding_mask=~x[2], memory_key_padding_mask=~x[2])",
        nn::Transformer(6, 3,
                        {.num_encoder_layers = 2,
                         .num_decoder_layers = 1,
                         .dim_feedforward = 4,
                         .dropout = 0,
                         .activation = "gelu",
                         .batch_first = true,
                         .norm_first = true}),
        {{{2, 4, 6}}, {{2, 3, 6}}, {{2, 4}, Kind::Truth}}, [&](auto &m, std::vector<Tensor> &x) {
          return m(x[0], x[1],
                   {.tgt_mask = nn::Transformer::generate_square_subsequent_mask(3).to(x[0].dtype()),
                    .src_key_padding_mask = !x[2],
                    .memory_key_padding_mask = !x[2]});
        });
  c.add("nn.Transformer(2, 1, 1, 1, 3, dropout=0.0, bias=False)", "m(x[0], x[1])",
        nn::Transformer(2, 1,
                        {.num_encoder_layers = 1,
                         .num_decoder_layers = 1,
                         .dim_feedforward = 3,
                         .dropout = 0,
                         .bias = false}),
        {{{3, 2}}, {{1, 2}}}, [](auto &m, std::vector<Tensor> &x) { return m(x[0], x[1]); });
}

static Program transformer(DType dtype) {
  Cases c(dtype);
  addLayers(c);
  addStacks(c);
  addWholes(c);
  return c.program();
}

DLC_MODEL(transformer) { return transformer(float64); }
DLC_MODEL(transformer32) { return transformer(float32); }
