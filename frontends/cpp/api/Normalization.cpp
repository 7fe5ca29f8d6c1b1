//===- Normalization.cpp - values of mean 0 and variance 1 -------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/nn/normalization.h"
#include "frontends/cpp/api/Init.h"
#include "frontends/cpp/api/Text.h"
#include <cfloat>
#include <numeric>

namespace dlc::nn {
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
  Shape shape = x.shape(), grouped = shape;
  if (x.dim() > 3) // groups of one channel
    grouped.insert(grouped.begin() + 2, 1);
  return scaleAndShift(normalizeFrom(x.reshape(grouped), 2, {}, {}, eps, where).reshape(shape), weight, bias);
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

} // namespace dlc::nn
