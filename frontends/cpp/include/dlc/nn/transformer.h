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

/// What follows the sizes of a layer.
struct TransformerLayerOptions {
  int64_t dim_feedforward = 2048;  ///< features inside of the perceptron
  double dropout = 0.1;            ///< of attention, perceptron and both results
  const char *activation = "relu"; ///< or "gelu"
  double layer_norm_eps = 1e-5;    ///< of the norms
  bool batch_first = false;        ///< the batch is dim 0, otherwise dim 1
  bool norm_first = false;         ///< norms stand before attention and perceptron, otherwise behind
  bool bias = true;                ///< whether linear layers and norms have some
};

/// What an encoder does not see, as AttentionMasks has it.
struct EncoderMasks {
  Tensor src_mask{};             ///< attn_mask
  Tensor src_key_padding_mask{}; ///< key_padding_mask
  bool is_causal = false;        ///< a place sees those up to its own
};

/// Self-attention and a perceptron, each with dropout, a residual and a norm. Vaswani et al. 2017.
class DLC_API TransformerEncoderLayer : public Module {
public:
  TransformerEncoderLayer(int64_t d_model, int64_t nhead, TransformerLayerOptions options = {},
                          Where where = Where::current());
  /// Copies share the parameters.
  ///@{
  TransformerEncoderLayer(const TransformerEncoderLayer &);
  TransformerEncoderLayer &operator=(const TransformerEncoderLayer &);
  ~TransformerEncoderLayer() override;
  ///@}

  Tensor forward(Tensor src) override;
  /// The result for [places, batch, d_model], with batch_first [batch, places, d_model]; its shape is the
  /// same.
  virtual Tensor forward(Tensor src, EncoderMasks masks);
  using Module::operator();
  /// forward(); errors in it name this module.
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

/// What a decoder does not see, as AttentionMasks has it.
struct DecoderMasks {
  Tensor tgt_mask{};                ///< attn_mask of the attention to itself
  Tensor memory_mask{};             ///< attn_mask of that to the encoder's result
  Tensor tgt_key_padding_mask{};    ///< key_padding_mask of the attention to itself
  Tensor memory_key_padding_mask{}; ///< key_padding_mask of that to the encoder's result
  bool tgt_is_causal = false;       ///< a place sees those up to its own
  bool memory_is_causal = false;    ///< likewise of the encoder's result
};

/// Self-attention, attention to an encoder's result, and a perceptron.
class DLC_API TransformerDecoderLayer : public Module {
public:
  TransformerDecoderLayer(int64_t d_model, int64_t nhead, TransformerLayerOptions options = {},
                          Where where = Where::current());
  /// Copies share the parameters.
  ///@{
  TransformerDecoderLayer(const TransformerDecoderLayer &);
  TransformerDecoderLayer &operator=(const TransformerDecoderLayer &);
  ~TransformerDecoderLayer() override;
  ///@}

  using Module::forward;
  /// The result for `tgt` and an encoder's result `memory`, of shapes as those of an encoder; it has the
  /// shape of `tgt`.
  virtual Tensor forward(Tensor tgt, Tensor memory, DecoderMasks masks = {});
  /// forward(); errors in it name this module.
  Tensor operator()(const Tensor &tgt, const Tensor &memory, DecoderMasks masks = {},
                    Where where = Where::current());
  /// Another layer with equal parameters.
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
  /// Copies share the parameters.
  ///@{
  TransformerEncoder(const TransformerEncoder &);
  TransformerEncoder &operator=(const TransformerEncoder &);
  ~TransformerEncoder() override;
  ///@}
  Tensor forward(Tensor src) override;
  /// The result for [places, batch, d_model], with batch_first [batch, places, d_model]; its shape is the
  /// same.
  virtual Tensor forward(Tensor src, EncoderMasks masks);
  using Module::operator();
  /// forward(); errors in it name this module.
  Tensor operator()(const Tensor &src, EncoderMasks masks, Where where = Where::current());

private:
  ModuleList<TransformerEncoderLayer> layers;
  std::optional<LayerNorm> norm;
};

/// Layers one after the other, all with the parameters of `layer` at first.
class DLC_API TransformerDecoder : public Module {
public:
  TransformerDecoder(const TransformerDecoderLayer &layer, int64_t num_layers,
                     std::optional<LayerNorm> norm = std::nullopt, Where where = Where::current());
  /// Copies share the parameters.
  ///@{
  TransformerDecoder(const TransformerDecoder &);
  TransformerDecoder &operator=(const TransformerDecoder &);
  ~TransformerDecoder() override;
  ///@}
  using Module::forward;
  /// The result for `tgt` and an encoder's result `memory`, of shapes as those of an encoder; it has the
  /// shape of `tgt`.
  virtual Tensor forward(Tensor tgt, Tensor memory, DecoderMasks masks = {});
  /// forward(); errors in it name this module.
  Tensor operator()(const Tensor &tgt, const Tensor &memory, DecoderMasks masks = {},
                    Where where = Where::current());

private:
  ModuleList<TransformerDecoderLayer> layers;
  std::optional<LayerNorm> norm;
};

/// What follows the sizes of a Transformer; other than the numbers of layers as of TransformerLayerOptions.
struct TransformerOptions {
  int64_t num_encoder_layers = 6;  ///< of the encoder
  int64_t num_decoder_layers = 6;  ///< of the decoder
  int64_t dim_feedforward = 2048;  ///< features inside of the perceptrons
  double dropout = 0.1;            ///< of attention, perceptrons and both results
  const char *activation = "relu"; ///< or "gelu"
  double layer_norm_eps = 1e-5;    ///< of the norms
  bool batch_first = false;        ///< the batch is dim 0, otherwise dim 1
  bool norm_first = false;         ///< norms stand before attention and perceptron, otherwise behind
  bool bias = true;                ///< whether linear layers and norms have some
};

/// What encoder and decoder do not see: the fields of EncoderMasks and DecoderMasks.
struct TransformerMasks {
  Tensor src_mask{};                ///< of the encoder
  Tensor tgt_mask{};                ///< of the decoder
  Tensor memory_mask{};             ///< of the decoder
  Tensor src_key_padding_mask{};    ///< of the encoder
  Tensor tgt_key_padding_mask{};    ///< of the decoder
  Tensor memory_key_padding_mask{}; ///< of the decoder
  bool src_is_causal = false;       ///< of the encoder
  bool tgt_is_causal = false;       ///< of the decoder
  bool memory_is_causal = false;    ///< of the decoder
};

/// An encoder and a decoder, both with a norm behind their last layer (Vaswani et al. 2017). Matrices are
/// uniform as Glorot and Bengio have it.
class DLC_API Transformer : public Module {
public:
  explicit Transformer(int64_t d_model = 512, int64_t nhead = 8, TransformerOptions options = {},
                       Where where = Where::current());
  /// Copies share the parameters.
  ///@{
  Transformer(const Transformer &);
  Transformer &operator=(const Transformer &);
  ~Transformer() override;
  ///@}
  using Module::forward;
  /// What the decoder makes of `tgt` and of what the encoder makes of `src`; it has the shape of `tgt`.
  virtual Tensor forward(Tensor src, Tensor tgt, TransformerMasks masks = {});
  /// forward(); errors in it name this module.
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
