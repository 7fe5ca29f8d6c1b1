//===- TransformerDecoder.cpp - decoders of transformers ------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Init.h"
#include "frontends/cpp/api/Random.h"
#include "frontends/cpp/api/TransformerLayers.h"

namespace dlc::nn {
using namespace detail;

TransformerDecoderLayer::TransformerDecoderLayer(int64_t d_model, int64_t nhead,
                                                 TransformerLayerOptions options, Where where)
    : size(d_model), heads(nhead), options(options),
      self_attn(register_module("self_attn", attentionOf(size, heads, options, where), where)),
      multihead_attn(register_module("multihead_attn", attentionOf(size, heads, options, where), where)),
      linear1(register_module("linear1", Linear(size, options.dim_feedforward, {.bias = options.bias}, where),
                              where)),
      dropout(register_module("dropout", Dropout(options.dropout, where), where)),
      linear2(register_module("linear2", Linear(options.dim_feedforward, size, {.bias = options.bias}, where),
                              where)),
      norm1(register_module("norm1", normOf(size, options, where), where)),
      norm2(register_module("norm2", normOf(size, options, where), where)),
      norm3(register_module("norm3", normOf(size, options, where), where)),
      dropout1(register_module("dropout1", Dropout(options.dropout, where), where)),
      dropout2(register_module("dropout2", Dropout(options.dropout, where), where)),
      dropout3(register_module("dropout3", Dropout(options.dropout, where), where)) {
  checkActivation(options, where);
}

TransformerDecoderLayer TransformerDecoderLayer::clone(Where where) const {
  KeepRandom keep;
  TransformerDecoderLayer copy(size, heads, options, where);
  copyParameters(*this, copy, where);
  return copy;
}

Tensor TransformerDecoderLayer::operator()(const Tensor &tgt, const Tensor &memory, DecoderMasks masks,
                                           Where where) {
  return dlc::detail::called(*this, where, tgt, memory, masks);
}

Tensor TransformerDecoderLayer::forward(Tensor x, Tensor memory, DecoderMasks masks) {
  Where where = caller();
  At at(where);
  auto attend = [&](const Tensor &x) {
    return dropout1(
        self_attn(x, x, x, {masks.tgt_key_padding_mask, masks.tgt_mask, masks.tgt_is_causal}, where), where);
  };
  auto remember = [&](const Tensor &x) {
    return dropout2(multihead_attn(x, memory, memory,
                                   {masks.memory_key_padding_mask, masks.memory_mask, masks.memory_is_causal},
                                   where),
                    where);
  };
  auto feed = [&](const Tensor &x) {
    return dropout3(linear2(dropout(activate(linear1(x, where), options, where), where), where), where);
  };
  if (options.norm_first) {
    x = x + attend(norm1(x, where));
    x = x + remember(norm2(x, where));
    return x + feed(norm3(x, where));
  }
  x = norm1(x + attend(x), where);
  x = norm2(x + remember(x), where);
  return norm3(x + feed(x), where);
}

TransformerDecoder::TransformerDecoder(const TransformerDecoderLayer &layer, int64_t num_layers,
                                       std::optional<LayerNorm> last, Where where)
    : layers(register_module("layers", ModuleList<TransformerDecoderLayer>(), where)) {
  requireSame(layer, typeid(TransformerDecoderLayer), where);
  requirePositive("num_layers", num_layers, where);
  for (int64_t i = 0; i < num_layers; ++i)
    layers.push_back(layer.clone(where), where);
  if (last)
    norm = register_module("norm", *last, where);
}

Tensor TransformerDecoder::operator()(const Tensor &tgt, const Tensor &memory, DecoderMasks masks,
                                      Where where) {
  return dlc::detail::called(*this, where, tgt, memory, masks);
}

Tensor TransformerDecoder::forward(Tensor tgt, Tensor memory, DecoderMasks masks) {
  Where where = caller();
  for (TransformerDecoderLayer &layer : layers)
    tgt = layer(tgt, memory, masks, where);
  return norm ? (*norm)(tgt, where) : tgt;
}

} // namespace dlc::nn
