//===- dlc/nn/attention.h - attention -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vaswani et al. 2017. The numbers of queries and of keys are known where places are hidden.
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_ATTENTION_H
#define DLC_NN_ATTENTION_H

#include "dlc/nn/layers.h"

namespace dlc::nn {

namespace functional {

/// What scaled_dot_product_attention() may be told.
struct AttentionOptions {
  Tensor attn_mask{};            ///< truth values: which keys count; or floats, which are added to the scores
  double dropout_p = 0;          ///< of the weights, in training steps
  bool is_causal = false;        ///< a query sees the keys up to its own place
  std::optional<double> scale{}; ///< 1/sqrt(size) where none is given
  bool enable_gqa = false;       ///< heads of queries share heads of keys and values
};
/// softmax(q k^T scale) v for queries [..., queries, size], keys [..., keys, size], values [..., keys,
/// other]. A query that sees no key has zeros.
DLC_API Tensor scaled_dot_product_attention(const Tensor &q, const Tensor &k, const Tensor &v,
                                            AttentionOptions options = {}, Where where = Where::current());

} // namespace functional

/// What follows the sizes of a MultiheadAttention.
struct MultiheadAttentionOptions {
  double dropout = 0;            ///< of the weights, in training steps
  bool bias = true;              ///< whether the projections have some
  bool add_bias_kv = false;      ///< one more key and value for all, which are trained
  bool add_zero_attn = false;    ///< one more key and value, which are zero
  std::optional<int64_t> kdim{}; ///< features of keys; embed_dim where none is given
  std::optional<int64_t> vdim{}; ///< features of values; likewise
  bool batch_first = false;      ///< the batch is dim 0, otherwise dim 1
};

/// What attention does not see.
struct AttentionMasks {
  Tensor key_padding_mask{}; ///< [batch, keys]: truth values, which keys do not count; or floats that are
                             ///< added
  Tensor attn_mask{};        ///< [queries, keys] or [batch * heads, queries, keys], likewise
  bool is_causal = false;    ///< a query sees the keys up to its own place
};

/// What attention computes.
struct AttentionResult {
  Tensor output;  ///< of the shape of the queries
  Tensor weights; ///< how much each key counted: [batch, queries, keys], or without a batch
};

/// Attention of several heads. in_proj_weight [3 embed_dim, embed_dim], in_proj_bias, out_proj; with other
/// kdim or vdim q_proj_weight, k_proj_weight and v_proj_weight.
class DLC_API MultiheadAttention : public Module {
public:
  MultiheadAttention(int64_t embed_dim, int64_t num_heads, MultiheadAttentionOptions options = {},
                     Where where = Where::current());
  /// One that is made later.
  ///@{
  MultiheadAttention() = delete;               // write nn::MultiheadAttention attn = register_module("attn", nn::MultiheadAttention(64, 4))
  MultiheadAttention(std::nullptr_t) = delete; // write nn::MultiheadAttention attn = register_module("attn", nn::MultiheadAttention(64, 4))
  ///@}
  /// Copies share the parameters.
  ///@{
  MultiheadAttention(const MultiheadAttention &);
  MultiheadAttention &operator=(const MultiheadAttention &);
  ~MultiheadAttention() override;
  ///@}

  using Module::forward;
  /// Queries, keys and values [places, batch, features], with batch_first [batch, places, features], or
  /// without a batch; the result has the places of the queries.
  virtual Tensor forward(Tensor query, Tensor key, Tensor value, AttentionMasks masks = {});
  /// forward(); errors in it name this module.
  Tensor operator()(const Tensor &query, const Tensor &key, const Tensor &value, AttentionMasks masks = {},
                    Where where = Where::current());

  /// The weights, too (PyTorch's need_weights): their mean over the heads, or [batch, heads, queries, keys].
  AttentionResult run(const Tensor &query, const Tensor &key, const Tensor &value, AttentionMasks masks = {},
                      bool average_attn_weights = true, Where where = Where::current());

private:
  AttentionResult compute(Tensor query, Tensor key, Tensor value, AttentionMasks masks);
  Tensor heads(const Tensor &x) const;
  int64_t embed, count, kdim, vdim;
  MultiheadAttentionOptions options;
  Linear out;
};

} // namespace dlc::nn

#endif // DLC_NN_ATTENTION_H
