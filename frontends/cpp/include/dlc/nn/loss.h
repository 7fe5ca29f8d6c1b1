//===- dlc/nn/loss.h - losses as functions of tensors ------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's losses. The reduction is "mean", "sum" or "none". A loss that is computed so is minimised with
// program(model, loss, optimizer); a module of one output and one target also with program(model, module,
// optimizer, input), which makes the target an input. dlc::loss (training.h) has those of `dlc compile
// --loss`.
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_LOSS_H
#define DLC_NN_LOSS_H

#include "dlc/nn/module.h"

namespace dlc::nn {

struct LossOptions {
  const char *reduction = "mean";
};
struct SmoothL1Options {
  double beta = 1;
  const char *reduction = "mean";
};
struct HuberOptions {
  double delta = 1;
  const char *reduction = "mean";
};
struct CrossEntropyOptions {
  Tensor weight{}; ///< [classes]
  int64_t ignore_index = -100;
  double label_smoothing = 0;
  const char *reduction = "mean";
};
struct NLLOptions {
  Tensor weight{}; ///< [classes]
  int64_t ignore_index = -100;
  const char *reduction = "mean";
};
struct BCEOptions {
  Tensor weight{}; ///< of each element, broadcast
  const char *reduction = "mean";
};
struct BCEWithLogitsOptions {
  Tensor weight{}, pos_weight{}; ///< of each element; of those where the target is 1
  const char *reduction = "mean";
};
struct KLDivOptions {
  bool log_target = false;
  const char *reduction = "mean"; ///< or "batchmean", the sum divided by the rows
};
struct HingeEmbeddingOptions {
  double margin = 1;
  const char *reduction = "mean";
};
struct GaussianNLLOptions {
  bool full = false;
  double eps = 1e-6; ///< variances below it count as it, and have no gradient
  const char *reduction = "mean";
};
struct PoissonNLLOptions {
  bool log_input = true, full = false;
  double eps = 1e-8;
  const char *reduction = "mean";
};
struct MultiMarginOptions {
  int64_t p = 1; ///< or 2
  double margin = 1;
  Tensor weight{}; ///< [classes]
  const char *reduction = "mean";
};
struct MultiLabelOptions {
  Tensor weight{}; ///< [classes]
  const char *reduction = "mean";
};

namespace functional {

#define DLC_LOSS(name, Options)                                                                              \
  DLC_API Tensor name(const Tensor &x, const Tensor &target, Options options = {},                           \
                      Where where = Where::current());
DLC_LOSS(mse_loss, LossOptions)
DLC_LOSS(l1_loss, LossOptions)
DLC_LOSS(smooth_l1_loss, SmoothL1Options)
DLC_LOSS(huber_loss, HuberOptions)
/// Of scores [rows, classes, ...] or [classes]; the target holds classes, or a probability for each.
DLC_LOSS(cross_entropy, CrossEntropyOptions)
/// Of logarithms of probabilities.
DLC_LOSS(nll_loss, NLLOptions)
DLC_LOSS(binary_cross_entropy, BCEOptions)
DLC_LOSS(binary_cross_entropy_with_logits, BCEWithLogitsOptions)
DLC_LOSS(kl_div, KLDivOptions)
DLC_LOSS(hinge_embedding_loss, HingeEmbeddingOptions)
DLC_LOSS(soft_margin_loss, LossOptions)
DLC_LOSS(poisson_nll_loss, PoissonNLLOptions)
DLC_LOSS(multilabel_soft_margin_loss, MultiLabelOptions)
/// Of scores [rows, classes], or [classes], and the rows' classes.
DLC_LOSS(multi_margin_loss, MultiMarginOptions)
/// Of scores [rows, classes], or [classes]; the target has the classes that each row belongs to, and -1
/// behind them.
DLC_LOSS(multilabel_margin_loss, LossOptions)
#undef DLC_LOSS

DLC_API Tensor gaussian_nll_loss(const Tensor &x, const Tensor &target, const Tensor &var,
                                 GaussianNLLOptions options = {}, Where where = Where::current());
} // namespace functional

/// A loss of one output and its target.
class DLC_API LossModule : public Module {
public:
  using Module::forward;
  virtual Tensor forward(Tensor output, Tensor target) = 0;
  Tensor operator()(const Tensor &output, const Tensor &target, Where where = Where::current());
  /// The input that a program has as the target of this output.
  virtual Tensor targetOf(const Tensor &output, Where where = Where::current()) const;
};

#define DLC_LOSS(Name, Base, function, Options)                                                              \
  class DLC_API Name : public Base {                                                                         \
  public:                                                                                                    \
    explicit Name(Options options = {}) : options(options) {}                                                \
    using Module::forward;                                                                                   \
    Tensor forward(Tensor output, Tensor target) override {                                                  \
      return functional::function(output, target, options, caller());                                        \
    }                                                                                                        \
                                                                                                             \
  private:                                                                                                   \
    Options options;                                                                                         \
  };
/// Its target holds classes: integers, without the dim of the classes.
class DLC_API ClassLossModule : public LossModule {
public:
  Tensor targetOf(const Tensor &output, Where where = Where::current()) const override;
};
DLC_LOSS(MSELoss, LossModule, mse_loss, LossOptions)
DLC_LOSS(L1Loss, LossModule, l1_loss, LossOptions)
DLC_LOSS(SmoothL1Loss, LossModule, smooth_l1_loss, SmoothL1Options)
DLC_LOSS(HuberLoss, LossModule, huber_loss, HuberOptions)
DLC_LOSS(CrossEntropyLoss, ClassLossModule, cross_entropy, CrossEntropyOptions)
DLC_LOSS(NLLLoss, ClassLossModule, nll_loss, NLLOptions)
DLC_LOSS(BCELoss, LossModule, binary_cross_entropy, BCEOptions)
DLC_LOSS(BCEWithLogitsLoss, LossModule, binary_cross_entropy_with_logits, BCEWithLogitsOptions)
DLC_LOSS(KLDivLoss, LossModule, kl_div, KLDivOptions)
DLC_LOSS(HingeEmbeddingLoss, LossModule, hinge_embedding_loss, HingeEmbeddingOptions)
DLC_LOSS(SoftMarginLoss, LossModule, soft_margin_loss, LossOptions)
DLC_LOSS(PoissonNLLLoss, LossModule, poisson_nll_loss, PoissonNLLOptions)
DLC_LOSS(MultiLabelSoftMarginLoss, LossModule, multilabel_soft_margin_loss, MultiLabelOptions)
DLC_LOSS(MultiMarginLoss, ClassLossModule, multi_margin_loss, MultiMarginOptions)
#undef DLC_LOSS

class DLC_API MultiLabelMarginLoss : public LossModule {
public:
  explicit MultiLabelMarginLoss(LossOptions options = {}) : options(options) {}
  using Module::forward;
  Tensor forward(Tensor output, Tensor target) override {
    return functional::multilabel_margin_loss(output, target, options, caller());
  }
  Tensor targetOf(const Tensor &output, Where where = Where::current()) const override;

private:
  LossOptions options;
};

class DLC_API GaussianNLLLoss : public Module {
public:
  explicit GaussianNLLLoss(GaussianNLLOptions options = {}) : options(options) {}
  using Module::forward;
  Tensor forward(Tensor output, Tensor target, Tensor var) {
    return functional::gaussian_nll_loss(output, target, var, options, caller());
  }
  Tensor operator()(const Tensor &output, const Tensor &target, const Tensor &var,
                    Where where = Where::current()) {
    Scope scope(*this, where);
    return forward(output, target, var);
  }

private:
  GaussianNLLOptions options;
};

} // namespace dlc::nn

#endif // DLC_NN_LOSS_H
