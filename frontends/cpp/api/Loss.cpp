//===- Loss.cpp - losses as functions of tensors -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the compiler has an operation it is used: its second result is the number by which a mean was
// divided, from which evaluation averages over batches.
//===----------------------------------------------------------------------===//
#include "dlc/nn/loss.h"
#include "dlc/nn/activations.h"
#include "frontends/cpp/api/Init.h"
#include "frontends/cpp/api/Text.h"
#include <cmath>
#include <limits>

namespace dlc::nn {
using namespace detail;

static Tensor reduce(const Tensor &x, const std::string &reduction, const Where &where) {
  if (reduction == "none")
    return x;
  if (reduction != "mean" && reduction != "sum")
    fail("reduction: expected mean, sum or none, got '" + reduction + "'", where);
  return reduction == "mean" ? x.mean() : x.sum();
}

/// A loss that is an operation; without a value where the reduction is "none".
static Tensor lossOperation(const char *operation, const std::vector<Tensor> &operands,
                            const std::string &reduction, record::Attributes attributes, const Where &where) {
  if (reduction != "mean" && reduction != "sum")
    return {};
  attributes.emplace_back("reduction", record::Spelled{"#nn<loss_reduction " + reduction + ">"});
  return applyAll(operation, operands, attributes, where).front();
}

static void requireSameShape(const char *function, const Tensor &x, const Tensor &target,
                             const Where &where) {
  if (x.shape() != target.shape())
    fail(std::string(function) + ": expected a target of shape " + str(x.shape()) + ", got " +
             str(target.shape()),
         where);
}

/// max(x, 0), whose derivative at 0 is 1 as that of PyTorch's clamp_min.
static Tensor notBelowZero(const Tensor &x) { return x.clamp(0, std::numeric_limits<double>::infinity()); }

namespace functional {

//===-- Of values ------------------------------------------------------------------------------===//

Tensor mse_loss(const Tensor &x, const Tensor &target, LossOptions options, Where where) {
  At at(where);
  if (Tensor loss = lossOperation("nn.mse_loss", {x, target}, options.reduction, {}, where); loss.defined())
    return loss;
  requireSameShape("mse_loss", x, target, where);
  Tensor d = x - target;
  return reduce(d * d, options.reduction, where);
}

Tensor l1_loss(const Tensor &x, const Tensor &target, LossOptions options, Where where) {
  At at(where);
  if (Tensor loss = lossOperation("nn.l1_loss", {x, target}, options.reduction, {}, where); loss.defined())
    return loss;
  requireSameShape("l1_loss", x, target, where);
  return reduce((x - target).abs(), options.reduction, where);
}

Tensor huber_loss(const Tensor &x, const Tensor &target, HuberOptions options, Where where) {
  At at(where);
  if (Tensor loss =
          lossOperation("nn.huber_loss", {x, target}, options.reduction, {{"delta", options.delta}}, where);
      loss.defined())
    return loss;
  requireSameShape("huber_loss", x, target, where);
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

//===-- Of probabilities -----------------------------------------------------------------------===//

Tensor binary_cross_entropy(const Tensor &x, const Tensor &target, BCEOptions options, Where where) {
  At at(where);
  if (!options.weight.defined())
    if (Tensor loss = lossOperation("nn.bce_loss", {x, target}, options.reduction, {}, where); loss.defined())
      return loss;
  requireSameShape("binary_cross_entropy", x, target, where);
  // Logarithms that are not below -100: e^-100 is a float.
  double smallest = std::exp(-100.0);
  Tensor loss = -(target * log(maximum(x, smallest)) + (1 - target) * log(maximum(1 - x, smallest)));
  return reduce(options.weight.defined() ? loss * options.weight : loss, options.reduction, where);
}

Tensor binary_cross_entropy_with_logits(const Tensor &x, const Tensor &target, BCEWithLogitsOptions options,
                                        Where where) {
  At at(where);
  if (!options.weight.defined() && !options.pos_weight.defined())
    if (Tensor loss = lossOperation("nn.bce_with_logits_loss", {x, target}, options.reduction, {}, where);
        loss.defined())
      return loss;
  requireSameShape("binary_cross_entropy_with_logits", x, target, where);
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

//===-- Of pairs -------------------------------------------------------------------------------===//

Tensor cosine_similarity(const Tensor &x1, const Tensor &x2, int64_t dim, double eps, Where where) {
  At at(where);
  auto length = [&](const Tensor &x) { return maximum(vectorNorm(x, 2, dim, true, where), eps); };
  return (x1 / length(x1) * (x2 / length(x2))).sum(dim);
}

Tensor pairwise_distance(const Tensor &x1, const Tensor &x2, double p, double eps, bool keepdim,
                         Where where) {
  At at(where);
  return vectorNorm(x1 - x2 + eps, p, -1, keepdim, where);
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
  return reduce(notBelowZero(options.margin - target * (x1 - x2)), options.reduction, where);
}

Tensor triplet_margin_loss(const Tensor &anchor, const Tensor &positive, const Tensor &negative,
                           TripletMarginOptions options, Where where) {
  At at(where);
  Tensor near = pairwise_distance(anchor, positive, options.p, options.eps),
         far = pairwise_distance(anchor, negative, options.p, options.eps);
  if (options.swap)
    far = minimum(far, pairwise_distance(positive, negative, options.p, options.eps));
  return reduce(notBelowZero(options.margin + near - far), options.reduction, where);
}

} // namespace functional

//===-- Modules --------------------------------------------------------------------------------===//

Tensor LossModule::operator()(const Tensor &output, const Tensor &target, Where where) {
  Scope scope(*this, where);
  return forward(output, target);
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

} // namespace dlc::nn
