//===- CTCLoss.cpp - sequences without an alignment -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forward recursion of Graves et al. 2006 in logarithms, written out place by place; its gradient is the
// backward one. Impossible is a large negative number and not minus infinity, whose differences are no
// numbers. What a place emits is chosen and not multiplied with a mask: products may be of low precision.
//===----------------------------------------------------------------------===//
#include "dlc/nn/ctc.h"
#include "frontends/cpp/api/Loss.h"

namespace dlc::nn {
using namespace detail;

/// A longer sequence makes a program that nobody wants to wait for.
static constexpr int64_t maxPlaces = 512;
/// The logarithm of a probability that is none. The sum of one for each place is a float.
static constexpr double never = -1e30;

namespace {

/// The operands with a batch.
struct Sequences {
  Tensor scores, targets, lengths, targetLengths; ///< [batch, places, classes]; [batch, longest]; [batch, 1]
  int64_t places, classes, longest;
  bool isAlone; ///< no batch was given

  Sequences(const Tensor &logProbs, const Tensor &given, const Tensor &inputLengths, const Tensor &lengthsOf,
            int64_t blank, const Where &where)
      : isAlone(logProbs.dim() == 2) {
    int64_t rank = isAlone ? 1 : 2;
    bool fits = logProbs.dim() == rank + 1 && is_floating_point(logProbs.dtype()) && given.dim() == rank;
    for (const Tensor *integers : {&given, &inputLengths, &lengthsOf})
      fits &= !is_floating_point(integers->dtype()) && integers->dtype() != boolean;
    for (const Tensor *length : {&inputLengths, &lengthsOf})
      fits &= length->numel() == (isAlone ? Dim(1) : given.size(0)) && length->dim() <= 1;
    if (!fits || (!isAlone && given.size(0) != logProbs.size(1)))
      fail("ctc_loss: expected log_probs [places, batch, classes], targets [batch, longest] and lengths "
           "[batch] of integers, or the same without a batch, got " +
               describe(logProbs) + ", " + describe(given) + ", " + describe(inputLengths) + " and " +
               describe(lengthsOf),
           where);
    places = staticSize("ctc_loss", logProbs, 0, where);
    classes = staticSize("ctc_loss", logProbs, -1, where);
    longest = staticSize("ctc_loss", given, -1, where);
    if (places < 1 || places > maxPlaces || longest < 1)
      fail("ctc_loss: expected from 1 to " + std::to_string(maxPlaces) +
               " places and targets of at least 1, got " + str(logProbs.shape()) + " and " +
               str(given.shape()),
           where);
    if (blank < 0 || blank >= classes)
      fail("blank: expected a class from 0 to " + std::to_string(classes - 1) + ", got " +
               std::to_string(blank),
           where);
    auto &recorder = record::Recorder::get();
    recorder.limitIndices(given.id(), classes);
    recorder.limitIndices(inputLengths.id(), places + 1);
    recorder.limitIndices(lengthsOf.id(), longest + 1);
    scores = (isAlone ? logProbs.unsqueeze(0) : logProbs.transpose(0, 1)).clamp_min(never);
    targets = (isAlone ? given.unsqueeze(0) : given).to(int64);
    lengths = inputLengths.reshape({targets.size(0), 1}).to(int64);
    targetLengths = lengthsOf.reshape({targets.size(0), 1}).to(int64);
  }
};

} // namespace

/// log(sum(exp(...))) of some tensors.
static Tensor logOfSum(const std::vector<Tensor> &logs) {
  Tensor largest = logs[0], sum;
  for (size_t i = 1; i < logs.size(); ++i)
    largest = maximum(largest, logs[i]);
  largest = largest.detach();
  for (const Tensor &each : logs) {
    Tensor term = (each - largest).exp();
    sum = sum.defined() ? sum + term : term;
  }
  return largest + sum.log();
}

/// The logarithm of each sequence's probability, [batch]; about `never` where there is no alignment.
static Tensor logLikelihood(const Sequences &s, int64_t blank) {
  // A blank before, between and behind the classes: states [batch, 2 longest + 1].
  Dim batch = s.targets.size(0);
  int64_t states = 2 * s.longest + 1;
  Tensor pairs = cat({full({batch, s.longest, 1}, double(blank), int64), s.targets.unsqueeze(2)}, 2);
  Tensor labels = cat({pairs.flatten(1), full({batch, 1}, double(blank), int64)}, 1);
  Tensor isClass = labels.unsqueeze(2) == arange(s.classes); // [batch, states, classes]
  Tensor emitted = dlc::where(isClass.unsqueeze(1), s.scores.unsqueeze(2), 0.0).sum(3);
  // Between two different classes there need not be a blank.
  Tensor before = cat({full({batch, 2}, double(blank), int64), labels.slice(1, {0, states - 2})}, 1);
  Tensor skips = labels != before;
  Tensor state = arange(states);
  Tensor alpha = dlc::where(state < 2, emitted.select(1, 0), never);
  for (int64_t t = 1; t < s.places; ++t) {
    Tensor behind = dlc::pad(alpha, {2}, {0}, never);
    Tensor one = behind.slice(1, {1, states + 1}),
           two = dlc::where(skips, behind.slice(1, {0, states}), never);
    alpha = dlc::where(s.lengths > t, logOfSum({alpha, one, two}) + emitted.select(1, t), alpha);
  }
  // It ends with the last class or the blank behind it.
  Tensor last = s.targetLengths * 2;
  auto at = [&](const Tensor &place) { return dlc::where(state == place, alpha, 0.0).sum(1); };
  Tensor hasClasses = (s.targetLengths > 0).squeeze(1);
  Tensor total = logOfSum({at(last), dlc::where(hasClasses, at(last - 1), never)});
  return dlc::where((s.lengths > 0).squeeze(1), total, dlc::where(hasClasses, full_like(total, never), 0.0));
}

Tensor functional::ctc_loss(const Tensor &log_probs, const Tensor &targets, const Tensor &input_lengths,
                            const Tensor &target_lengths, CTCLossOptions options, Where where) {
  At at(where);
  Sequences sequences(log_probs, targets, input_lengths, target_lengths, options.blank, where);
  Tensor total = logLikelihood(sequences, options.blank);
  double infinite = options.zero_infinity ? 0 : std::numeric_limits<double>::infinity();
  Tensor losses = dlc::where(total <= never / 10, infinite, -total);
  if (options.reduction == std::string("mean"))
    losses = losses / maximum(sequences.targetLengths.squeeze(1), 1).to(losses.dtype());
  if (options.reduction == std::string("none") && sequences.isAlone)
    return losses.squeeze(0);
  return reduce(losses, options.reduction, where);
}

CTCLoss::CTCLoss(CTCLossOptions options) : options(options) {}
CTCLoss::~CTCLoss() = default;
Tensor CTCLoss::forward(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths) {
  return functional::ctc_loss(log_probs, targets, input_lengths, target_lengths, options, caller());
}
Tensor CTCLoss::operator()(const Tensor &log_probs, const Tensor &targets, const Tensor &input_lengths,
                           const Tensor &target_lengths, Where where) {
  return dlc::detail::called(*this, where, log_probs, targets, input_lengths, target_lengths);
}

} // namespace dlc::nn
