//===- dlc/nn/normalization.h - values of mean 0 and variance 1 ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_NORMALIZATION_H
#define DLC_NN_NORMALIZATION_H

#include "dlc/nn/sizes.h"

namespace dlc::nn {

namespace functional {

/// (x - mean) / sqrt(variance + eps) * weight + bias, over the last dims, of sizes `normalized_shape`; weight
/// and bias have this shape, or are none (Tensor()). Ba et al. 2016.
DLC_API Tensor layer_norm(const Tensor &x, Sizes normalized_shape, const Tensor &weight = {},
                          const Tensor &bias = {}, double eps = 1e-5, Where where = Where::current());
/// x / sqrt(mean of x^2 + eps) * weight, over the last dims; eps is that of the dtype where none is given.
/// Zhang and Sennrich 2019.
DLC_API Tensor rms_norm(const Tensor &x, Sizes normalized_shape, const Tensor &weight = {},
                        std::optional<double> eps = std::nullopt, Where where = Where::current());
/// (x - mean) / sqrt(variance + eps) * weight + bias, over each group of channels (dim 1) and all places of a
/// sample; weight and bias are [channels]. Wu and He 2018.
DLC_API Tensor group_norm(const Tensor &x, int64_t num_groups, const Tensor &weight = {},
                          const Tensor &bias = {}, double eps = 1e-5, Where where = Where::current());
/// (x - mean) / sqrt(variance + eps) * weight + bias, over all places of each channel of a sample; x is
/// [batch, channels, ...] with at least one spatial dim, weight and bias are [channels]. Ulyanov et al. 2016.
DLC_API Tensor instance_norm(const Tensor &x, const Tensor &weight = {}, const Tensor &bias = {},
                             double eps = 1e-5, Where where = Where::current());
/// x / (k + alpha * mean of x^2 over `size` neighbouring channels)^beta. Krizhevsky et al.
/// 2012.
DLC_API Tensor local_response_norm(const Tensor &x, int64_t size, double alpha = 1e-4, double beta = 0.75,
                                   double k = 1, Where where = Where::current());
/// x / max(p-norm along `dim`, eps).
DLC_API Tensor normalize(const Tensor &x, double p = 2, int64_t dim = 1, double eps = 1e-12,
                         Where where = Where::current());

} // namespace functional

/// What batch normalizations may have.
struct BatchNormOptions {
  double eps = 1e-5; ///< is added to variances
  /// The weight of a batch in the running statistics; std::nullopt: they are the mean of all batches, which
  /// the buffer num_batches_tracked counts.
  std::optional<double> momentum = 0.1;
  bool affine = true;              ///< whether there are a weight and a bias
  bool track_running_stats = true; ///< otherwise evaluation uses the batch's statistics, too
  bool bias = true;                ///< whether there is a bias beside the weight
};

/// What batch normalizations share: (x - mean) / sqrt(variance + eps) * weight + bias of each feature, which
/// are dim 1. In training, the batch's statistics; in evaluation, the running ones: the buffers running_mean
/// and running_var. weight and bias [num_features]. Ioffe and Szegedy 2015.
class DLC_API BatchNorm : public Layer {
public:
  Tensor computed(Tensor x) override;

protected:
  BatchNorm(int64_t spatial, int64_t num_features, const BatchNormOptions &options, const Where &where);

private:
  Tensor withMeanOfBatches(const Tensor &x, const Tensor &weight, const Tensor &bias, const Where &where);
  int64_t spatial, features;
  BatchNormOptions options;
};

/// What instance normalizations may have.
struct InstanceNormOptions {
  double eps = 1e-5;                ///< is added to variances
  double momentum = 0.1;            ///< the weight of a batch in the running statistics
  bool affine = false;              ///< whether there are a weight and a bias
  bool track_running_stats = false; ///< whether evaluation uses means over the training steps
  bool bias = true;                 ///< whether there is a bias beside the weight
};

/// What instance normalizations share: each channel of each row by itself, the same in training and
/// evaluation; with running statistics, evaluation uses these, the buffers running_mean and running_var,
/// means over the rows.
class DLC_API InstanceNorm : public Layer {
public:
  Tensor computed(Tensor x) override;

protected:
  InstanceNorm(int64_t spatial, int64_t num_features, const InstanceNormOptions &options, const Where &where);

private:
  Tensor withRunning(const Tensor &x, const Tensor &y, const Tensor &weight, const Tensor &bias,
                     const Where &where);
  int64_t spatial, features;
  InstanceNormOptions options;
};

#define DLC_NORM(Name, Base, Options)                                                                        \
  class DLC_API Name : public Base {                                                                         \
  public:                                                                                                    \
    explicit Name(int64_t num_features, Options options = {}, Where where = Where::current());               \
    ~Name() override;                                                                                        \
    Name() = delete;               /* write nn::Name norm = register_module("norm", nn::Name(8)) */          \
    Name(std::nullptr_t) = delete; /* write nn::Name norm = register_module("norm", nn::Name(8)) */          \
  };
/// Batch normalization of [batch, features] or [batch, features, length].
DLC_NORM(BatchNorm1d, BatchNorm, BatchNormOptions) // write nn::BatchNorm1d norm = register_module("norm", nn::BatchNorm1d(8))
/// Batch normalization of [batch, features, height, width].
DLC_NORM(BatchNorm2d, BatchNorm, BatchNormOptions) // write nn::BatchNorm2d norm = register_module("norm", nn::BatchNorm2d(8))
/// Batch normalization of [batch, features, depth, height, width].
DLC_NORM(BatchNorm3d, BatchNorm, BatchNormOptions) // write nn::BatchNorm3d norm = register_module("norm", nn::BatchNorm3d(8))
/// Instance normalization of [batch, features, length], or without a batch.
DLC_NORM(InstanceNorm1d, InstanceNorm, InstanceNormOptions) // write nn::InstanceNorm1d norm = register_module("norm", nn::InstanceNorm1d(8))
/// Instance normalization of [batch, features, height, width], or without a batch.
DLC_NORM(InstanceNorm2d, InstanceNorm, InstanceNormOptions) // write nn::InstanceNorm2d norm = register_module("norm", nn::InstanceNorm2d(8))
/// Instance normalization of [batch, features, depth, height, width], or without a batch.
DLC_NORM(InstanceNorm3d, InstanceNorm, InstanceNormOptions) // write nn::InstanceNorm3d norm = register_module("norm", nn::InstanceNorm3d(8))
#undef DLC_NORM

/// What layer normalizations may have.
struct LayerNormOptions {
  double eps = 1e-5;              ///< is added to variances
  bool elementwise_affine = true; ///< whether there are a weight and a bias
  bool bias = true;               ///< whether there is a bias beside the weight
};

/// functional::layer_norm() with parameters: weight and bias of the shape `normalized_shape`.
class DLC_API LayerNorm : public Layer {
public:
  explicit LayerNorm(Sizes normalized_shape, LayerNormOptions options = {}, Where where = Where::current());
  /// One that is made later.
  ///@{
  LayerNorm() = delete;               // write nn::LayerNorm norm = register_module("norm", nn::LayerNorm(8))
  LayerNorm(std::nullptr_t) = delete; // write nn::LayerNorm norm = register_module("norm", nn::LayerNorm(8))
  ///@}
  Tensor computed(Tensor x) override;

private:
  Sizes shape;
  LayerNormOptions options;
};

/// What RMS normalizations may have.
struct RMSNormOptions {
  std::optional<double> eps{};    ///< that of the dtype, where none is given
  bool elementwise_affine = true; ///< whether there is a weight
};

/// functional::rms_norm() with a parameter: weight of the shape `normalized_shape`.
class DLC_API RMSNorm : public Layer {
public:
  explicit RMSNorm(Sizes normalized_shape, RMSNormOptions options = {}, Where where = Where::current());
  Tensor computed(Tensor x) override;

private:
  Sizes shape;
  RMSNormOptions options;
};

/// What group normalizations may have.
struct GroupNormOptions {
  double eps = 1e-5;  ///< is added to variances
  bool affine = true; ///< whether there are a weight and a bias
  bool bias = true;   ///< whether there is a bias beside the weight
};

/// functional::group_norm() with parameters: weight and bias [num_channels].
class DLC_API GroupNorm : public Layer {
public:
  GroupNorm(int64_t num_groups, int64_t num_channels, GroupNormOptions options = {},
            Where where = Where::current());
  Tensor computed(Tensor x) override;

private:
  int64_t groups, channels;
  GroupNormOptions options;
};

/// functional::local_response_norm().
class DLC_API LocalResponseNorm : public Layer {
public:
  explicit LocalResponseNorm(int64_t size, double alpha = 1e-4, double beta = 0.75, double k = 1,
                             Where where = Where::current());
  Tensor computed(Tensor x) override;

private:
  int64_t size;
  double alpha, beta, k;
};

} // namespace dlc::nn

#endif // DLC_NN_NORMALIZATION_H
