//===- TransformerEncoder.cpp - encoders of transformers ------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Init.h"
#include "frontends/cpp/api/Random.h"
#include "frontends/cpp/api/TransformerLayers.h"

namespace dlc::nn {
using namespace detail;

TransformerEncoderLayer::TransformerEncoderLayer(int64_t d_model, int64_t nhead,
                                                 TransformerLayerOptions options, Where where)
    : size(d_model), heads(nhead), options(options),
      self_attn(register_module("self_attn", attentionOf(size, heads, options, where), where)),
      linear1(register_module("linear1", Linear(size, options.dim_feedforward, {.bias = options.bias}, where),
                              where)),
      dropout(register_module("dropout", Dropout(options.dropout, where), where)),
      linear2(register_module("linear2", Linear(options.dim_feedforward, size, {.bias = options.bias}, where),
                              where)),
      norm1(register_module("norm1", normOf(size, options, where), where)),
      norm2(register_module("norm2", normOf(size, options, where), where)),
      dropout1(register_module("dropout1", Dropout(options.dropout, where), where)),
      dropout2(register_module("dropout2", Dropout(options.dropout, where), where)) {
  checkActivation(options, where);
}

TransformerEncoderLayer TransformerEncoderLayer::clone(Where where) const {
  KeepRandom keep;
  TransformerEncoderLayer copy(size, heads, options, where);
  copyParameters(*this, copy, where);
  return copy;
}

Tensor TransformerEncoderLayer::operator()(const Tensor &src, EncoderMasks masks, Where where) {
  return dlc::detail::called(*this, where, src, masks);
}

Tensor TransformerEncoderLayer::forward(Tensor src) { return forward(src, EncoderMasks()); }
Tensor TransformerEncoderLayer::forward(Tensor x, EncoderMasks masks) {
  Where where = caller();
  At at(where);
  auto attend = [&](const Tensor &x) {
    return dropout1(self_attn(x, x, x, {masks.src_key_padding_mask, masks.src_mask, masks.is_causal}, where),
                    where);
  };
  auto feed = [&](const Tensor &x) {
    return dropout2(linear2(dropout(activate(linear1(x, where), options, where), where), where), where);
  };
  if (options.norm_first) {
    x = x + attend(norm1(x, where));
    return x + feed(norm2(x, where));
  }
  x = norm1(x + attend(x), where);
  return norm2(x + feed(x), where);
}

TransformerEncoder::TransformerEncoder(const TransformerEncoderLayer &layer, int64_t num_layers,
                                       std::optional<LayerNorm> last, Where where)
    : layers(register_module("layers", ModuleList<TransformerEncoderLayer>(), where)) {
  requireSame(layer, typeid(TransformerEncoderLayer), where);
  requirePositive("num_layers", num_layers, where);
  for (int64_t i = 0; i < num_layers; ++i)
    layers.push_back(layer.clone(where), where);
  if (last)
    norm = register_module("norm", *last, where);
}

Tensor TransformerEncoder::operator()(const Tensor &src, EncoderMasks masks, Where where) {
  return dlc::detail::called(*this, where, src, masks);
}

Tensor TransformerEncoder::forward(Tensor src) { return forward(src, EncoderMasks()); }
Tensor TransformerEncoder::forward(Tensor src, EncoderMasks masks) {
  Where where = caller();
  for (TransformerEncoderLayer &layer : layers)
    src = layer(src, masks, where);
  return norm ? (*norm)(src, where) : src;
}

} // namespace dlc::nn
