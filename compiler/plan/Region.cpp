//===- Region.cpp - the bytes of a place -----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/plan/Region.h"
#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "llvm/ADT/STLExtras.h"

#include <utility>

using namespace llvm;
using namespace mlir;

namespace dlc::plan {

Region::Region(StringRef memory, int64_t begin, int64_t elementBytes, ArrayRef<int64_t> sizes,
               ArrayRef<int64_t> strides)
    : name(memory), first(begin) {
  for (auto [size, stride] : zip_equal(sizes, strides))
    if (size != 1 && (stride != 0 || size == 0)) // neighbours at one place are one
      dims.push_back({size, stride * elementBytes});
  if (any_of(sizes, [](int64_t size) { return size == 0; }))
    dims = {{0, 1}};
  else
    dims.push_back({elementBytes, 1});
  sort(dims,
       [](const Dim &a, const Dim &b) { return std::pair(a.step, a.count) > std::pair(b.step, b.count); });
  for (size_t i = 0; i + 1 < dims.size();) {
    Dim &inner = dims[i + 1];
    if (dims[i].step != inner.count * inner.step) {
      ++i;
      continue;
    }
    inner.count *= dims[i].count;
    dims.erase(dims.begin() + i);
    i = i > 0 ? i - 1 : 0;
  }
}

int64_t Region::bytes() const {
  int64_t product = 1;
  for (const Dim &dim : dims)
    product *= dim.count;
  return product;
}

int64_t Region::end() const {
  if (isEmpty())
    return first;
  int64_t last = first;
  for (const Dim &dim : dims)
    last += (dim.count - 1) * dim.step;
  return last + 1;
}

bool Region::overlaps(const Region &other) const {
  if (name != other.name || isEmpty() || other.isEmpty() || first >= other.end() || other.first >= end())
    return false;
  if ((isDense() && other.isDense()) || *this == other)
    return true;
  // Whether there are positions along the dims of both that lead to the same byte.
  unsigned count = dims.size() + other.dims.size();
  presburger::IntegerRelation same(presburger::PresburgerSpace::getSetSpace(count));
  SmallVector<int64_t> difference(count + 1, 0);
  difference.back() = first - other.first;
  unsigned variable = 0;
  for (auto [region, sign] : {std::pair(this, 1), std::pair(&other, -1)})
    for (const Dim &dim : region->dims) {
      same.addBound(presburger::BoundType::LB, variable, 0);
      same.addBound(presburger::BoundType::UB, variable, dim.count - 1);
      difference[variable++] = sign * dim.step;
    }
  same.addEquality(difference);
  return !same.isIntegerEmpty();
}

// Each number of bytes is taken apart into positions along the dims, the widest steps first. Those of the
// other's first byte, and what its dims add to them, must stay inside.
bool Region::contains(const Region &other) const {
  if (other.isEmpty())
    return true;
  if (name != other.name || isEmpty() || other.first < first)
    return false;
  SmallVector<int64_t> most(dims.size(), 0); // the largest position along each dim
  int64_t offset = other.first - first;
  for (auto [position, dim] : zip_equal(most, dims)) {
    position = offset / dim.step;
    offset %= dim.step;
  }
  for (const Dim &step : other.dims) {
    auto dim = find_if(dims, [&](const Dim &own) { return step.step % own.step == 0; });
    if (dim == dims.end())
      return false;
    most[dim - dims.begin()] += (step.count - 1) * (step.step / dim->step);
  }
  return all_of(zip_equal(most, dims), [](auto pair) { return std::get<0>(pair) < std::get<1>(pair).count; });
}

SmallVector<int64_t> Region::rows() const {
  SmallVector<int64_t> begins = {first};
  for (const Dim &dim : drop_end(dims)) { // the last one are bytes side by side
    SmallVector<int64_t> outer = std::exchange(begins, {});
    for (int64_t begin : outer)
      for (int64_t i = 0; i < dim.count; ++i)
        begins.push_back(begin + i * dim.step);
  }
  sort(begins);
  return begins;
}

int64_t Region::sharedBytes(const Region &other) const {
  if (name != other.name || isEmpty() || other.isEmpty())
    return 0;
  int64_t width = dims.back().count, otherWidth = other.dims.back().count, bytes = 0;
  SmallVector<int64_t> mine = rows(), others = other.rows();
  for (size_t i = 0, j = 0; i < mine.size() && j < others.size();) {
    int64_t end = mine[i] + width, otherEnd = others[j] + otherWidth;
    bytes += std::max<int64_t>(0, std::min(end, otherEnd) - std::max(mine[i], others[j]));
    ++(end < otherEnd ? i : j);
  }
  return bytes;
}

} // namespace dlc::plan
