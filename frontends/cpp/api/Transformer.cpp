//===- Transformer.cpp - an encoder and a decoder
//---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/nn/transformer.h"
#include "dlc/nn/init.h"
#include "frontends/cpp/api/TransformerLayers.h"

namespace dlc::nn {
using namespace detail;

static TransformerLayerOptions layerOptions(const TransformerOptions &options) {
  return {options.dim_feedforward, options.dropout,    options.activation, options.layer_norm_eps,
          options.batch_first,     options.norm_first, options.bias};
}

static TransformerEncoder encoderOf(int64_t size, int64_t heads, const TransformerOptions &options,
                                    const Where &where) {
  TransformerEncoderLayer layer(size, heads, layerOptions(options), where);
  return TransformerEncoder(layer, options.num_encoder_layers, normOf(size, layerOptions(options), where),
                            where);
}

static TransformerDecoder decoderOf(int64_t size, int64_t heads, const TransformerOptions &options,
                                    const Where &where) {
  TransformerDecoderLayer layer(size, heads, layerOptions(options), where);
  return TransformerDecoder(layer, options.num_decoder_layers, normOf(size, layerOptions(options), where),
                            where);
}

Transformer::Transformer(int64_t d_model, int64_t nhead, TransformerOptions options, Where where)
    : encoder(register_module("encoder", encoderOf(d_model, nhead, options, where), where)),
      decoder(register_module("decoder", decoderOf(d_model, nhead, options, where), where)),
      isBatchFirst(options.batch_first) {
  for (const auto &[name, parameter] : named_parameters())
    if (parameter.dim() > 1)
      init::xavier_uniform_(parameter, 1, where);
}

Tensor Transformer::operator()(const Tensor &src, const Tensor &tgt, TransformerMasks masks, Where where) {
  return dlc::detail::called(*this, where, src, tgt, masks);
}

Tensor Transformer::forward(Tensor src, Tensor tgt, TransformerMasks masks) {
  Where where = caller();
  bool isAlone = src.dim() == 2;
  if (src.dim() != tgt.dim() || src.dim() < 2 || src.dim() > 3 || src.size(-1) != tgt.size(-1) ||
      (!isAlone && src.size(isBatchFirst ? 0 : 1) != tgt.size(isBatchFirst ? 0 : 1)))
    fail("Transformer: expected src and tgt " +
             std::string(isBatchFirst ? "[batch, places, features]" : "[places, batch, features]") +
             " of one batch, or both without a batch, got " + describe(src) + " and " + describe(tgt),
         where);
  Tensor memory =
      encoder(src, EncoderMasks{masks.src_mask, masks.src_key_padding_mask, masks.src_is_causal}, where);
  return decoder(tgt, memory,
                 DecoderMasks{masks.tgt_mask, masks.memory_mask, masks.tgt_key_padding_mask,
                              masks.memory_key_padding_mask, masks.tgt_is_causal, masks.memory_is_causal},
                 where);
}

Tensor Transformer::generate_square_subsequent_mask(int64_t size, Where where) {
  At at(where);
  return dlc::where(causal_mask(size, size), 0.0, -std::numeric_limits<double>::infinity());
}

} // namespace dlc::nn
