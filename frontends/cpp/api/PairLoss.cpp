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

CosineSimilarity::CosineSimilarity(int64_t dim, double eps) : dim(dim), eps(eps) {}
CosineSimilarity::~CosineSimilarity() = default;
Tensor CosineSimilarity::forward(Tensor x1, Tensor x2) {
  return functional::cosine_similarity(x1, x2, dim, eps, caller());
}
Tensor CosineSimilarity::operator()(const Tensor &x1, const Tensor &x2, Where where) {
  return dlc::detail::called(*this, where, x1, x2);
}

PairwiseDistance::PairwiseDistance(double p, double eps, bool keepdim) : p(p), eps(eps), keepdim(keepdim) {}
PairwiseDistance::~PairwiseDistance() = default;
Tensor PairwiseDistance::forward(Tensor x1, Tensor x2) {
  return functional::pairwise_distance(x1, x2, p, eps, keepdim, caller());
}
Tensor PairwiseDistance::operator()(const Tensor &x1, const Tensor &x2, Where where) {
  return dlc::detail::called(*this, where, x1, x2);
}

#define DLC_LOSS(Name, function, Options)                                                                    \
  Name::Name(Options options) : options(options) {}                                                          \
  Name::~Name() = default;                                                                                   \
  Tensor Name::forward(Tensor a, Tensor b, Tensor c) {                                                       \
    return functional::function(a, b, c, options, caller());                                                 \
  }                                                                                                          \
  Tensor Name::operator()(const Tensor &a, const Tensor &b, const Tensor &c, Where where) {                  \
    return dlc::detail::called(*this, where, a, b, c);                                                       \
  }
DLC_LOSS(CosineEmbeddingLoss, cosine_embedding_loss, MarginOptions)
DLC_LOSS(MarginRankingLoss, margin_ranking_loss, MarginOptions)
DLC_LOSS(TripletMarginLoss, triplet_margin_loss, TripletMarginOptions)
#undef DLC_LOSS

TripletMarginWithDistanceLoss::TripletMarginWithDistanceLoss(TripletMarginWithDistanceOptions options)
    : options(options) {
  PairwiseDistance pairwise = register_module("distance_function", PairwiseDistance());
  distance = [pairwise](const Tensor &a, const Tensor &b) mutable { return pairwise(a, b); };
}

TripletMarginWithDistanceLoss::TripletMarginWithDistanceLoss(functional::Distance distance_function,
                                                             TripletMarginWithDistanceOptions options)
    : distance(std::move(distance_function)), options(options) {}
Tensor TripletMarginWithDistanceLoss::forward(Tensor anchor, Tensor positive, Tensor negative) {
  return functional::triplet_margin_with_distance_loss(anchor, positive, negative, distance, options,
                                                       caller());
}
Tensor TripletMarginWithDistanceLoss::operator()(const Tensor &anchor, const Tensor &positive,
                                                 const Tensor &negative, Where where) {
  return dlc::detail::called(*this, where, anchor, positive, negative);
}

} // namespace dlc::nn
