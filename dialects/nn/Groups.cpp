//===- Groups.cpp - channels that are normalized in groups ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/nn/Groups.h"
#include "llvm/ADT/STLExtras.h"

namespace nn {

Groups::Groups(mlir::RankedTensorType type, int64_t axis)
    : shape(shapeOf(type)), axis(axis), outer(shape.begin(), shape.begin() + axis) {}

/// The groups and the channels of each as one dim, in front of `inner`.
static Shape merged(llvm::ArrayRef<Dim> outer, const Dim &channels, llvm::ArrayRef<Dim> inner) {
  Shape result(outer.drop_back());
  result.push_back(outer.back() * channels);
  result.append(inner.begin(), inner.end());
  return result;
}

Expr Groups::channels(Expr apart) const {
  return reshaped(apart, merged(outer, shape[axis], llvm::ArrayRef<Dim>(shape).drop_front(axis + 1)));
}

Expr Groups::apart(Expr channels) const { return reshaped(channels, shape); }

Expr Groups::mean(Expr channels) const {
  auto positions = llvm::to_vector(llvm::seq<int64_t>(axis, channels.rank()));
  Shape perChannel = outer, perGroup = outer;
  perChannel.push_back(shape[axis]);
  perGroup.resize(shape.size(), Dim(1));
  Expr sums = reshaped(sum(channels, positions, /*keepdims=*/false), perChannel);
  auto all = llvm::to_vector(llvm::seq<int64_t>(axis, shape.size()));
  Expr count = countAlong(apart(channels), all, channels.elementType());
  Expr total = sum(sums, {axis}, /*keepdims=*/false);
  return reshaped(total / count, perGroup);
}

Expr Groups::spread(Expr ofGroups) const {
  Shape one = outer, each = outer;
  one.push_back(Dim(1));
  each.push_back(shape[axis]);
  Expr repeated = expand(reshaped(ofGroups, one), tensorType(each, ofGroups.elementType()));
  return reshaped(repeated, merged(outer, shape[axis], Shape(shape.size() - axis - 1, Dim(1))));
}

} // namespace nn
