//===- Normalization.cpp - values of mean 0 and variance 1 ---------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/nn/normalization.h"
#include "frontends/cpp/api/Init.h"
#include "frontends/cpp/api/Text.h"
#include <cfloat>
#include <numeric>

namespace dlc {

namespace nn {
using namespace detail;

/// The first of the dims that `normalized` has the sizes of.
static int64_t firstNormalized(const char *function, const Tensor &x, const Sizes &normalized,
                               const Where &where) {
  int64_t axis = x.dim() - int64_t(normalized.each.size());
  bool fits = !normalized.each.empty() && axis >= 0;
  Shape shape = x.shape();
  for (size_t i = 0; fits && i < normalized.each.size(); ++i)
    fits = shape[axis + i] == Dim(normalized.each[i]);
  if (!fits)
    fail(std::string(function) + ": expected last dims of sizes " + pythonTuple(normalized.each) + ", got " +
             str(x.shape()),
         where);
  return axis;
}

/// `x` with the dims from `axis` on normalized together. A missing weight is one, a missing bias zero.
static Tensor normalizeFrom(const Tensor &x, int64_t axis, const Tensor &weight, const Tensor &bias,
                            double eps, const Where &where) {
  Shape all = x.shape(), shape(all.begin() + axis, all.end());
  return applyAll("nn.layer_norm",
                  {x, weight.defined() ? weight : full(shape, 1, x.dtype()),
                   bias.defined() ? bias : full(shape, 0, x.dtype())},
                  {{"axis", axis}, {"epsilon", eps}}, where)
      .front();
}

/// x scaled and shifted by one number for each channel (dim 1), or by none.
static Tensor scaleAndShift(Tensor x, const Tensor &weight, const Tensor &bias) {
  Shape column(x.dim() - 1, Dim(1));
  column[0] = x.size(1);
  if (weight.defined())
    x = x * weight.reshape(column);
  return bias.defined() ? x + bias.reshape(column) : x;
}

Tensor functional::layer_norm(const Tensor &x, Sizes normalized_shape, const Tensor &weight,
                              const Tensor &bias, double eps, Where where) {
  At at(where);
  return normalizeFrom(x, firstNormalized("layer_norm", x, normalized_shape, where), weight, bias, eps,
                       where);
}

Tensor functional::rms_norm(const Tensor &x, Sizes normalized_shape, const Tensor &weight,
                            std::optional<double> eps, Where where) {
  At at(where);
  int64_t axis = firstNormalized("rms_norm", x, normalized_shape, where);
  Axes axes;
  for (int64_t i = axis; i < x.dim(); ++i)
    axes.push_back(i);
  double smallest = eps.value_or(x.dtype() == float64 ? DBL_EPSILON : FLT_EPSILON);
  Tensor y = x * rsqrt((x * x).mean(axes, /*keepdim=*/true) + smallest);
  return weight.defined() ? y * weight : y;
}

Tensor functional::group_norm(const Tensor &x, int64_t num_groups, const Tensor &weight, const Tensor &bias,
                              double eps, Where where) {
  At at(where);
  requirePositive("num_groups", num_groups, where);
  Shape shape = x.shape();
  if (shape.size() < 2 || !shape[1].is_static() || shape[1].factor % num_groups)
    fail("group_norm: expected [batch, channels, ...] with channels that " + std::to_string(num_groups) +
             " groups divide, got " + str(shape),
         where);
  Shape grouped{shape[0], num_groups, shape[1].factor / num_groups};
  grouped.insert(grouped.end(), shape.begin() + 2, shape.end());
  return scaleAndShift(normalizeFrom(x.reshape(grouped), 2, {}, {}, eps, where).reshape(shape), weight, bias);
}

Tensor functional::instance_norm(const Tensor &x, const Tensor &weight, const Tensor &bias, double eps,
                                 Where where) {
  At at(where);
  if (x.dim() < 3)
    fail("instance_norm: expected [batch, channels, ...] with at least one spatial dim, got " +
             str(x.shape()),
         where);
  return scaleAndShift(normalizeFrom(x, 2, {}, {}, eps, where), weight, bias);
}

Tensor functional::local_response_norm(const Tensor &x, int64_t size, double alpha, double beta, double k,
                                       Where where) {
  At at(where);
  requirePositive("size", size, where);
  if (x.dim() < 3)
    fail("local_response_norm: expected [batch, channels, ...] of 3 dims or more, got " + str(x.shape()),
         where);
  // Channels become a spatial dim, of which a window covers `size`.
  Shape shape = x.shape();
  Dim places = std::accumulate(shape.begin() + 2, shape.end(), Dim(1),
                               [](const Dim &a, const Dim &b) { return a * b; });
  std::vector<int64_t> kernel{size, 1}, ones{1, 1}, low{size / 2, 0}, high{(size - 1) / 2, 0};
  Tensor squares = (x * x).reshape({shape[0], 1, shape[1], places});
  Tensor sums =
      apply("nn.sum_pool", {squares},
            {{"kernel", kernel}, {"strides", ones}, {"low", low}, {"high", high}, {"dilations", ones}}, where)
          .reshape(shape);
  return x / (sums * (alpha / double(size)) + k).pow(beta);
}

Tensor functional::normalize(const Tensor &x, double p, int64_t dim, double eps, Where where) {
  At at(where);
  return x / maximum(x.norm(p, dim, /*keepdim=*/true), eps);
}

//===-- Modules ----------------------------------------------------------------------------===//

/// Registers ones and zeros of this shape.
static void registerAffine(Module &module, const std::vector<int64_t> &shape, bool weight, bool bias,
                           const Where &where) {
  if (weight)
    module.register_parameter("weight", filledTensor(shape, 1, where), where);
  if (weight && bias)
    module.register_parameter("bias", filledTensor(shape, 0, where), where);
}

static std::string describe(double eps, bool affine, bool bias) {
  return ", eps=" + pythonNumber(eps) + ", affine=" + pythonBool(affine) +
         ", bias=" + pythonBool(affine && bias);
}

BatchNorm::BatchNorm(int64_t spatial, int64_t num_features, const BatchNormOptions &options,
                     const Where &where)
    : spatial(spatial), features(num_features), options(options) {
  At at(where);
  requirePositive("num_features", num_features, where);
  if (!(options.momentum >= 0 && options.momentum <= 1))
    fail("momentum: expected a number from 0 to 1, got " + pythonNumber(options.momentum), where);
  registerAffine(*this, {features}, options.affine, options.bias, where);
  if (options.track_running_stats) {
    register_buffer("running_mean", filledTensor({features}, 0, where), where);
    register_buffer("running_var", filledTensor({features}, 1, where), where);
  }
  set_description(std::to_string(features) + ", eps=" + pythonNumber(options.eps) +
                  ", momentum=" + pythonNumber(options.momentum) + ", affine=" + pythonBool(options.affine) +
                  ", bias=" + pythonBool(options.affine && options.bias) +
                  ", track_running_stats=" + pythonBool(options.track_running_stats));
}

static void requireFeatures(const std::string &module, const Tensor &x, int64_t spatial, int64_t features,
                            bool maySkip, const Where &where) {
  int64_t rank = spatial + 2;
  if ((x.dim() != rank && !(maySkip && x.dim() == rank - 1)) || x.size(1) != Dim(features))
    fail(module + ": expected " + (maySkip ? std::to_string(rank - 1) + " or " : std::string()) +
             std::to_string(rank) + " dims, of which dim 1 has " + std::to_string(features) +
             " features, got " + str(x.shape()),
         where);
}

Tensor BatchNorm::forward(Tensor x) {
  Where where = caller();
  At at(where);
  requireFeatures(type_name(), x, spatial, features, /*maySkip=*/spatial == 1, where);
  Tensor weight = options.affine ? parameter("weight") : full({features}, 1, x.dtype());
  Tensor bias = options.affine && options.bias ? parameter("bias") : full({features}, 0, x.dtype());
  if (!options.track_running_stats)
    return applyAll("nn.batch_norm", {x, weight, bias}, {{"epsilon", options.eps}}, where).front();
  Tensor mean = parameter("running_mean"), variance = parameter("running_var");
  if (!is_training())
    return apply("nn.batch_norm_inference", {x, weight, bias, mean, variance}, {{"epsilon", options.eps}},
                 where);
  if (x.dtype() != weight.dtype())
    fail(type_name() + ": expected " + name_of(weight.dtype()) + ", got " + name_of(x.dtype()), where);
  return apply("train.batch_norm", {x, weight, bias},
               {{"mean", record::NameOf{mean.id()}},
                {"variance", record::NameOf{variance.id()}},
                {"momentum", 1 - options.momentum},
                {"epsilon", options.eps}},
               where, {{x.shape(), x.dtype()}});
}

InstanceNorm::InstanceNorm(int64_t spatial, int64_t num_features, const InstanceNormOptions &options,
                           const Where &where)
    : spatial(spatial), features(num_features), options(options) {
  At at(where);
  requirePositive("num_features", num_features, where);
  registerAffine(*this, {features}, options.affine, options.bias, where);
  set_description(std::to_string(features) + ", eps=" + pythonNumber(options.eps) +
                  ", momentum=0.1, affine=" + pythonBool(options.affine) +
                  ", bias=" + pythonBool(options.affine && options.bias) + ", track_running_stats=False");
}

Tensor InstanceNorm::forward(Tensor x) {
  Where where = caller();
  At at(where);
  bool isAlone = x.dim() == spatial + 1; // without a batch
  if (isAlone)
    x = x.unsqueeze(0);
  requireFeatures(type_name(), x, spatial, features, /*maySkip=*/false, where);
  Tensor y =
      functional::instance_norm(x, options.affine ? parameter("weight") : Tensor(),
                                options.affine && options.bias ? parameter("bias") : Tensor(), options.eps);
  return isAlone ? y.squeeze(0) : y;
}

LayerNorm::LayerNorm(Sizes normalized_shape, LayerNormOptions options, Where where)
    : shape(std::move(normalized_shape)), options(options) {
  At at(where);
  for (int64_t size : shape.each)
    requirePositive("normalized_shape", size, where);
  registerAffine(*this, shape.each, options.elementwise_affine, options.bias, where);
  set_description(pythonTuple(shape.each) + ", eps=" + pythonNumber(options.eps) +
                  ", elementwise_affine=" + pythonBool(options.elementwise_affine) +
                  ", bias=" + pythonBool(options.elementwise_affine && options.bias));
}

Tensor LayerNorm::forward(Tensor x) {
  bool hasBias = options.elementwise_affine && options.bias;
  return functional::layer_norm(x, shape, options.elementwise_affine ? parameter("weight") : Tensor(),
                                hasBias ? parameter("bias") : Tensor(), options.eps, caller());
}

RMSNorm::RMSNorm(Sizes normalized_shape, RMSNormOptions options, Where where)
    : shape(std::move(normalized_shape)), options(options) {
  At at(where);
  for (int64_t size : shape.each)
    requirePositive("normalized_shape", size, where);
  registerAffine(*this, shape.each, options.elementwise_affine, /*bias=*/false, where);
  set_description(pythonTuple(shape.each) + ", eps=" + (options.eps ? pythonNumber(*options.eps) : "None") +
                  ", elementwise_affine=" + pythonBool(options.elementwise_affine));
}

Tensor RMSNorm::forward(Tensor x) {
  return functional::rms_norm(x, shape, options.elementwise_affine ? parameter("weight") : Tensor(),
                              options.eps, caller());
}

GroupNorm::GroupNorm(int64_t num_groups, int64_t num_channels, GroupNormOptions options, Where where)
    : groups(num_groups), channels(num_channels), options(options) {
  At at(where);
  requirePositive("num_groups", groups, where);
  requirePositive("num_channels", channels, where);
  if (channels % groups)
    fail("num_groups: expected a divisor of " + std::to_string(channels) + " channels, got " +
             std::to_string(groups),
         where);
  registerAffine(*this, {channels}, options.affine, options.bias, where);
  set_description(std::to_string(groups) + ", " + std::to_string(channels) +
                  describe(options.eps, options.affine, options.bias));
}

Tensor GroupNorm::forward(Tensor x) {
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

Tensor LocalResponseNorm::forward(Tensor x) {
  return functional::local_response_norm(x, size, alpha, beta, k, caller());
}

} // namespace nn
} // namespace dlc
