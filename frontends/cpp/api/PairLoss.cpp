//===- PairLoss.cpp - distances, and losses of pairs ---------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/nn/pair_loss.h"
#include "frontends/cpp/api/Loss.h"

namespace dlc::nn {
using namespace detail;

namespace functional {

Tensor cosine_similarity(const Tensor &x1, const Tensor &x2, int64_t dim, double eps, Where where) {
  At at(where);
  auto length = [&](const Tensor &x) {
    Tensor norm = x.norm(2, dim, true);
    return norm + (maximum(norm, eps) - norm).detach(); // the gradient is that of the norm, as PyTorch has it
  };
  return (x1 / length(x1) * (x2 / length(x2))).sum(dim);
}

Tensor pairwise_distance(const Tensor &x1, const Tensor &x2, double p, double eps, bool keepdim,
                         Where where) {
  At at(where);
  return (x1 - x2 + eps).norm(p, -1, keepdim);
}

Tensor cosine_embedding_loss(const Tensor &x1, const Tensor &x2, const Tensor &target, MarginOptions options,
                             Where where) {
  At at(where);
  requireSameShape("cosine_embedding_loss", x1, x2, where);
  if (x1.dim() < 1 || x1.dim() > 2 || target.dim() + 1 != x1.dim())
    fail("cosine_embedding_loss: expected tensors [rows, features] and a target [rows], got " +
             str(x1.shape()) + " and " + str(target.shape()),
         where);
  auto square = [](const Tensor &x) { return (x * x).sum(-1) + 1e-12; };
  Tensor cosine = (x1 * x2).sum(-1) / sqrt(square(x1) * square(x2));
  Tensor far = (target == -1).to(x1.dtype()) * notBelowZero(cosine - options.margin);
  return reduce((target == 1).to(x1.dtype()) * (1 - cosine) + far, options.reduction, where);
}

Tensor margin_ranking_loss(const Tensor &x1, const Tensor &x2, const Tensor &target, MarginOptions options,
                           Where where) {
  At at(where);
  requireSameShape("margin_ranking_loss", x1, x2, where);
  requireSameShape("margin_ranking_loss", x1, target, where);
  return reduce(notBelowZero(options.margin - target * (x1 - x2)), options.reduction, where);
}

Tensor triplet_margin_with_distance_loss(const Tensor &anchor, const Tensor &positive, const Tensor &negative,
                                         const Distance &distance, TripletMarginWithDistanceOptions options,
                                         Where where) {
  At at(where);
  Tensor near = distance(anchor, positive), far = distance(anchor, negative);
  if (options.swap)
    far = minimum(far, distance(positive, negative));
  return reduce(notBelowZero(options.margin + near - far), options.reduction, where);
}

Tensor triplet_margin_loss(const Tensor &anchor, const Tensor &positive, const Tensor &negative,
                           TripletMarginOptions options, Where where) {
  auto distance = [&](const Tensor &a, const Tensor &b) {
    return pairwise_distance(a, b, options.p, options.eps);
  };
  return triplet_margin_with_distance_loss(anchor, positive, negative, distance,
                                           {options.margin, options.swap, options.reduction}, where);
}

} // namespace functional

TripletMarginWithDistanceLoss::TripletMarginWithDistanceLoss(TripletMarginWithDistanceOptions options)
    : options(options) {
  PairwiseDistance pairwise = register_module("distance_function", PairwiseDistance());
  distance = [pairwise](const Tensor &a, const Tensor &b) mutable { return pairwise(a, b); };
}

} // namespace dlc::nn
