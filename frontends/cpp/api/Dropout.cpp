//===- Dropout.cpp - elements that are left out by chance -----------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All kinds are made of nn.dropout, which evaluation leaves out: a dropout of ones says what is kept, and is
// one everywhere in evaluation.
//===----------------------------------------------------------------------===//
#include "dlc/nn/dropout.h"
#include "frontends/cpp/api/Dropout.h"
#include "frontends/cpp/api/Text.h"
#include <cmath>

namespace dlc {

void detail::requireProbability(const std::string &function, double p, const Where &where) {
  if (!(p >= 0 && p <= 1))
    detail::fail(function + ": expected a probability from 0 to 1, got " + detail::pythonNumber(p), where);
}

Tensor detail::drop(const Tensor &x, double p, const Where &where) {
  requireProbability("dropout", p, where);
  if (p == 0)
    return x;
  if (p == 1) { // nothing is left that could be divided by 1 - p; the gradient is zero, as in PyTorch
    At at(where);
    return by_mode(dlc::where(x < x, x, full_like(x, 0)), x);
  }
  Tensor random = Tensor::of(record::Recorder::get().randomState(placeOf(where)));
  return apply("nn.dropout", {x, random}, {{"ratio", p}, {"stream", int64_t(0)}}, where);
}

namespace nn {
using namespace detail;

/// Ones for the channels, which are the first two dims.
static Tensor onesOfChannels(const char *function, const Tensor &x, const Where &where) {
  if (x.dim() < 2)
    fail(std::string(function) + ": expected [batch, channels, ...], got " + describe(x), where);
  Shape shape(x.dim(), Dim(1));
  shape[0] = x.size(0);
  shape[1] = x.size(1);
  return full(shape, 1, x.dtype(), where);
}

/// Drops channels of x, which has `spatial` dims behind them; without a batch it has one dim less.
static Tensor dropChannels(const char *function, const Tensor &x, int64_t spatial, bool mayBeAlone, double p,
                           bool training, const Where &where) {
  At at(where);
  bool isAlone = mayBeAlone && x.dim() == spatial + 1;
  if (!isAlone && x.dim() != spatial + 2 && !(x.dim() == 3 && spatial == 2))
    fail(std::string(function) + ": expected [batch, channels, and " + std::to_string(spatial) +
             " spatial dims], or the same without a batch, got " + describe(x),
         where);
  requireProbability(function, p, where);
  if (!training || p == 0)
    return x;
  if (p == 1)
    return drop(x, p, where);
  Tensor rows = isAlone ? x.unsqueeze(0) : x;
  Tensor y = rows * drop(onesOfChannels(function, rows, where), p, where);
  return isAlone ? y.squeeze(0) : y;
}

/// `ones` says what is dropped together. Where nothing is kept, PyTorch gives zeros.
static Tensor alphaDrop(const Tensor &x, const Tensor &ones, double p, const Where &where) {
  if (p == 1)
    return drop(x, p, where);
  constexpr double limit = -1.7580993408473766; // SELU of minus infinity
  double scale = 1 / std::sqrt((1 - p) * (1 + p * limit * limit)), shift = -scale * p * limit;
  Tensor kept = drop(ones, p, where);
  Tensor mixed = dlc::where(kept > 0, x * scale + shift, limit * scale + shift);
  return dlc::where(kept == 1, x, mixed); // evaluation; in training it is 0 or 1 / (1 - p)
}

Tensor functional::dropout(const Tensor &x, double p, bool training, Where where) {
  requireProbability("dropout", p, where);
  return training ? drop(x, p, where) : x;
}

Tensor functional::dropout1d(const Tensor &x, double p, bool training, Where where) {
  return dropChannels("dropout1d", x, 1, true, p, training, where);
}
Tensor functional::dropout2d(const Tensor &x, double p, bool training, Where where) {
  return dropChannels("dropout2d", x, 2, false, p, training, where);
}
Tensor functional::dropout3d(const Tensor &x, double p, bool training, Where where) {
  return dropChannels("dropout3d", x, 3, true, p, training, where);
}

Tensor functional::alpha_dropout(const Tensor &x, double p, bool training, Where where) {
  At at(where);
  requireProbability("alpha_dropout", p, where);
  return training && p != 0 ? alphaDrop(x, full_like(x, 1), p, where) : x;
}
Tensor functional::feature_alpha_dropout(const Tensor &x, double p, bool training, Where where) {
  At at(where);
  requireProbability("feature_alpha_dropout", p, where);
  Tensor ones = onesOfChannels("feature_alpha_dropout", x, where);
  return training && p != 0 ? alphaDrop(x, ones, p, where) : x;
}

#define DLC_DROPOUT(Name, function)                                                                          \
  Name::Name(double p, Where where) : p(p) {                                                                 \
    requireProbability(#Name, p, where);                                                                     \
    set_description("p=" + pythonNumber(p) + ", inplace=False");                                             \
  }                                                                                                          \
  Tensor Name::computed(Tensor x) { return functional::function(x, p, is_training(), caller()); }
DLC_DROPOUT(Dropout, dropout)
DLC_DROPOUT(Dropout1d, dropout1d)
DLC_DROPOUT(Dropout2d, dropout2d)
DLC_DROPOUT(Dropout3d, dropout3d)
DLC_DROPOUT(AlphaDropout, alpha_dropout)
DLC_DROPOUT(FeatureAlphaDropout, feature_alpha_dropout)
#undef DLC_DROPOUT

} // namespace nn
} // namespace dlc
