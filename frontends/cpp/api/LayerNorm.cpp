//===- LayerNorm.cpp - normalizations of each row by itself ------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/nn/normalization.h"
#include "frontends/cpp/api/Affine.h"
#include "frontends/cpp/api/Text.h"

namespace dlc::nn {
using namespace detail;

LayerNorm::LayerNorm(Sizes normalized_shape, LayerNormOptions options, Where where)
    : shape(std::move(normalized_shape)), options(options) {
  At at(where);
  for (int64_t size : shape.each)
    requirePositive("normalized_shape", size, where);
  requireEps(options.eps, where);
  registerAffine(*this, shape.each, options.elementwise_affine, options.bias, where);
  set_description(pythonTuple(shape.each) + ", eps=" + pythonNumber(options.eps) +
                  ", elementwise_affine=" + pythonBool(options.elementwise_affine) +
                  ", bias=" + pythonBool(options.elementwise_affine && options.bias));
}

Tensor LayerNorm::computed(Tensor x) {
  bool hasBias = options.elementwise_affine && options.bias;
  return functional::layer_norm(x, shape, options.elementwise_affine ? parameter("weight") : Tensor(),
                                hasBias ? parameter("bias") : Tensor(), options.eps, caller());
}

RMSNorm::RMSNorm(Sizes normalized_shape, RMSNormOptions options, Where where)
    : shape(std::move(normalized_shape)), options(options) {
  At at(where);
  for (int64_t size : shape.each)
    requirePositive("normalized_shape", size, where);
  requireEps(options.eps.value_or(0), where);
  registerAffine(*this, shape.each, options.elementwise_affine, /*bias=*/false, where);
  set_description(pythonTuple(shape.each) + ", eps=" + (options.eps ? pythonNumber(*options.eps) : "None") +
                  ", elementwise_affine=" + pythonBool(options.elementwise_affine));
}

Tensor RMSNorm::computed(Tensor x) {
  return functional::rms_norm(x, shape, options.elementwise_affine ? parameter("weight") : Tensor(),
                              options.eps, caller());
}

GroupNorm::GroupNorm(int64_t num_groups, int64_t num_channels, GroupNormOptions options, Where where)
    : groups(num_groups), channels(num_channels), options(options) {
  At at(where);
  requirePositive("num_groups", groups, where);
  requirePositive("num_channels", channels, where);
  requireEps(options.eps, where);
  if (channels % groups)
    fail("num_groups: expected a divisor of " + std::to_string(channels) + " channels, got " +
             std::to_string(groups),
         where);
  registerAffine(*this, {channels}, options.affine, options.bias, where);
  set_description(std::to_string(groups) + ", " + std::to_string(channels) +
                  ", eps=" + pythonNumber(options.eps) + ", affine=" + pythonBool(options.affine) +
                  ", bias=" + pythonBool(options.affine && options.bias));
}

Tensor GroupNorm::computed(Tensor x) {
  Where where = caller();
  if (x.dim() < 2 || x.size(1) != Dim(channels))
    fail("GroupNorm: expected [batch, channels, ...] with " + std::to_string(channels) + " channels, got " +
             str(x.shape()),
         where);
  return functional::group_norm(x, groups, options.affine ? parameter("weight") : Tensor(),
                                options.affine && options.bias ? parameter("bias") : Tensor(), options.eps,
                                where);
}

LocalResponseNorm::LocalResponseNorm(int64_t size, double alpha, double beta, double k, Where where)
    : size(size), alpha(alpha), beta(beta), k(k) {
  requirePositive("size", size, where);
  set_description(std::to_string(size) + ", alpha=" + pythonNumber(alpha) + ", beta=" + pythonNumber(beta) +
                  ", k=" + pythonNumber(k));
}

Tensor LocalResponseNorm::computed(Tensor x) {
  return functional::local_response_norm(x, size, alpha, beta, k, caller());
}

} // namespace dlc::nn
