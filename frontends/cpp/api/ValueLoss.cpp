//===- ValueLoss.cpp - losses of values ----------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/activations.h"
#include "dlc/nn/loss.h"
#include "frontends/cpp/api/Loss.h"
#include "frontends/cpp/api/Text.h"
#include <cmath>

namespace dlc::nn {
using namespace detail;

namespace functional {

Tensor mse_loss(const Tensor &x, const Tensor &target, LossOptions options, Where where) {
  At at(where);
  requireSameShape("mse_loss", x, target, where);
  if (Tensor loss = lossOperation("nn.mse_loss", {x, target}, options.reduction, {}, where); loss.defined())
    return loss;
  Tensor d = x - target;
  return reduce(d * d, options.reduction, where);
}

Tensor l1_loss(const Tensor &x, const Tensor &target, LossOptions options, Where where) {
  At at(where);
  requireSameShape("l1_loss", x, target, where);
  if (Tensor loss = lossOperation("nn.l1_loss", {x, target}, options.reduction, {}, where); loss.defined())
    return loss;
  return reduce((x - target).abs(), options.reduction, where);
}

Tensor huber_loss(const Tensor &x, const Tensor &target, HuberOptions options, Where where) {
  At at(where);
  requireSameShape("huber_loss", x, target, where);
  if (Tensor loss =
          lossOperation("nn.huber_loss", {x, target}, options.reduction, {{"delta", options.delta}}, where);
      loss.defined())
    return loss;
  Tensor d = x - target, size = d.abs();
  return reduce(dlc::where(size <= options.delta, d * d * 0.5, (size - 0.5 * options.delta) * options.delta),
                options.reduction, where);
}

Tensor smooth_l1_loss(const Tensor &x, const Tensor &target, SmoothL1Options options, Where where) {
  At at(where);
  if (!(options.beta >= 0))
    fail("smooth_l1_loss: expected a beta that is not negative, got " + pythonNumber(options.beta), where);
  if (options.beta == 0)
    return l1_loss(x, target, {options.reduction});
  return huber_loss(x, target, {options.beta, options.reduction}) / options.beta;
}

Tensor hinge_embedding_loss(const Tensor &x, const Tensor &target, HingeEmbeddingOptions options,
                            Where where) {
  At at(where);
  requireSameShape("hinge_embedding_loss", x, target, where);
  Tensor far = (target != 1).to(x.dtype()) * notBelowZero(options.margin - x),
         near = (target != -1).to(x.dtype()) * x;
  return reduce(far + near, options.reduction, where);
}

Tensor soft_margin_loss(const Tensor &x, const Tensor &target, LossOptions options, Where where) {
  At at(where);
  requireSameShape("soft_margin_loss", x, target, where);
  return reduce(softplus(-(target * x)), options.reduction, where);
}

Tensor poisson_nll_loss(const Tensor &x, const Tensor &target, PoissonNLLOptions options, Where where) {
  At at(where);
  requireSameShape("poisson_nll_loss", x, target, where);
  Tensor loss = options.log_input ? exp(x) - target * x : x - target * log(x + options.eps);
  if (options.full) { // Stirling's formula, of numbers above 1
    Tensor isLarge = target > 1, large = dlc::where(isLarge, target, 1.0);
    Tensor terms = large * log(large) - large + 0.5 * log(2 * M_PI * large);
    loss = loss + dlc::where(isLarge, terms, 0.0);
  }
  return reduce(loss, options.reduction, where);
}

Tensor gaussian_nll_loss(const Tensor &x, const Tensor &target, const Tensor &var, GaussianNLLOptions options,
                         Where where) {
  At at(where);
  if (!(options.eps > 0))
    fail("gaussian_nll_loss: expected an eps above 0, got " + pythonNumber(options.eps), where);
  requireSameShape("gaussian_nll_loss", x, target, where);
  Tensor variance = var.dim() + 1 == x.dim() ? var.unsqueeze(-1) : var;
  variance = maximum(variance, options.eps);
  Tensor d = x - target, loss = (log(variance) + d * d / variance) * 0.5;
  return reduce(options.full ? loss + 0.5 * std::log(2 * M_PI) : loss, options.reduction, where);
}

} // namespace functional
} // namespace dlc::nn
