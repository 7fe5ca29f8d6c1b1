//===- Training.cpp - what is minimised, and how
//----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names are those of the recipe's settings (dialects/train/Recipe.h), which also has the checks.
//===----------------------------------------------------------------------===//
#include "dlc/optim.h"
#include <charconv>

namespace dlc {

/// With as few digits as give the same number again, in no language: 2, 0.5, 1e-08.
static std::string text(double number) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

Loss::Loss(std::string_view name) : settings{{"loss", std::string(name)}} {}
void Loss::set(std::string_view name, std::string_view value) { settings.emplace_back(name, value); }

Optimizer::Optimizer(std::string_view name) : settings{{"optimizer", std::string(name)}} {}

namespace loss {

CrossEntropy::CrossEntropy() : CrossEntropy(Options()) {}
CrossEntropy::CrossEntropy(Options options) : Loss("softmax-cross-entropy") {
  set("keep_activation", ""); // who writes a softmax before it means both, as in PyTorch
  set("reduction", options.reduction);
  set("label_smoothing", text(options.label_smoothing));
  if (options.probabilities)
    set("label_type", "f32");
  else
    set("ignore_index", std::to_string(options.ignore_index));
}
NLL::NLL(const char *reduction) : Loss("nll") { set("reduction", reduction); }
BCEWithLogits::BCEWithLogits(const char *reduction) : Loss("bce-with-logits") {
  set("keep_activation", "");
  set("reduction", reduction);
}
BCE::BCE(const char *reduction) : Loss("bce") { set("reduction", reduction); }
MSE::MSE(const char *reduction) : Loss("mse") { set("reduction", reduction); }
L1::L1(const char *reduction) : Loss("l1") { set("reduction", reduction); }
Huber::Huber(double delta, const char *reduction) : Loss("huber") {
  set("reduction", reduction);
  set("delta", text(delta));
}
Output::Output() : Loss("output") {}
None::None() : Loss("") {}

} // namespace loss

Optimizer &Optimizer::set(std::string_view name, std::optional<double> value) {
  if (value)
    settings.emplace_back("hyperparameter", std::string(name) + "=" + text(*value));
  return *this;
}

Optimizer &Optimizer::clip_grad_norm(double largest) {
  settings.emplace_back("clip_grad_norm", text(largest));
  return *this;
}
Optimizer &Optimizer::clip_grad_value(double largest) {
  settings.emplace_back("clip_grad_value", text(largest));
  return *this;
}
Optimizer &Optimizer::ema(double decay) {
  settings.emplace_back("ema_decay", text(decay));
  return *this;
}
Optimizer &Optimizer::group(std::string_view pattern,
                            const std::vector<std::pair<std::string, double>> &numbers) {
  std::string list;
  for (const auto &[name, number] : numbers)
    list += (list.empty() ? "" : ",") + name + "=" + text(number);
  settings.emplace_back("group", std::string(pattern) + ":" + list);
  return *this;
}
Optimizer &Optimizer::no_decay(std::string_view pattern) { return group(pattern, {{"weight_decay", 0}}); }
Optimizer &Optimizer::accumulate(std::string_view how) {
  settings.emplace_back("accumulate", how);
  return *this;
}

namespace optim {

SGD::SGD(Options options) : Optimizer("sgd") {
  set("learning_rate", options.lr).set("momentum", options.momentum).set("dampening", options.dampening);
  set("weight_decay", options.weight_decay);
  if (options.nesterov)
    settings.emplace_back("nesterov", "");
}

template <typename Options> static void setAdam(Optimizer &optimizer, const Options &options) {
  optimizer.set("learning_rate", options.lr).set("beta1", options.beta1).set("beta2", options.beta2);
  optimizer.set("epsilon", options.eps).set("weight_decay", options.weight_decay);
}
static void setAmsgrad(Optimizer &optimizer, const Adam::Options &options) {
  if (options.amsgrad)
    optimizer.settings.emplace_back("amsgrad", "");
}
Adam::Adam(Options options) : Optimizer("adam") {
  setAdam(*this, options);
  setAmsgrad(*this, options);
}
AdamW::AdamW(Adam::Options options) : Optimizer("adamw") {
  setAdam(*this, options);
  setAmsgrad(*this, options);
}
Adamax::Adamax(AdamLike options) : Optimizer("adamax") { setAdam(*this, options); }
RAdam::RAdam(AdamLike options) : Optimizer("radam") { setAdam(*this, options); }
Lamb::Lamb(AdamLike options) : Optimizer("lamb") { setAdam(*this, options); }
NAdam::NAdam(Options options) : Optimizer("nadam") {
  setAdam(*this, options);
  set("momentum_decay", options.momentum_decay);
}
Muon::Muon(Options options) : Optimizer("muon") {
  setAdam(*this, options);
  set("momentum", options.momentum);
}

Lion::Lion(Options options) : Optimizer("lion") {
  set("learning_rate", options.lr).set("beta1", options.beta1).set("beta2", options.beta2);
  set("weight_decay", options.weight_decay);
}

Adadelta::Adadelta(Options options) : Optimizer("adadelta") {
  set("learning_rate", options.lr).set("rho", options.rho).set("epsilon", options.eps);
  set("weight_decay", options.weight_decay);
}

RMSprop::RMSprop(Options options) : Optimizer("rmsprop") {
  set("learning_rate", options.lr).set("alpha", options.alpha).set("epsilon", options.eps);
  set("weight_decay", options.weight_decay).set("momentum", options.momentum);
  if (options.centered)
    settings.emplace_back("centered", "");
}

Adagrad::Adagrad(Options options) : Optimizer("adagrad") {
  set("learning_rate", options.lr).set("lr_decay", options.lr_decay).set("epsilon", options.eps);
  set("weight_decay", options.weight_decay);
}

Rprop::Rprop(Options options) : Optimizer("rprop") {
  set("learning_rate", options.lr).set("eta_minus", options.eta_minus).set("eta_plus", options.eta_plus);
  set("step_size_min", options.step_size_min).set("step_size_max", options.step_size_max);
}

ASGD::ASGD(Options options) : Optimizer("asgd") {
  set("learning_rate", options.lr).set("lambd", options.lambd).set("alpha", options.alpha);
  set("t0", options.t0).set("weight_decay", options.weight_decay);
}

Adafactor::Adafactor(Options options) : Optimizer("adafactor") {
  set("learning_rate", options.lr).set("beta2_decay", options.beta2_decay).set("epsilon", options.eps1);
  set("epsilon2", options.eps2).set("clip_threshold", options.d).set("weight_decay", options.weight_decay);
}

SparseAdam::SparseAdam(Options options) : Optimizer("sparseadam") {
  set("learning_rate", options.lr).set("beta1", options.beta1).set("beta2", options.beta2);
  set("epsilon", options.eps);
}

} // namespace optim
} // namespace dlc
