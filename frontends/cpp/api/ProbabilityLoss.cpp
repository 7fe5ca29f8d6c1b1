//===- ProbabilityLoss.cpp - losses of probabilities ---------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/activations.h"
#include "dlc/nn/loss.h"
#include "frontends/cpp/api/Loss.h"
#include <cmath>

namespace dlc::nn {
using namespace detail;

namespace functional {

Tensor binary_cross_entropy(const Tensor &x, const Tensor &target, BCEOptions options, Where where) {
  At at(where);
  requireSameShape("binary_cross_entropy", x, target, where);
  if (!options.weight.defined())
    if (Tensor loss = lossOperation("nn.bce_loss", {x, target}, options.reduction, {}, where); loss.defined())
      return loss;
  // Logarithms that are not below -100: e^-100 is a float.
  double smallest = std::exp(-100.0);
  Tensor loss = -(target * log(maximum(x, smallest)) + (1 - target) * log(maximum(1 - x, smallest)));
  return reduce(options.weight.defined() ? loss * options.weight : loss, options.reduction, where);
}

Tensor binary_cross_entropy_with_logits(const Tensor &x, const Tensor &target, BCEWithLogitsOptions options,
                                        Where where) {
  At at(where);
  requireSameShape("binary_cross_entropy_with_logits", x, target, where);
  if (!options.weight.defined() && !options.pos_weight.defined())
    if (Tensor loss = lossOperation("nn.bce_with_logits_loss", {x, target}, options.reduction, {}, where);
        loss.defined())
      return loss;
  Tensor no = softplus(-x);
  if (options.pos_weight.defined())
    no = ((options.pos_weight - 1) * target + 1) * no;
  Tensor loss = (1 - target) * x + no;
  return reduce(options.weight.defined() ? loss * options.weight : loss, options.reduction, where);
}

Tensor multilabel_soft_margin_loss(const Tensor &x, const Tensor &target, MultiLabelOptions options,
                                   Where where) {
  At at(where);
  requireSameShape("multilabel_soft_margin_loss", x, target, where);
  Tensor loss = target * softplus(-x) + (1 - target) * softplus(x);
  if (options.weight.defined())
    loss = loss * options.weight;
  return reduce(loss.mean(-1), options.reduction, where);
}

Tensor kl_div(const Tensor &x, const Tensor &target, KLDivOptions options, Where where) {
  At at(where);
  requireSameShape("kl_div", x, target, where);
  Tensor loss;
  if (options.log_target)
    loss = exp(target) * (target - x);
  else // 0 ln 0 = 0
    loss = target * log(dlc::where(target > 0, target, 1.0)) - target * x;
  std::string reduction = options.reduction;
  if (reduction != "batchmean")
    return reduce(loss, reduction, where);
  if (x.dim() == 0)
    fail("kl_div: batchmean needs rows, got one number", where);
  // The rows are counted when the program runs.
  Tensor rows = full({x.size(0)}, 1, x.dtype()).sum();
  return loss.sum() / rows;
}

} // namespace functional
} // namespace dlc::nn
