//===- Reductions.cpp - tensors with fewer elements ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Detail.h"
#include <algorithm>
#include <cmath>

namespace dlc {
using namespace detail;

/// In increasing order; all where none are given.
static std::vector<int64_t> axesOf(const Tensor &x, const Axes &axes, const Where &where) {
  std::vector<int64_t> all;
  if (axes.empty())
    for (int64_t i = 0; i < x.dim(); ++i)
      all.push_back(i);
  for (int64_t axis : axes)
    all.push_back(frontDim(axis, x.dim(), where));
  std::sort(all.begin(), all.end());
  return all;
}

static Tensor reduce(const char *operation, const Tensor &x, const Axes &axes, bool keepdim,
                     const Where &where) {
  At at(where);
  return apply(operation, {x}, {{"axes", axesOf(x, axes, where)}, {"keepdims", keepdim}}, where);
}

/// What sums and products are computed of: integers and truth values become int64, as in PyTorch.
static Tensor summable(const Tensor &x, const Where &where) {
  return is_floating_point(x.dtype(where)) ? x : x.to(int64, where);
}

Tensor Tensor::sum(Axes axes, bool keepdim, Where where) const {
  return reduce("nn.sum", summable(*this, where), axes, keepdim, where);
}
Tensor Tensor::mean(Axes axes, bool keepdim, Where where) const {
  return reduce("nn.mean", *this, axes, keepdim, where);
}
Tensor Tensor::prod(Axes axes, bool keepdim, Where where) const {
  return reduce("nn.prod", summable(*this, where), axes, keepdim, where);
}
Tensor Tensor::amax(Axes axes, bool keepdim, Where where) const {
  return reduce("nn.reduce_max", *this, axes, keepdim, where);
}
Tensor Tensor::amin(Axes axes, bool keepdim, Where where) const {
  return reduce("nn.reduce_min", *this, axes, keepdim, where);
}

Tensor Tensor::any(Axes axes, bool keepdim, Where where) const {
  At at(where);
  return to(boolean).sum(std::move(axes), keepdim) > 0;
}
Tensor Tensor::all(Axes axes, bool keepdim, Where where) const {
  At at(where);
  return !(!to(boolean)).any(std::move(axes), keepdim);
}

/// base^exponent of numbers from 0 on, and no infinite slope at 0.
static Tensor powerOf(const Tensor &base, double exponent) {
  Tensor isZero = base == 0, safe = dlc::where(isZero, 1, base);
  return dlc::where(isZero, 0, exponent == 0.5 ? safe.sqrt() : safe.pow(exponent));
}

Tensor Tensor::var(Axes axes, int64_t correction, bool keepdim, Where where) const {
  At at(where);
  Tensor distance = *this - mean(axes, true);
  Tensor squares = (distance * distance).sum(axes, keepdim);
  // A named dim is counted when the program runs.
  Tensor count = full_like(*this, 1).sum(axes, keepdim);
  return squares / (correction ? count - correction : count);
}
Tensor Tensor::std(Axes axes, int64_t correction, bool keepdim, Where where) const {
  At at(where);
  return powerOf(var(axes, correction, keepdim), 0.5);
}

Tensor Tensor::norm(double p, Axes axes, bool keepdim, Where where) const {
  At at(where);
  if (!is_floating_point(dtype()))
    fail("norm: expected floating-point numbers, got " + describe(*this) +
             "; convert them with to(dlc::float32)",
         where);
  if (p == 2)
    return powerOf((*this * *this).sum(axes, keepdim), 0.5);
  if (p == 1)
    return abs().sum(axes, keepdim);
  if (p == 0)
    return (*this != 0).to(dtype()).sum(axes, keepdim);
  if (std::isinf(p))
    return p > 0 ? abs().amax(axes, keepdim) : abs().amin(axes, keepdim);
  return powerOf(powerOf(abs(), p).sum(axes, keepdim), 1 / p);
}

Tensor Tensor::logsumexp(Axes axes, bool keepdim, Where where) const {
  At at(where);
  Tensor largest = amax(axes, true).detach();
  Tensor shift = dlc::where(largest.abs() == INFINITY, 0, largest);
  Tensor sums = (*this - shift).exp().sum(axes, true).log() + shift;
  return keepdim ? sums : sums.sum(axes);
}

Tensor Tensor::argmax(int64_t dim, bool keepdim, Where where) const {
  At at(where);
  return apply("nn.argmax", {*this}, {{"axis", frontDim(dim, this->dim(), where)}, {"keepdims", keepdim}},
               where);
}
Tensor Tensor::argmin(int64_t dim, bool keepdim, Where where) const {
  At at(where);
  return apply("nn.argmin", {*this}, {{"axis", frontDim(dim, this->dim(), where)}, {"keepdims", keepdim}},
               where);
}

/// The elements at `places`, which have the size 1 along a dim; it may be a named one.
static Tensor elementsAt(const Tensor &x, int64_t dim, const Tensor &places, bool keepdim,
                         const Where &where) {
  Shape along(x.dim(), Dim(1));
  along[dim] = x.size(dim);
  Tensor isThere = apply("nn.iota", {}, {{"axis", dim}}, where, {{along, int64}}) == places;
  return dlc::where(isThere, x, 0).sum(dim, keepdim);
}

std::pair<Tensor, Tensor> Tensor::max(int64_t dim, bool keepdim, Where where) const {
  At at(where);
  dim = frontDim(dim, this->dim(), where);
  Tensor places = argmax(dim, /*keepdim=*/true);
  return {elementsAt(*this, dim, places, keepdim, where), keepdim ? places : places.squeeze(dim)};
}
std::pair<Tensor, Tensor> Tensor::min(int64_t dim, bool keepdim, Where where) const {
  At at(where);
  dim = frontDim(dim, this->dim(), where);
  Tensor places = argmin(dim, /*keepdim=*/true);
  return {elementsAt(*this, dim, places, keepdim, where), keepdim ? places : places.squeeze(dim)};
}

std::pair<Tensor, Tensor> Tensor::median(int64_t dim, bool keepdim, Where where) const {
  At at(where);
  dim = frontDim(dim, this->dim(), where);
  int64_t size = staticSize("median", *this, dim, where);
  if (size == 0)
    fail("median: expected at least one element along dim " + std::to_string(dim) + ", got " + str(shape()),
         where);
  Tensor places = argsort(dim).slice(dim, {(size - 1) / 2, (size + 1) / 2});
  if (is_floating_point(dtype())) { // NaN is the largest, so that the last one says whether there is one
    Tensor nan = isnan().any(dim, /*keepdim=*/true), first = argmax(dim, /*keepdim=*/true);
    places = dlc::where(nan, first, places);
  }
  return {elementsAt(*this, dim, places, keepdim, where), keepdim ? places : places.squeeze(dim)};
}

} // namespace dlc
