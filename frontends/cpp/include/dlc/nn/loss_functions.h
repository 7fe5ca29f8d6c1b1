//===- dlc/nn/loss_functions.h - losses as functions of tensors -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's losses, which program(model, output, loss, optimizer) minimises. The reduction is "mean", "sum"
// or "none".
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_LOSS_FUNCTIONS_H
#define DLC_NN_LOSS_FUNCTIONS_H

#include "dlc/ops.h"

namespace dlc::nn {

/// Options of the losses that have a reduction only: mse_loss(), l1_loss(), soft_margin_loss() and
/// multilabel_margin_loss().
struct LossOptions {
  const char *reduction = "mean"; ///< or "sum", "none"
};
/// Options of smooth_l1_loss(). A beta of 0 makes it l1_loss(); a negative one is an error.
struct SmoothL1Options {
  double beta = 1;                ///< the distance from which the loss is a straight line
  const char *reduction = "mean"; ///< or "sum", "none"
};
/// Options of huber_loss(), whose delta is above 0.
struct HuberOptions {
  double delta = 1;               ///< the distance from which the loss is a straight line
  const char *reduction = "mean"; ///< or "sum", "none"
};
/// Options of cross_entropy(). A weight of another shape and a label_smoothing that is not from 0 to 1 are
/// errors.
struct CrossEntropyOptions {
  Tensor weight{};                ///< [classes]
  int64_t ignore_index = -100;    ///< rows of this class count nothing
  double label_smoothing = 0;     ///< this part of the probability goes to all classes evenly
  const char *reduction = "mean"; ///< or "sum", "none"
};
/// Options of nll_loss(). A weight of another shape is an error.
struct NLLOptions {
  Tensor weight{};                ///< [classes]
  int64_t ignore_index = -100;    ///< rows of this class count nothing
  const char *reduction = "mean"; ///< or "sum", "none"
};
/// Options of binary_cross_entropy().
struct BCEOptions {
  Tensor weight{};                ///< multiplies the loss of each element; it is broadcast
  const char *reduction = "mean"; ///< or "sum", "none"
};
/// Options of binary_cross_entropy_with_logits(). A pos_weight above 1 makes a missed 1 cost more, which
/// raises the recall; one below 1 raises the precision.
struct BCEWithLogitsOptions {
  Tensor weight{};                ///< multiplies the loss of each element; it is broadcast
  Tensor pos_weight{};            ///< multiplies the loss where the target is 1; it is broadcast
  const char *reduction = "mean"; ///< or "sum", "none"
};
/// Options of kl_div(). The divergence of distributions, one in each row, is "batchmean"; "mean" divides the
/// sum by the number of elements.
struct KLDivOptions {
  bool log_target = false;        ///< the target holds logarithms, too
  const char *reduction = "mean"; ///< or "sum", "none", "batchmean": the sum divided by the rows
};
/// Options of hinge_embedding_loss(), for x that are distances of pairs.
struct HingeEmbeddingOptions {
  double margin = 1;              ///< the distance from which unlike things cost nothing
  const char *reduction = "mean"; ///< or "sum", "none"
};
/// Options of gaussian_nll_loss(). An eps that is not above 0 is an error.
struct GaussianNLLOptions {
  bool full = false;              ///< with the constant term ln(2 pi) / 2
  double eps = 1e-6;              ///< variances below it count as it, and have no gradient
  const char *reduction = "mean"; ///< or "sum", "none"
};
/// Options of poisson_nll_loss(), for targets that are counts.
struct PoissonNLLOptions {
  bool log_input = true;          ///< x is the logarithm of the rate
  bool full = false;              ///< with Stirling's approximation of ln(target!)
  double eps = 1e-8;              ///< is added to rates before their logarithm
  const char *reduction = "mean"; ///< or "sum", "none"
};
/// Options of multi_margin_loss(). A p other than 1 and 2 is an error; the weight is that of the target's
/// class.
struct MultiMarginOptions {
  int64_t p = 1;                  ///< or 2: the power of each distance
  double margin = 1;              ///< the distance from which a class costs nothing
  Tensor weight{};                ///< [classes]
  const char *reduction = "mean"; ///< or "sum", "none"
};
/// Options of multilabel_soft_margin_loss(), whose weight multiplies the loss of each class.
struct MultiLabelOptions {
  Tensor weight{};                ///< [classes]
  const char *reduction = "mean"; ///< or "sum", "none"
};

namespace functional {

// x and target have one shape, unless something else is said; the reduction makes one number of all.

#define DLC_LOSS(name, Options)                                                                              \
  DLC_API Tensor name(const Tensor &x, const Tensor &target, Options options = {},                           \
                      Where where = Where::current());
/// (x - target)^2.
DLC_LOSS(mse_loss, LossOptions)
/// |x - target|.
DLC_LOSS(l1_loss, LossOptions)
/// d^2 / (2 beta) of a distance d = |x - target| below beta, else d - beta / 2.
DLC_LOSS(smooth_l1_loss, SmoothL1Options)
/// d^2 / 2 of a distance d = |x - target| below delta, else delta (d - delta / 2). Huber 1964.
DLC_LOSS(huber_loss, HuberOptions)
/// -ln of the probability, softmax(x), of the target: of scores [rows, classes, ...] or [classes]. The target
/// holds classes, integers without the dim of the classes, or a probability for each. A mean is divided by
/// the weights that counted.
DLC_LOSS(cross_entropy, CrossEntropyOptions)
/// The same of logarithms of probabilities; the target holds classes.
DLC_LOSS(nll_loss, NLLOptions)
/// -(target ln x + (1 - target) ln(1 - x)) for probabilities x; logarithms are at least -100.
DLC_LOSS(binary_cross_entropy, BCEOptions)
/// The same of sigmoid(x), without overflow.
DLC_LOSS(binary_cross_entropy_with_logits, BCEWithLogitsOptions)
/// target (ln target - x) for logarithms of probabilities x: the divergence of x from the target. Kullback
/// and Leibler 1951.
DLC_LOSS(kl_div, KLDivOptions)
/// x where the target is 1, max(0, margin - x) where it is -1.
DLC_LOSS(hinge_embedding_loss, HingeEmbeddingOptions)
/// ln(1 + e^(-target x)) for targets of 1 and -1.
DLC_LOSS(soft_margin_loss, LossOptions)
/// e^x - target x, or without `log_input` x - target ln(x + eps).
DLC_LOSS(poisson_nll_loss, PoissonNLLOptions)
/// The mean of binary_cross_entropy_with_logits() over the classes, of scores and targets [rows, classes].
DLC_LOSS(multilabel_soft_margin_loss, MultiLabelOptions)
/// The sum of max(0, margin - x[target] + x[i])^p over all other classes i, divided by the number of classes,
/// of scores [rows, classes], or [classes], and the rows' classes.
DLC_LOSS(multi_margin_loss, MultiMarginOptions)
/// The sum of max(0, 1 - x[j] + x[i]) over the target's classes j and all other classes i, divided by the
/// number of classes, of scores [rows, classes], or [classes]. The target has the classes that each row
/// belongs to, and -1 behind them.
DLC_LOSS(multilabel_margin_loss, LossOptions)
#undef DLC_LOSS

/// (ln var + (x - target)^2 / var) / 2 for the variance var, which has the shape of x or one for each row.
/// Nix and Weigend 1994.
DLC_API Tensor gaussian_nll_loss(const Tensor &x, const Tensor &target, const Tensor &var,
                                 GaussianNLLOptions options = {}, Where where = Where::current());
} // namespace functional

} // namespace dlc::nn

#endif // DLC_NN_LOSS_FUNCTIONS_H
