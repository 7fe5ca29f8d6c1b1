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
  ~LossModule() override;
  using Module::forward;
  /// The loss of an output and its target.
  virtual Tensor forward(Tensor output, Tensor target) = 0;
  /// forward(); errors in it name this module.
  Tensor operator()(const Tensor &output, const Tensor &target, Where where = Where::current());
  /// The input that a program has as the target of this output.
  virtual Tensor targetOf(const Tensor &output, Where where = Where::current()) const;
};

#define DLC_LOSS(Name, Base, Options)                                                                        \
  class DLC_API Name : public Base {                                                                         \
  public:                                                                                                    \
    explicit Name(Options options = {});                                                                     \
    using Module::forward;                                                                                   \
    Tensor forward(Tensor output, Tensor target) override;                                                   \
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
DLC_LOSS(MSELoss, LossModule, LossOptions)
/// functional::l1_loss().
DLC_LOSS(L1Loss, LossModule, LossOptions)
/// functional::smooth_l1_loss().
DLC_LOSS(SmoothL1Loss, LossModule, SmoothL1Options)
/// functional::huber_loss().
DLC_LOSS(HuberLoss, LossModule, HuberOptions)
/// functional::cross_entropy().
DLC_LOSS(CrossEntropyLoss, ClassLossModule, CrossEntropyOptions)
/// functional::nll_loss().
DLC_LOSS(NLLLoss, ClassLossModule, NLLOptions)
/// functional::binary_cross_entropy().
DLC_LOSS(BCELoss, LossModule, BCEOptions)
/// functional::binary_cross_entropy_with_logits().
DLC_LOSS(BCEWithLogitsLoss, LossModule, BCEWithLogitsOptions)
/// functional::kl_div().
DLC_LOSS(KLDivLoss, LossModule, KLDivOptions)
/// functional::hinge_embedding_loss().
DLC_LOSS(HingeEmbeddingLoss, LossModule, HingeEmbeddingOptions)
/// functional::soft_margin_loss().
DLC_LOSS(SoftMarginLoss, LossModule, LossOptions)
/// functional::poisson_nll_loss().
DLC_LOSS(PoissonNLLLoss, LossModule, PoissonNLLOptions)
/// functional::multilabel_soft_margin_loss().
DLC_LOSS(MultiLabelSoftMarginLoss, LossModule, MultiLabelOptions)
/// functional::multi_margin_loss().
DLC_LOSS(MultiMarginLoss, ClassLossModule, MultiMarginOptions)
#undef DLC_LOSS

/// functional::multilabel_margin_loss().
class DLC_API MultiLabelMarginLoss : public LossModule {
public:
  explicit MultiLabelMarginLoss(LossOptions options = {});
  using Module::forward;
  Tensor forward(Tensor output, Tensor target) override;
  Tensor targetOf(const Tensor &output, Where where = Where::current()) const override;

private:
  LossOptions options;
};

/// functional::gaussian_nll_loss().
class DLC_API GaussianNLLLoss : public Module {
public:
  explicit GaussianNLLLoss(GaussianNLLOptions options = {});
  ~GaussianNLLLoss() override;
  using Module::forward;
  /// The loss of means, their targets and variances.
  virtual Tensor forward(Tensor output, Tensor target, Tensor var);
  /// forward(); errors in it name this module.
  Tensor operator()(const Tensor &output, const Tensor &target, const Tensor &var,
                    Where where = Where::current());

private:
  GaussianNLLOptions options;
};

} // namespace dlc::nn

#endif // DLC_NN_LOSS_H
