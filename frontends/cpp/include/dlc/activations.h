//===- dlc/activations.h - functions between layers ----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Activations of floating-point numbers: x has any shape, and the result the same, where nothing else is
// said. Others, such as relu and sigmoid, are in unary.inc.
//===----------------------------------------------------------------------===//
#ifndef DLC_ACTIVATIONS_H
#define DLC_ACTIVATIONS_H

#include "dlc/ops.h"

namespace dlc {

/// x/2 (1 + erf(x/sqrt 2)), which is "none"; approximated with "tanh": x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))). Hendrycks and Gimpel
/// 2016.
DLC_API Tensor gelu(const Tensor &x, const char *approximate = "none", Where where = Where::current());
/// x > 0 ? x : slope x.
DLC_API Tensor leaky_relu(const Tensor &x, double slope = 0.01, Where where = Where::current());
/// x > 0 ? x : slope x, each element's slope uniform from `lower` to `upper` in training steps; in
/// evaluation, or without `training`, the mean of both. Xu et al. 2015.
DLC_API Tensor rrelu(const Tensor &x, double lower = 1.0 / 8, double upper = 1.0 / 3, bool training = false,
                     Where where = Where::current());
/// x > 0 ? x : alpha (e^x - 1). Clevert et al. 2015.
DLC_API Tensor elu(const Tensor &x, double alpha = 1, Where where = Where::current());
/// clamp(x/6 + 1/2, 0, 1).
DLC_API Tensor hardsigmoid(const Tensor &x, Where where = Where::current());
/// x hardsigmoid(x). Howard et al. 2019.
DLC_API Tensor hardswish(const Tensor &x, Where where = Where::current());
/// ln(1 / (1 + e^-x)).
DLC_API Tensor logsigmoid(const Tensor &x, Where where = Where::current());
/// x tanh(ln(1 + e^x)). Misra 2019.
DLC_API Tensor mish(const Tensor &x, Where where = Where::current());
/// 1.0507 (max(0, x) + min(0, 1.6733 (e^x - 1))), Klambauer et al. 2017.
DLC_API Tensor selu(const Tensor &x, Where where = Where::current());
/// max(0, x) + min(0, alpha (e^(x/alpha) - 1)).
DLC_API Tensor celu(const Tensor &x, double alpha = 1, Where where = Where::current());
/// clamp(x, low, high); the derivative at both ends is 0.
DLC_API Tensor hardtanh(const Tensor &x, double low = -1, double high = 1, Where where = Where::current());
/// clamp(x, 0, 6).
DLC_API Tensor relu6(const Tensor &x, Where where = Where::current());
/// |x| > lambda ? x : 0.
DLC_API Tensor hardshrink(const Tensor &x, double lambda = 0.5, Where where = Where::current());
/// sign(x) max(|x| - lambda, 0).
DLC_API Tensor softshrink(const Tensor &x, double lambda = 0.5, Where where = Where::current());
/// x - tanh(x).
DLC_API Tensor tanhshrink(const Tensor &x, Where where = Where::current());
/// x > threshold ? x : value.
DLC_API Tensor threshold(const Tensor &x, double threshold, double value, Where where = Where::current());
/// x > 0 ? x : weight x, with weight [1], or [channels] for the channels, dim 1. He et al. 2015.
DLC_API Tensor prelu(const Tensor &x, const Tensor &weight, Where where = Where::current());
/// The first half along a dim, of an even size, times the sigmoid of the second. Dauphin et al. 2016.
DLC_API Tensor glu(const Tensor &x, int64_t dim = -1, Where where = Where::current());
/// softmax(-x).
DLC_API Tensor softmin(const Tensor &x, int64_t dim, Where where = Where::current());
/// x.softmax(dim).
DLC_API Tensor softmax(const Tensor &x, int64_t dim, Where where = Where::current());
/// x.log_softmax(dim).
DLC_API Tensor log_softmax(const Tensor &x, int64_t dim, Where where = Where::current());

} // namespace dlc

#endif // DLC_ACTIVATIONS_H
