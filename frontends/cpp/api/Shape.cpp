//===- Shape.cpp - the same elements in other shapes -------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/Dims.h"
#include <algorithm>
#include <numeric>

namespace dlc {
using namespace detail;

static bool isOpen(const Dim &dim) { return dim.is_static() && dim.factor == -1; }

Tensor Tensor::reshape(const Shape &shape, Where where) const {
  At at(where);
  Shape target = shape;
  Dim known(1);
  for (const Dim &dim : target)
    if (!isOpen(dim))
      known = known * dim;
  auto open = std::find_if(target.begin(), target.end(), isOpen);
  if (open != target.end()) {
    if (std::count_if(target.begin(), target.end(), isOpen) > 1)
      fail("reshape: expected at most one size of -1, got " + str(shape), where);
    std::optional<Dim> rest = quotient(numel(), known);
    if (!rest)
      fail("reshape: expected sizes whose product divides " + numel().str() + ", the number of elements of " +
               str(this->shape()) + ", got " + str(shape),
           where);
    *open = *rest;
  }
  return apply("nn.reshape", {*this}, {}, where, {{target, dtype()}});
}

Tensor Tensor::flatten(int64_t first, int64_t last, Where where) const {
  At at(where);
  Shape from = shape();
  if (from.empty())
    return reshape({1}, where);
  first = frontDim(first, from.size(), where);
  last = frontDim(last, from.size(), where);
  if (first > last)
    fail("flatten: expected the first dim before the last, got " + std::to_string(first) + " and " +
             std::to_string(last),
         where);
  Shape target(from.begin(), from.begin() + first);
  target.push_back(std::accumulate(from.begin() + first, from.begin() + last + 1, Dim(1),
                                   [](const Dim &a, const Dim &b) { return a * b; }));
  target.insert(target.end(), from.begin() + last + 1, from.end());
  return reshape(target, where);
}

Tensor Tensor::unflatten(int64_t dim, const std::vector<int64_t> &sizes, Where where) const {
  At at(where);
  Shape target = shape(), parts(sizes.begin(), sizes.end());
  dim = frontDim(dim, target.size(), where);
  Dim known(1);
  for (const Dim &part : parts)
    if (!isOpen(part))
      known = known * part;
  auto open = std::find_if(parts.begin(), parts.end(), isOpen);
  if (auto rest = open == parts.end() ? std::nullopt : quotient(target[dim], known); rest)
    known = known * (*open = *rest);
  if (std::any_of(parts.begin(), parts.end(), isOpen) || known != target[dim])
    fail("unflatten: expected sizes whose product is " + target[dim].str() +
             ", at most one of them -1, got " + str(Shape(sizes.begin(), sizes.end())),
         where);
  target.erase(target.begin() + dim);
  target.insert(target.begin() + dim, parts.begin(), parts.end());
  return reshape(target);
}

Tensor Tensor::permute(const Axes &order, Where where) const {
  At at(where);
  std::vector<int64_t> front;
  for (int64_t axis : order)
    front.push_back(frontDim(axis, dim(), where));
  return apply("nn.transpose", {*this}, {{"permutation", front}}, where);
}

Tensor Tensor::transpose(int64_t a, int64_t b, Where where) const {
  At at(where);
  std::vector<int64_t> order(dim());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[frontDim(a, dim(), where)], order[frontDim(b, dim(), where)]);
  return apply("nn.transpose", {*this}, {{"permutation", order}}, where);
}

Tensor Tensor::t(Where where) const {
  At at(where);
  if (dim() != 2)
    fail("t: expected a matrix, got " + str(shape()), where);
  return transpose(0, 1, where);
}

Tensor Tensor::squeeze(int64_t dim, Where where) const {
  At at(where);
  Shape target = shape();
  dim = frontDim(dim, target.size(), where);
  if (target[dim] != Dim(1))
    return *this;
  target.erase(target.begin() + dim);
  return reshape(target, where);
}

Tensor Tensor::squeeze(Where where) const {
  At at(where);
  Shape target = shape();
  std::erase(target, Dim(1));
  return reshape(target, where);
}

Tensor Tensor::unsqueeze(int64_t dim, Where where) const {
  At at(where);
  Shape target = shape();
  target.insert(target.begin() + frontDim(dim, target.size() + 1, where), Dim(1));
  return reshape(target, where);
}

Tensor Tensor::expand(const Shape &shape, Where where) const {
  At at(where);
  Shape target = shape, from = this->shape();
  for (size_t i = 0; i < target.size(); ++i)
    if (isOpen(target[i])) {
      if (i + from.size() < target.size())
        fail("expand: expected sizes for new dims, got -1 in " + str(shape), where);
      target[i] = from[i + from.size() - target.size()];
    }
  return apply("nn.expand", {*this}, {}, where, {{target, dtype()}});
}

Tensor Tensor::flip(const Axes &dims, Where where) const {
  At at(where);
  std::vector<int64_t> axes;
  for (int64_t axis : dims)
    axes.push_back(frontDim(axis, dim(), where));
  std::sort(axes.begin(), axes.end());
  return apply("nn.reverse", {*this}, {{"axes", axes}}, where, {{shape(), dtype()}});
}

} // namespace dlc
