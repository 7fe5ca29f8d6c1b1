//===- dlc/nn/embedding.h - rows of tables -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_EMBEDDING_H
#define DLC_NN_EMBEDDING_H

#include "dlc/nn/module.h"

namespace dlc::nn {

namespace functional {
/// Rows of a table [rows, columns]: indices [...], y [..., columns]. The row `padding_idx` gets no gradient.
DLC_API Tensor embedding(const Tensor &indices, const Tensor &weight,
                         std::optional<int64_t> padding_idx = std::nullopt, Where where = Where::current());
/// 1 at the place of the class and 0 elsewhere: labels, integers [...]; y int64 [..., num_classes].
DLC_API Tensor one_hot(const Tensor &labels, int64_t num_classes, Where where = Where::current());
} // namespace functional

/// Rows of a table: x integers [...], y [..., embedding_dim]. weight [num_embeddings, embedding_dim],
/// standard normal. The row `padding_idx` is zero and gets no gradient.
class DLC_API Embedding : public Layer {
public:
  Embedding(int64_t num_embeddings, int64_t embedding_dim, std::optional<int64_t> padding_idx = std::nullopt,
            Where where = Where::current());
  /// One that is made later.
  ///@{
  Embedding() = delete;               // write nn::Embedding words = register_module("words", nn::Embedding(50, 8))
  Embedding(std::nullptr_t) = delete; // write nn::Embedding words = register_module("words", nn::Embedding(50, 8))
  ///@}
  Tensor computed(Tensor indices) override;

private:
  std::optional<int64_t> padding;
};

/// What becomes of the rows of a bag.
struct EmbeddingBagOptions {
  const char *mode = "mean";            ///< or "sum", "max"
  std::optional<int64_t> padding_idx{}; ///< counts nothing
  bool include_last_offset = false;     ///< the last of the offsets ends the last bag
};

/// What bags consist of, beside their indices.
struct Bags {
  Tensor offsets{};            ///< integers [bags]: where each begins; the first is 0
  Tensor per_sample_weights{}; ///< of the shape of the indices: factors of a sum
};

/// The sum, mean or largest elements of the rows of each bag: indices [bags, places], or [places] with
/// offsets; y [bags, embedding_dim]. A bag without rows has zeros. weight as of Embedding.
class DLC_API EmbeddingBag : public Module {
public:
  EmbeddingBag(int64_t num_embeddings, int64_t embedding_dim, EmbeddingBagOptions options = {},
               Where where = Where::current());
  /// Copies share the parameters.
  ///@{
  EmbeddingBag(const EmbeddingBag &);
  EmbeddingBag &operator=(const EmbeddingBag &);
  ~EmbeddingBag() override;
  ///@}
  Tensor forward(Tensor indices) override;
  /// With offsets or weights.
  virtual Tensor forward(Tensor indices, Bags bags);
  using Module::operator();
  /// forward(); errors in it name this module.
  Tensor operator()(const Tensor &indices, Bags bags, Where where = Where::current());

private:
  std::optional<int64_t> padding;
  std::string mode;
  bool hasLastOffset;
};

} // namespace dlc::nn

#endif // DLC_NN_EMBEDDING_H
