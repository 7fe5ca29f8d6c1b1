//===- Loss.cpp - what losses share --------------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Loss.h"
#include "dlc/nn/loss.h"
#include <limits>

namespace dlc {

namespace detail {

Tensor reduce(const Tensor &x, const std::string &reduction, const Where &where) {
  if (reduction == "none")
    return x;
  if (reduction != "mean" && reduction != "sum")
    fail("reduction: expected mean, sum or none, got '" + reduction + "'", where);
  return reduction == "mean" ? x.mean() : x.sum();
}

Tensor lossOperation(const char *operation, const std::vector<Tensor> &operands, const std::string &reduction,
                     record::Attributes attributes, const Where &where) {
  if (reduction != "mean" && reduction != "sum")
    return {};
  attributes.emplace_back("reduction", record::Spelled{"#nn<loss_reduction " + reduction + ">"});
  return applyAll(operation, operands, attributes, where).front();
}

void requireSameShape(const char *function, const Tensor &x, const Tensor &target, const Where &where) {
  if (x.shape() != target.shape())
    fail(std::string(function) + ": expected a target of shape " + str(x.shape()) + ", got " +
             str(target.shape()) +
             (is_floating_point(target.dtype())
                  ? ""
                  : std::string(" of integers; labels, the numbers of classes, are for cross_entropy")),
         where);
}

Tensor notBelowZero(const Tensor &x) { return x.clamp(0, std::numeric_limits<double>::infinity()); }

} // namespace detail

namespace nn {
using namespace detail;

Tensor LossModule::operator()(const Tensor &output, const Tensor &target, Where where) {
  return dlc::detail::called(*this, where, output, target);
}

Tensor LossModule::targetOf(const Tensor &output, Where where) const {
  return input("target", output.shape(), output.dtype(), where);
}

Tensor ClassLossModule::targetOf(const Tensor &output, Where where) const {
  Shape shape = output.shape();
  if (shape.empty())
    fail(type_name() + ": expected scores [rows, classes, ...], got one number", where);
  shape.erase(shape.begin() + (shape.size() > 1));
  return input("labels", shape, int64, where);
}

Tensor MultiLabelMarginLoss::targetOf(const Tensor &output, Where where) const {
  return input("labels", output.shape(), int64, where);
}

LossModule::~LossModule() = default;

#define DLC_LOSS(Name, function, Options)                                                                    \
  Name::Name(Options options) : options(options) {}                                                          \
  Tensor Name::forward(Tensor output, Tensor target) {                                                       \
    return functional::function(output, target, options, caller());                                          \
  }
DLC_LOSS(MSELoss, mse_loss, LossOptions)
DLC_LOSS(L1Loss, l1_loss, LossOptions)
DLC_LOSS(SmoothL1Loss, smooth_l1_loss, SmoothL1Options)
DLC_LOSS(HuberLoss, huber_loss, HuberOptions)
DLC_LOSS(CrossEntropyLoss, cross_entropy, CrossEntropyOptions)
DLC_LOSS(NLLLoss, nll_loss, NLLOptions)
DLC_LOSS(BCELoss, binary_cross_entropy, BCEOptions)
DLC_LOSS(BCEWithLogitsLoss, binary_cross_entropy_with_logits, BCEWithLogitsOptions)
DLC_LOSS(KLDivLoss, kl_div, KLDivOptions)
DLC_LOSS(HingeEmbeddingLoss, hinge_embedding_loss, HingeEmbeddingOptions)
DLC_LOSS(SoftMarginLoss, soft_margin_loss, LossOptions)
DLC_LOSS(PoissonNLLLoss, poisson_nll_loss, PoissonNLLOptions)
DLC_LOSS(MultiLabelSoftMarginLoss, multilabel_soft_margin_loss, MultiLabelOptions)
DLC_LOSS(MultiMarginLoss, multi_margin_loss, MultiMarginOptions)
DLC_LOSS(MultiLabelMarginLoss, multilabel_margin_loss, LossOptions)
#undef DLC_LOSS

GaussianNLLLoss::GaussianNLLLoss(GaussianNLLOptions options) : options(options) {}
GaussianNLLLoss::~GaussianNLLLoss() = default;
Tensor GaussianNLLLoss::forward(Tensor output, Tensor target, Tensor var) {
  return functional::gaussian_nll_loss(output, target, var, options, caller());
}
Tensor GaussianNLLLoss::operator()(const Tensor &output, const Tensor &target, const Tensor &var,
                                   Where where) {
  return dlc::detail::called(*this, where, output, target, var);
}

} // namespace nn
} // namespace dlc
