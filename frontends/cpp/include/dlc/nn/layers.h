//===- dlc/nn/layers.h - the basic layers ----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructors take what PyTorch's take, with its defaults.
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_LAYERS_H
#define DLC_NN_LAYERS_H

#include "dlc/nn/module.h"

namespace dlc::nn {

/// y = x W^T + b for x [..., in]. weight [out, in], bias [out], both uniform in +-1/sqrt(in).
class DLC_API Linear : public Module {
public:
  Linear(int64_t in_features, int64_t out_features, bool bias = true, Where where = Where::current());
  Tensor forward(Tensor x) override;

private:
  bool bias;
};

/// Rows of a table: x integers [...], y [..., embedding_dim]. weight [num_embeddings, embedding_dim],
/// standard normal. The row `padding_idx` is zero and gets no gradient.
class DLC_API Embedding : public Module {
public:
  Embedding(int64_t num_embeddings, int64_t embedding_dim, std::optional<int64_t> padding_idx = std::nullopt,
            Where where = Where::current());
  Tensor forward(Tensor indices) override;

private:
  std::optional<int64_t> padding;
};

/// Drops each element with probability `p` and divides the others by 1 - p, in training.
class DLC_API Dropout : public Module {
public:
  explicit Dropout(double p = 0.5, Where where = Where::current());
  Tensor forward(Tensor x) override;

private:
  double p;
};

/// All dims from `start` to `end` become one.
class DLC_API Flatten : public Module {
public:
  explicit Flatten(int64_t start = 1, int64_t end = -1);
  Tensor forward(Tensor x) override;

private:
  int64_t start, end;
};

class DLC_API Identity : public Module {
public:
  Tensor forward(Tensor x) override { return x; }
};

} // namespace dlc::nn

#endif // DLC_NN_LAYERS_H
