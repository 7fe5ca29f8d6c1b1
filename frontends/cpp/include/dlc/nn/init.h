//===- dlc/nn/init.h - initial values of parameters ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers have PyTorch's initial values already. These functions give a parameter others:
//
//     for (auto &[name, parameter] : net.named_parameters())
//       if (parameter.dim() > 1)
//         dlc::nn::init::xavier_uniform_(parameter);
//
// Uniform numbers are PyTorch's to the last bit, normal ones up to the last digits.
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_INIT_H
#define DLC_NN_INIT_H

#include "dlc/ops.h"

namespace dlc {

/// The dtype of parameters that layers make from here on: float32 at first, or float64. Their initial values
/// are floats either way.
DLC_API void set_default_dtype(DType dtype, Where where = Where::current());

namespace nn::init {

/// Options of kaiming_uniform_() and kaiming_normal_(). The mode says what the numbers are scaled by: the
/// inputs of each output ("fan_in"), which keeps the variance of values in the forward pass, or the outputs
/// of each input ("fan_out"), which keeps that of gradients in the backward pass.
struct KaimingOptions {
  double a = 0;                            ///< the negative slope of leaky_relu
  const char *mode = "fan_in";             ///< or "fan_out"
  const char *nonlinearity = "leaky_relu"; ///< what follows: a name that calculate_gain() knows
};

// Each returns the parameter.
/// These numbers, in row-major order.
DLC_API Tensor values_(const Tensor &parameter, const std::vector<double> &elements,
                       Where where = Where::current());
/// One number in all places.
DLC_API Tensor constant_(const Tensor &parameter, double value, Where where = Where::current());
/// 0 in all places.
DLC_API Tensor zeros_(const Tensor &parameter, Where where = Where::current());
/// 1 in all places.
DLC_API Tensor ones_(const Tensor &parameter, Where where = Where::current());
/// A matrix with ones on the diagonal.
DLC_API Tensor eye_(const Tensor &parameter, Where where = Where::current());
/// A convolution that gives the channels of the image, as many as there are in each group.
DLC_API Tensor dirac_(const Tensor &parameter, int64_t groups = 1, Where where = Where::current());
/// A matrix with orthogonal rows, or columns where there are more rows, of the length `gain`; of more dims,
/// those behind the first are one. Saxe et al. 2013.
DLC_API Tensor orthogonal_(const Tensor &parameter, double gain = 1, Where where = Where::current());
/// Uniform numbers of at least `low` and less than `high`.
DLC_API Tensor uniform_(const Tensor &parameter, double low = 0, double high = 1,
                        Where where = Where::current());
/// Normal numbers.
DLC_API Tensor normal_(const Tensor &parameter, double mean = 0, double deviation = 1,
                       Where where = Where::current());
/// Normal numbers from `low` to `high`.
DLC_API Tensor trunc_normal_(const Tensor &parameter, double mean = 0, double deviation = 1, double low = -2,
                             double high = 2, Where where = Where::current());
/// Uniform in +-gain sqrt(6 / (fan_in + fan_out)). Glorot and Bengio 2010.
DLC_API Tensor xavier_uniform_(const Tensor &parameter, double gain = 1, Where where = Where::current());
/// Normal with the deviation gain sqrt(2 / (fan_in + fan_out)). Glorot and Bengio 2010.
DLC_API Tensor xavier_normal_(const Tensor &parameter, double gain = 1, Where where = Where::current());
/// Uniform in +-gain sqrt(3 / fan). He et al. 2015.
DLC_API Tensor kaiming_uniform_(const Tensor &parameter, KaimingOptions options = {},
                                Where where = Where::current());
/// Normal with the deviation gain / sqrt(fan). He et al. 2015.
DLC_API Tensor kaiming_normal_(const Tensor &parameter, KaimingOptions options = {},
                               Where where = Where::current());
/// The recommended factor for a nonlinearity: linear, sigmoid, tanh, relu, leaky_relu, selu.
DLC_API double calculate_gain(const std::string &nonlinearity, std::optional<double> parameter = std::nullopt,
                              Where where = Where::current());

} // namespace nn::init
} // namespace dlc

#endif // DLC_NN_INIT_H
