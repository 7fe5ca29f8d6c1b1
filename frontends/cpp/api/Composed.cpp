//===- Composed.cpp - functions of elements that several operations make -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/ops.h"
#include "frontends/cpp/api/Detail.h"
#include <cmath>

namespace dlc {
using namespace detail;

Tensor Tensor::square(Where where) const {
  At at(where);
  return *this * *this;
}
Tensor Tensor::exp2(Where where) const {
  At at(where);
  return dlc::pow(2.0, *this); // exact where the result is a power of 2
}
Tensor Tensor::log2(Where where) const {
  At at(where);
  return log() * (1 / M_LN2);
}
Tensor Tensor::log10(Where where) const {
  At at(where);
  return log() * (1 / M_LN10);
}
Tensor Tensor::tan(Where where) const {
  At at(where);
  return sin() / cos();
}

/// 1 - x^2 is the product of these, which does not cancel near both ends.
Tensor Tensor::asin(Where where) const {
  At at(where);
  return dlc::atan2(*this, ((1 - *this) * (1 + *this)).sqrt());
}
Tensor Tensor::acos(Where where) const {
  At at(where);
  return dlc::atan2(((1 - *this) * (1 + *this)).sqrt(), *this);
}

Tensor Tensor::sinh(Where where) const {
  At at(where);
  return (expm1() - (-*this).expm1()) * 0.5;
}
Tensor Tensor::cosh(Where where) const {
  At at(where);
  return (exp() + (-*this).exp()) * 0.5;
}
Tensor Tensor::trunc(Where where) const {
  At at(where);
  return dlc::where(*this < 0, ceil(), floor());
}
Tensor Tensor::frac(Where where) const {
  At at(where);
  return *this - trunc();
}
Tensor Tensor::isnan(Where where) const {
  At at(where);
  return *this != *this;
}
Tensor Tensor::isinf(Where where) const {
  At at(where);
  return abs() == INFINITY;
}
Tensor Tensor::isfinite(Where where) const {
  At at(where);
  return abs() < INFINITY;
}

/// The quotient of the smaller by the larger of both, of which atan knows the angle, is never infinite. Where
/// both are 0, the angle and its gradient are 0.
Tensor atan2(const Tensor &y, const Tensor &x, Where where) {
  At at(where);
  Tensor isSteep = y.abs() > x.abs(), isNone = (x == 0) & (y == 0);
  Tensor divisor = dlc::where(isNone, 1, dlc::where(isSteep, y, x));
  Tensor slope = atan(dlc::where(isSteep, x, y) / divisor);
  Tensor flat = dlc::where(x < 0, dlc::where(y < 0, slope - M_PI, slope + M_PI), slope);
  Tensor steep = dlc::where(y < 0, -M_PI_2 - slope, M_PI_2 - slope);
  return dlc::where(isNone, 0, dlc::where(isSteep, steep, flat));
}

Tensor logaddexp(const Tensor &a, const Tensor &b, Where where) {
  At at(where);
  Tensor largest = maximum(a, b).detach();
  Tensor shift = dlc::where(largest.abs() == INFINITY, 0, largest); // whose differences are no numbers
  return ((a - shift).exp() + (b - shift).exp()).log() + shift;
}

Tensor lerp(const Tensor &start, const Tensor &end, const Operand &weight) {
  At at(weight.where);
  return start + weight * (end - start);
}

} // namespace dlc
