//===- BatchNorm.cpp - normalization of each feature over batches and places -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/nn/normalization.h"
#include "frontends/cpp/api/Affine.h"
#include "frontends/cpp/api/Loops.h"
#include "frontends/cpp/api/Text.h"

namespace dlc {

namespace detail {
using namespace nn;

void registerAffine(Module &module, const std::vector<int64_t> &shape, bool weight, bool bias,
                    const Where &where) {
  if (weight)
    module.register_parameter("weight", filledTensor(shape, 1, where), where);
  if (weight && bias)
    module.register_parameter("bias", filledTensor(shape, 0, where), where);
}

} // namespace detail

namespace nn {
using namespace detail;

static void requireMomentum(double momentum, const Where &where) {
  if (!(momentum >= 0 && momentum <= 1))
    fail("momentum: expected a number from 0 to 1, got " + pythonNumber(momentum), where);
}

static void registerRunning(Module &module, int64_t features, const Where &where) {
  module.register_buffer("running_mean", filledTensor({features}, 0, where), where);
  module.register_buffer("running_var", filledTensor({features}, 1, where), where);
}

BatchNorm::BatchNorm(int64_t spatial, int64_t num_features, const BatchNormOptions &options,
                     const Where &where)
    : spatial(spatial), features(num_features), options(options) {
  At at(where);
  requirePositive("num_features", num_features, where);
  requireEps(options.eps, where);
  if (options.momentum)
    requireMomentum(*options.momentum, where);
  registerAffine(*this, {features}, options.affine, options.bias, where);
  if (options.track_running_stats) {
    registerRunning(*this, features, where);
    if (!options.momentum)
      register_buffer("num_batches_tracked", zeros({}, int64), where);
  }
  set_description(std::to_string(features) + ", eps=" + pythonNumber(options.eps) +
                  ", momentum=" + (options.momentum ? pythonNumber(*options.momentum) : "None") +
                  ", affine=" + pythonBool(options.affine) +
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

/// A step's weight in the statistics is 1 / n, in the n-th step.
Tensor BatchNorm::withMeanOfBatches(const Tensor &x, const Tensor &weight, const Tensor &bias,
                                    const Where &where) {
  std::vector<Tensor> training =
      applyAll("nn.batch_norm", {x, weight, bias}, {{"epsilon", options.eps}}, where);
  Tensor count =
      full_like(x.select(1, 0), 1).sum(); // of a feature's elements; a single one has the variance 0
  Tensor unbiased = training[2] * (count / maximum(count - 1, 1));
  Tensor steps = parameter("num_batches_tracked") + 1, share = 1 / steps.to(x.dtype());
  update_buffer("num_batches_tracked", steps);
  Tensor mean = parameter("running_mean"), variance = parameter("running_var");
  update_buffer("running_mean", (1 - share) * mean + share * training[1]);
  update_buffer("running_var", (1 - share) * variance + share * unbiased);
  return by_mode(training[0], apply("nn.batch_norm_inference", {x, weight, bias, mean, variance},
                                    {{"epsilon", options.eps}}, where));
}

Tensor BatchNorm::computed(Tensor x) {
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
  requireNoLoopBody("running_mean", where);
  if (!options.momentum)
    return withMeanOfBatches(x, weight, bias, where);
  return apply("train.batch_norm", {x, weight, bias},
               {{"mean", record::NameOf{mean.id()}},
                {"variance", record::NameOf{variance.id()}},
                {"momentum", 1 - *options.momentum},
                {"epsilon", options.eps}},
               where, {{x.shape(), x.dtype()}});
}

InstanceNorm::InstanceNorm(int64_t spatial, int64_t num_features, const InstanceNormOptions &options,
                           const Where &where)
    : spatial(spatial), features(num_features), options(options) {
  At at(where);
  requirePositive("num_features", num_features, where);
  requireEps(options.eps, where);
  requireMomentum(options.momentum, where);
  registerAffine(*this, {features}, options.affine, options.bias, where);
  if (options.track_running_stats)
    registerRunning(*this, features, where);
  set_description(std::to_string(features) + ", eps=" + pythonNumber(options.eps) +
                  ", momentum=" + pythonNumber(options.momentum) + ", affine=" + pythonBool(options.affine) +
                  ", bias=" + pythonBool(options.affine && options.bias) +
                  ", track_running_stats=" + pythonBool(options.track_running_stats));
}

/// `y` in training, which moves the running statistics; in evaluation x by these.
Tensor InstanceNorm::withRunning(const Tensor &x, const Tensor &y, const Tensor &weight, const Tensor &bias,
                                 const Where &where) {
  Tensor mean = parameter("running_mean"), variance = parameter("running_var");
  Tensor evaluated = apply("nn.batch_norm_inference",
                           {x, weight.defined() ? weight : full({features}, 1, x.dtype()),
                            bias.defined() ? bias : full({features}, 0, x.dtype()), mean, variance},
                           {{"epsilon", options.eps}}, where);
  if (!is_training())
    return evaluated;
  std::vector<int64_t> places;
  for (int64_t dim = 2; dim < x.dim(); ++dim)
    places.push_back(dim);
  auto moved = [&](const Tensor &running, const Tensor &ofRows) {
    return (1 - options.momentum) * running + options.momentum * ofRows.mean({0});
  };
  update_buffer("running_mean", moved(mean, x.mean(places)));
  update_buffer("running_var", moved(variance, x.var(places)));
  return by_mode(y, evaluated);
}

Tensor InstanceNorm::computed(Tensor x) {
  Where where = caller();
  At at(where);
  bool isAlone = x.dim() == spatial + 1; // without a batch
  if (isAlone)
    x = x.unsqueeze(0);
  requireFeatures(type_name(), x, spatial, features, /*maySkip=*/false, where);
  Tensor weight = options.affine ? parameter("weight") : Tensor(),
         bias = options.affine && options.bias ? parameter("bias") : Tensor();
  Tensor y = functional::instance_norm(x, weight, bias, options.eps);
  if (options.track_running_stats)
    y = withRunning(x, y, weight, bias, where);
  return isAlone ? y.squeeze(0) : y;
}

#define DLC_NORM(Name, Base, Options, spatial)                                                               \
  Name::Name(int64_t num_features, Options options, Where where)                                             \
      : Base(spatial, num_features, options, where) {}                                                       \
  Name::~Name() = default;
DLC_NORM(BatchNorm1d, BatchNorm, BatchNormOptions, 1)
DLC_NORM(BatchNorm2d, BatchNorm, BatchNormOptions, 2)
DLC_NORM(BatchNorm3d, BatchNorm, BatchNormOptions, 3)
DLC_NORM(InstanceNorm1d, InstanceNorm, InstanceNormOptions, 1)
DLC_NORM(InstanceNorm2d, InstanceNorm, InstanceNormOptions, 2)
DLC_NORM(InstanceNorm3d, InstanceNorm, InstanceNormOptions, 3)
#undef DLC_NORM

} // namespace nn
} // namespace dlc
