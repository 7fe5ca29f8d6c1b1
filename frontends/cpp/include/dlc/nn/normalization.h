//===- dlc/nn/normalization.h - values of mean 0 and variance 1 ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_NORMALIZATION_H
#define DLC_NN_NORMALIZATION_H

#include "dlc/nn/sizes.h"

namespace dlc::nn {

namespace functional {

/// Over the last dims, of sizes `normalized_shape`; weight and bias have this shape, or are none (Tensor()).
DLC_API Tensor layer_norm(const Tensor &x, Sizes normalized_shape, const Tensor &weight = {},
                          const Tensor &bias = {}, double eps = 1e-5, Where where = Where::current());
/// x / sqrt(mean of x^2 + eps) * weight, over the last dims; eps is that of the dtype where none is given.
DLC_API Tensor rms_norm(const Tensor &x, Sizes normalized_shape, const Tensor &weight = {},
                        std::optional<double> eps = std::nullopt, Where where = Where::current());
/// Over groups of channels (dim 1) and all places; weight and bias [channels].
DLC_API Tensor group_norm(const Tensor &x, int64_t num_groups, const Tensor &weight = {},
                          const Tensor &bias = {}, double eps = 1e-5, Where where = Where::current());
/// Each channel over all places.
DLC_API Tensor instance_norm(const Tensor &x, const Tensor &weight = {}, const Tensor &bias = {},
                             double eps = 1e-5, Where where = Where::current());
/// x / (k + alpha * mean of x^2 over `size` neighbouring channels)^beta.
DLC_API Tensor local_response_norm(const Tensor &x, int64_t size, double alpha = 1e-4, double beta = 0.75,
                                   double k = 1, Where where = Where::current());
/// x / max(p-norm along `dim`, eps).
DLC_API Tensor normalize(const Tensor &x, double p = 2, int64_t dim = 1, double eps = 1e-12,
                         Where where = Where::current());

} // namespace functional

struct BatchNormOptions {
  double eps = 1e-5;
  double momentum = 0.1; ///< the weight of a batch in the running statistics
  bool affine = true, track_running_stats = true, bias = true;
};

/// Features are dim 1. In training, the batch's statistics; in evaluation, the running ones: the buffers
/// running_mean and running_var. weight and bias [num_features].
class DLC_API BatchNorm : public Module {
public:
  Tensor forward(Tensor x) override;

protected:
  BatchNorm(int64_t spatial, int64_t num_features, const BatchNormOptions &options, const Where &where);

private:
  int64_t spatial, features;
  BatchNormOptions options;
};

struct InstanceNormOptions {
  double eps = 1e-5;
  bool affine = false, bias = true;
};

/// Each channel of each row by itself, the same in training and evaluation: without running statistics.
class DLC_API InstanceNorm : public Module {
public:
  Tensor forward(Tensor x) override;

protected:
  InstanceNorm(int64_t spatial, int64_t num_features, const InstanceNormOptions &options, const Where &where);

private:
  int64_t spatial, features;
  InstanceNormOptions options;
};

#define DLC_NORM(Name, Base, Options, spatial)                                                               \
  class DLC_API Name : public Base {                                                                         \
  public:                                                                                                    \
    explicit Name(int64_t num_features, Options options = {}, Where where = Where::current())                \
        : Base(spatial, num_features, options, where) {}                                                     \
  };
/// Of [batch, features] or [batch, features, length].
DLC_NORM(BatchNorm1d, BatchNorm, BatchNormOptions, 1)
DLC_NORM(BatchNorm2d, BatchNorm, BatchNormOptions, 2)
DLC_NORM(BatchNorm3d, BatchNorm, BatchNormOptions, 3)
DLC_NORM(InstanceNorm1d, InstanceNorm, InstanceNormOptions, 1)
DLC_NORM(InstanceNorm2d, InstanceNorm, InstanceNormOptions, 2)
DLC_NORM(InstanceNorm3d, InstanceNorm, InstanceNormOptions, 3)
#undef DLC_NORM

struct LayerNormOptions {
  double eps = 1e-5;
  bool elementwise_affine = true, bias = true;
};

class DLC_API LayerNorm : public Module {
public:
  explicit LayerNorm(Sizes normalized_shape, LayerNormOptions options = {}, Where where = Where::current());
  Tensor forward(Tensor x) override;

private:
  Sizes shape;
  LayerNormOptions options;
};

struct RMSNormOptions {
  std::optional<double> eps{}; ///< that of the dtype, where none is given
  bool elementwise_affine = true;
};

class DLC_API RMSNorm : public Module {
public:
  explicit RMSNorm(Sizes normalized_shape, RMSNormOptions options = {}, Where where = Where::current());
  Tensor forward(Tensor x) override;

private:
  Sizes shape;
  RMSNormOptions options;
};

struct GroupNormOptions {
  double eps = 1e-5;
  bool affine = true, bias = true;
};

class DLC_API GroupNorm : public Module {
public:
  GroupNorm(int64_t num_groups, int64_t num_channels, GroupNormOptions options = {},
            Where where = Where::current());
  Tensor forward(Tensor x) override;

private:
  int64_t groups, channels;
  GroupNormOptions options;
};

class DLC_API LocalResponseNorm : public Module {
public:
  explicit LocalResponseNorm(int64_t size, double alpha = 1e-4, double beta = 0.75, double k = 1,
                             Where where = Where::current());
  Tensor forward(Tensor x) override;

private:
  int64_t size;
  double alpha, beta, k;
};

} // namespace dlc::nn

#endif // DLC_NN_NORMALIZATION_H
