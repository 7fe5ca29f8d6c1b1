//===- dlc/nn/pair_loss.h - distances, and losses of pairs ---------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes alike things near and others far. See loss.h for what holds of all losses.
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_PAIR_LOSS_H
#define DLC_NN_PAIR_LOSS_H

#include "dlc/nn/module.h"

namespace dlc::nn {

/// Options of cosine_embedding_loss(), where unlike vectors cost nothing up to a cosine of the margin, and of
/// margin_ranking_loss(), where the larger input costs nothing if it is larger by the margin.
struct MarginOptions {
  double margin = 0;              ///< the cosine, or the difference, at which the loss becomes 0
  const char *reduction = "mean"; ///< or "sum", "none"
};
/// Options of triplet_margin_loss(). The distance is pairwise_distance() with this p and this eps.
struct TripletMarginOptions {
  double margin = 1;              ///< by which the negative is to be farther than the positive
  double p = 2;                   ///< the exponent of the norm
  double eps = 1e-6;              ///< is added to differences
  bool swap = false;              ///< the negative's distance from the positive counts where it is smaller
  const char *reduction = "mean"; ///< or "sum", "none"
};
/// Options of triplet_margin_with_distance_loss(), which takes the distance as an argument of its own.
struct TripletMarginWithDistanceOptions {
  double margin = 1;              ///< by which the negative is to be farther than the positive
  bool swap = false;              ///< the negative's distance from the positive counts where it is smaller
  const char *reduction = "mean"; ///< or "sum", "none"
};

namespace functional {

/// 1 - cosine of the vectors [rows, features] where the target [rows] is 1, max(0, cosine - margin) where it
/// is -1.
DLC_API Tensor cosine_embedding_loss(const Tensor &x1, const Tensor &x2, const Tensor &target,
                                     MarginOptions options = {}, Where where = Where::current());
/// max(0, margin - target (x1 - x2)) for targets of 1 and -1.
DLC_API Tensor margin_ranking_loss(const Tensor &x1, const Tensor &x2, const Tensor &target,
                                   MarginOptions options = {}, Where where = Where::current());
/// max(0, margin + distance of anchor and positive - distance of anchor and negative), all [rows, features].
/// Balntas et al. 2016.
DLC_API Tensor triplet_margin_loss(const Tensor &anchor, const Tensor &positive, const Tensor &negative,
                                   TripletMarginOptions options = {}, Where where = Where::current());
/// A distance of two tensors, row by row.
using Distance = std::function<Tensor(const Tensor &, const Tensor &)>;
/// The same with another distance of rows than the p-norm of their difference.
DLC_API Tensor triplet_margin_with_distance_loss(const Tensor &anchor, const Tensor &positive,
                                                 const Tensor &negative, const Distance &distance_function,
                                                 TripletMarginWithDistanceOptions options = {},
                                                 Where where = Where::current());

/// The cosine of the angle between vectors along `dim`; lengths below `eps` count as it.
DLC_API Tensor cosine_similarity(const Tensor &x1, const Tensor &x2, int64_t dim = 1, double eps = 1e-8,
                                 Where where = Where::current());
/// The p-norm of x1 - x2 + eps along the last dim.
DLC_API Tensor pairwise_distance(const Tensor &x1, const Tensor &x2, double p = 2, double eps = 1e-6,
                                 bool keepdim = false, Where where = Where::current());

} // namespace functional

/// functional::cosine_similarity().
class DLC_API CosineSimilarity : public Module {
public:
  explicit CosineSimilarity(int64_t dim = 1, double eps = 1e-8);
  ~CosineSimilarity() override;
  using Module::forward;
  /// The cosine.
  virtual Tensor forward(Tensor x1, Tensor x2);
  /// forward(); errors in it name this module.
  Tensor operator()(const Tensor &x1, const Tensor &x2, Where where = Where::current());

private:
  int64_t dim;
  double eps;
};

/// functional::pairwise_distance().
class DLC_API PairwiseDistance : public Module {
public:
  explicit PairwiseDistance(double p = 2, double eps = 1e-6, bool keepdim = false);
  ~PairwiseDistance() override;
  using Module::forward;
  /// The distance.
  virtual Tensor forward(Tensor x1, Tensor x2);
  /// forward(); errors in it name this module.
  Tensor operator()(const Tensor &x1, const Tensor &x2, Where where = Where::current());

private:
  double p, eps;
  bool keepdim;
};

/// Losses of three tensors are called like functions.
#define DLC_LOSS(Name, Options)                                                                              \
  class DLC_API Name : public Module {                                                                       \
  public:                                                                                                    \
    explicit Name(Options options = {});                                                                     \
    ~Name() override;                                                                                        \
    using Module::forward;                                                                                   \
    /** The loss. */                                                                                         \
    virtual Tensor forward(Tensor a, Tensor b, Tensor c);                                                    \
    /** forward(); errors in it name this module. */                                                         \
    Tensor operator()(const Tensor &a, const Tensor &b, const Tensor &c, Where where = Where::current());    \
                                                                                                             \
  private:                                                                                                   \
    Options options;                                                                                         \
  };
/// functional::cosine_embedding_loss().
DLC_LOSS(CosineEmbeddingLoss, MarginOptions)
/// functional::margin_ranking_loss().
DLC_LOSS(MarginRankingLoss, MarginOptions)
/// functional::triplet_margin_loss().
DLC_LOSS(TripletMarginLoss, TripletMarginOptions)
#undef DLC_LOSS

/// functional::triplet_margin_with_distance_loss().
class DLC_API TripletMarginWithDistanceLoss : public Module {
public:
  /// With the distance of PairwiseDistance.
  explicit TripletMarginWithDistanceLoss(TripletMarginWithDistanceOptions options = {});
  /// With another distance.
  explicit TripletMarginWithDistanceLoss(functional::Distance distance_function,
                                         TripletMarginWithDistanceOptions options = {});
  /// Copies share the parameters.
  ///@{
  TripletMarginWithDistanceLoss(const TripletMarginWithDistanceLoss &);
  TripletMarginWithDistanceLoss &operator=(const TripletMarginWithDistanceLoss &);
  ~TripletMarginWithDistanceLoss() override;
  ///@}
  using Module::forward;
  /// The loss.
  virtual Tensor forward(Tensor anchor, Tensor positive, Tensor negative);
  /// forward(); errors in it name this module.
  Tensor operator()(const Tensor &anchor, const Tensor &positive, const Tensor &negative,
                    Where where = Where::current());

private:
  functional::Distance distance;
  TripletMarginWithDistanceOptions options;
};

} // namespace dlc::nn

#endif // DLC_NN_PAIR_LOSS_H
