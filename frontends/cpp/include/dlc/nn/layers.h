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

namespace functional {
/// x W^T + b for x [..., in], weight [out, in] and bias [out], or none (Tensor()).
DLC_API Tensor linear(const Tensor &x, const Tensor &weight, const Tensor &bias = {},
                      Where where = Where::current());
} // namespace functional

/// What follows the sizes of a linear layer.
struct LinearOptions {
  bool bias = true; ///< whether it has one
};

/// y = x W^T + b for x [..., in]. weight [out, in], bias [out], both uniform in +-1/sqrt(in).
class DLC_API Linear : public Layer {
public:
  Linear(int64_t in_features, int64_t out_features, LinearOptions options = {},
         Where where = Where::current());
  /// Options without a name.
  template <std::convertible_to<bool> Bias, typename... More>
  Linear(int64_t, int64_t, Bias, More...) = delete; // write nn::Linear(4, 2, {.bias = false})
  /// One that is made later, as libtorch's holders.
  ///@{
  Linear() = delete;               // write nn::Linear fc = register_module("fc", nn::Linear(4, 2))
  Linear(std::nullptr_t) = delete; // write nn::Linear fc = register_module("fc", nn::Linear(4, 2))
  ///@}
  Tensor computed(Tensor x) override;

private:
  bool hasBias;
};

/// y[o] = x1^T W[o] x2 + b[o] for x1 [..., in1] and x2 [..., in2]. weight [out, in1, in2], bias [out], both
/// uniform in +-1/sqrt(in1).
class DLC_API Bilinear : public Module {
public:
  Bilinear(int64_t in1_features, int64_t in2_features, int64_t out_features, LinearOptions options = {},
           Where where = Where::current());
  /// Options without a name.
  template <std::convertible_to<bool> Bias, typename... More>
  Bilinear(int64_t, int64_t, int64_t, Bias, More...) = delete; // write nn::Bilinear(4, 4, 2, {.bias = false})
  ~Bilinear() override;
  using Module::forward;
  /// y for both.
  virtual Tensor forward(Tensor x1, Tensor x2);
  /// forward(); errors in it name this module.
  Tensor operator()(const Tensor &x1, const Tensor &x2, Where where = Where::current());

private:
  int64_t in1, in2, out;
  bool hasBias;
};

/// All dims from `start` to `end` become one.
class DLC_API Flatten : public Layer {
public:
  explicit Flatten(int64_t start = 1, int64_t end = -1);
  Tensor computed(Tensor x) override;

private:
  int64_t start, end;
};

/// One dim becomes several, of which one may be -1: what is left.
class DLC_API Unflatten : public Layer {
public:
  Unflatten(int64_t dim, std::vector<int64_t> unflattened_size);
  /// Copies share the parameters.
  ///@{
  Unflatten(const Unflatten &);
  Unflatten &operator=(const Unflatten &);
  ~Unflatten() override;
  ///@}
  Tensor computed(Tensor x) override;

private:
  int64_t dim;
  std::vector<int64_t> sizes;
};

/// x as it is.
class DLC_API Identity : public Layer {
public:
  Tensor computed(Tensor x) override;
};

} // namespace dlc::nn

#endif // DLC_NN_LAYERS_H
