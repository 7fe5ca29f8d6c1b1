//===- dlc/nn/transformer.h - layers of transformers -----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_TRANSFORMER_H
#define DLC_NN_TRANSFORMER_H

#include "dlc/nn/attention.h"
#include "dlc/nn/containers.h"
#include "dlc/nn/dropout.h"
#include "dlc/nn/normalization.h"

namespace dlc::nn {

struct TransformerLayerOptions {
  int64_t dim_feedforward = 2048;
  double dropout = 0.1;
  const char *activation = "relu"; ///< or "gelu"
  double layer_norm_eps = 1e-5;
  bool batch_first = false, norm_first = false, bias = true;
};

struct EncoderMasks {
  Tensor src_mask{}, src_key_padding_mask{}; ///< as MultiheadAttention has them
  bool is_causal = false;
};

/// Self-attention and a perceptron, each with dropout, a residual and a norm.
class DLC_API TransformerEncoderLayer : public Module {
public:
  TransformerEncoderLayer(int64_t d_model, int64_t nhead, TransformerLayerOptions options = {},
                          Where where = Where::current());

  Tensor forward(Tensor src) override { return forward(src, EncoderMasks()); }
  Tensor forward(Tensor src, EncoderMasks masks);
  using Module::operator();
  Tensor operator()(const Tensor &src, EncoderMasks masks, Where where = Where::current());
  /// Another layer with equal parameters.
  TransformerEncoderLayer clone(Where where = Where::current()) const;

private:
  int64_t size, heads;
  TransformerLayerOptions options;
  MultiheadAttention self_attn;
  Linear linear1;
  Dropout dropout;
  Linear linear2;
  LayerNorm norm1, norm2;
  Dropout dropout1, dropout2;
};

struct DecoderMasks {
  Tensor tgt_mask{}, memory_mask{}, tgt_key_padding_mask{}, memory_key_padding_mask{};
  bool tgt_is_causal = false, memory_is_causal = false;
};

/// Self-attention, attention to an encoder's result, and a perceptron.
class DLC_API TransformerDecoderLayer : public Module {
public:
  TransformerDecoderLayer(int64_t d_model, int64_t nhead, TransformerLayerOptions options = {},
                          Where where = Where::current());

  using Module::forward;
  Tensor forward(Tensor tgt, Tensor memory, DecoderMasks masks = {});
  Tensor operator()(const Tensor &tgt, const Tensor &memory, DecoderMasks masks = {},
                    Where where = Where::current());
  TransformerDecoderLayer clone(Where where = Where::current()) const;

private:
  int64_t size, heads;
  TransformerLayerOptions options;
  MultiheadAttention self_attn, multihead_attn;
  Linear linear1;
  Dropout dropout;
  Linear linear2;
  LayerNorm norm1, norm2, norm3;
  Dropout dropout1, dropout2, dropout3;
};

/// Layers one after the other, all with the parameters of `layer` at first.
class DLC_API TransformerEncoder : public Module {
public:
  TransformerEncoder(const TransformerEncoderLayer &layer, int64_t num_layers,
                     std::optional<LayerNorm> norm = std::nullopt, Where where = Where::current());
  Tensor forward(Tensor src) override { return forward(src, EncoderMasks()); }
  Tensor forward(Tensor src, EncoderMasks masks);
  using Module::operator();
  Tensor operator()(const Tensor &src, EncoderMasks masks, Where where = Where::current());

private:
  ModuleList<TransformerEncoderLayer> layers;
  std::optional<LayerNorm> norm;
};

class DLC_API TransformerDecoder : public Module {
public:
  TransformerDecoder(const TransformerDecoderLayer &layer, int64_t num_layers,
                     std::optional<LayerNorm> norm = std::nullopt, Where where = Where::current());
  using Module::forward;
  Tensor forward(Tensor tgt, Tensor memory, DecoderMasks masks = {});
  Tensor operator()(const Tensor &tgt, const Tensor &memory, DecoderMasks masks = {},
                    Where where = Where::current());

private:
  ModuleList<TransformerDecoderLayer> layers;
  std::optional<LayerNorm> norm;
};

struct TransformerOptions {
  int64_t num_encoder_layers = 6, num_decoder_layers = 6, dim_feedforward = 2048;
  double dropout = 0.1;
  const char *activation = "relu"; ///< or "gelu"
  double layer_norm_eps = 1e-5;
  bool batch_first = false, norm_first = false, bias = true;
};

struct TransformerMasks {
  Tensor src_mask{}, tgt_mask{}, memory_mask{};
  Tensor src_key_padding_mask{}, tgt_key_padding_mask{}, memory_key_padding_mask{};
  bool src_is_causal = false, tgt_is_causal = false, memory_is_causal = false;
};

/// An encoder and a decoder, both with a norm behind their last layer (Vaswani et al. 2017). Matrices are
/// uniform as Glorot and Bengio have it.
class DLC_API Transformer : public Module {
public:
  explicit Transformer(int64_t d_model = 512, int64_t nhead = 8, TransformerOptions options = {},
                       Where where = Where::current());
  using Module::forward;
  Tensor forward(Tensor src, Tensor tgt, TransformerMasks masks = {});
  Tensor operator()(const Tensor &src, const Tensor &tgt, TransformerMasks masks = {},
                    Where where = Where::current());
  /// What hides later places: 0 up to each one's own, minus infinity behind it.
  static Tensor generate_square_subsequent_mask(int64_t size, Where where = Where::current());

private:
  TransformerEncoder encoder;
  TransformerDecoder decoder;
  bool isBatchFirst;
};

} // namespace dlc::nn

#endif // DLC_NN_TRANSFORMER_H
