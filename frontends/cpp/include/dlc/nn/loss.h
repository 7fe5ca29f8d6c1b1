//===- dlc/nn/loss.h - losses as modules ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What they compute stands with the functions (loss_functions.h). A module of one output and one target is
// minimised with program(model, module, optimizer, input), which makes the target an input. dlc::loss
// (training.h) has those of `dlc compile --loss`.
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_LOSS_H
#define DLC_NN_LOSS_H

#include "dlc/nn/loss_functions.h"
#include "dlc/nn/module.h"

namespace dlc::nn {

/// A loss of one output and its target.
class DLC_API LossModule : public Module {
public:
  using Module::forward;
  /// The loss of an output and its target.
  virtual Tensor forward(Tensor output, Tensor target) = 0;
  /// forward(); errors in it name this module.
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
/// functional::mse_loss().
DLC_LOSS(MSELoss, LossModule, mse_loss, LossOptions)
/// functional::l1_loss().
DLC_LOSS(L1Loss, LossModule, l1_loss, LossOptions)
/// functional::smooth_l1_loss().
DLC_LOSS(SmoothL1Loss, LossModule, smooth_l1_loss, SmoothL1Options)
/// functional::huber_loss().
DLC_LOSS(HuberLoss, LossModule, huber_loss, HuberOptions)
/// functional::cross_entropy().
DLC_LOSS(CrossEntropyLoss, ClassLossModule, cross_entropy, CrossEntropyOptions)
/// functional::nll_loss().
DLC_LOSS(NLLLoss, ClassLossModule, nll_loss, NLLOptions)
/// functional::binary_cross_entropy().
DLC_LOSS(BCELoss, LossModule, binary_cross_entropy, BCEOptions)
/// functional::binary_cross_entropy_with_logits().
DLC_LOSS(BCEWithLogitsLoss, LossModule, binary_cross_entropy_with_logits, BCEWithLogitsOptions)
/// functional::kl_div().
DLC_LOSS(KLDivLoss, LossModule, kl_div, KLDivOptions)
/// functional::hinge_embedding_loss().
DLC_LOSS(HingeEmbeddingLoss, LossModule, hinge_embedding_loss, HingeEmbeddingOptions)
/// functional::soft_margin_loss().
DLC_LOSS(SoftMarginLoss, LossModule, soft_margin_loss, LossOptions)
/// functional::poisson_nll_loss().
DLC_LOSS(PoissonNLLLoss, LossModule, poisson_nll_loss, PoissonNLLOptions)
/// functional::multilabel_soft_margin_loss().
DLC_LOSS(MultiLabelSoftMarginLoss, LossModule, multilabel_soft_margin_loss, MultiLabelOptions)
/// functional::multi_margin_loss().
DLC_LOSS(MultiMarginLoss, ClassLossModule, multi_margin_loss, MultiMarginOptions)
#undef DLC_LOSS

/// functional::multilabel_margin_loss().
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

/// functional::gaussian_nll_loss().
class DLC_API GaussianNLLLoss : public Module {
public:
  explicit GaussianNLLLoss(GaussianNLLOptions options = {}) : options(options) {}
  using Module::forward;
  /// The loss of means, their targets and variances.
  Tensor forward(Tensor output, Tensor target, Tensor var) {
    return functional::gaussian_nll_loss(output, target, var, options, caller());
  }
  /// forward(); errors in it name this module.
  Tensor operator()(const Tensor &output, const Tensor &target, const Tensor &var,
                    Where where = Where::current()) {
    return dlc::detail::called(*this, where, output, target, var);
  }

private:
  GaussianNLLOptions options;
};

} // namespace dlc::nn

#endif // DLC_NN_LOSS_H
