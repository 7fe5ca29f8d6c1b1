//===- Indexing.cpp - x[0], x[{Slice(), 1}], x[mask] --------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Detail.h"
#include <algorithm>

namespace dlc {
using namespace detail;

Axes::Axes() = default;
Axes::Axes(std::initializer_list<int64_t> axes) : std::vector<int64_t>(axes) {}
Axes::Axes(std::vector<int64_t> axes) : std::vector<int64_t>(std::move(axes)) {}

Indices::Indices(std::initializer_list<Index> indices, Where where) : each(indices), where(where) {}

Index::Index(const Tensor &tensor) : kind(Kind::Tensor), tensor(tensor.id()) {}

/// How many dims of the indexed tensor an index stands for.
static int64_t dimsOf(const Index &index) {
  switch (index.kind) {
  case Index::Kind::Position:
  case Index::Kind::Slice:
    return 1;
  case Index::Kind::Ellipsis:
  case Index::Kind::None:
    return 0;
  case Index::Kind::Tensor:
    Tensor tensor = Tensor::of(index.tensor);
    return tensor.defined() && tensor.dtype() == boolean ? tensor.dim() : 1;
  }
  return 0;
}

/// The elements of x where the mask is true, which stands for the dims from `at` on. How many there are must
/// be known now, so that the places are constants.
static Tensor chosenBy(const Tensor &mask, const Tensor &x, int64_t at, const Where &where) {
  for (int64_t i = 0; i < mask.dim(); ++i)
    if (staticSize("index", x, at + i, where) != staticSize("index", mask, i, where))
      fail("index: expected a mask of the shape of the dims that it stands for, got " + describe(mask) +
               " for dim " + std::to_string(at) + " and the following ones of " + describe(x),
           where);
  auto &recorder = record::Recorder::get();
  if (auto known = recorder.valueOf(mask.id()); !known.value)
    fail("index: how many elements the mask chooses must be known while the model is described, but " +
             known.error + "; masked_fill(mask, value) and where(mask, a, b) choose in each call",
         where);
  std::vector<double> chosen = mask.values(where), places;
  for (size_t i = 0; i < chosen.size(); ++i)
    if (chosen[i] != 0)
      places.push_back(double(i));
  Tensor rows = mask.dim() == 0 ? x.unsqueeze(at) : x.flatten(at, at + mask.dim() - 1);
  return rows.index_select(at, constant(places, {int64_t(places.size())}, int64, where));
}

/// x with its dim `at` replaced by those of an index, and how many these are.
static std::pair<Tensor, int64_t> taken(const Index &index, const Tensor &x, int64_t at, const Where &where) {
  switch (index.kind) {
  case Index::Kind::Position:
    return {x.select(at, index.part.start, where), 0};
  case Index::Kind::Slice:
    return {x.slice(at, index.part, where), 1};
  case Index::Kind::None:
    return {x.unsqueeze(at, where), 1};
  case Index::Kind::Ellipsis:
    return {x, 0};
  case Index::Kind::Tensor:
    break;
  }
  Tensor tensor = Tensor::of(index.tensor);
  if (!tensor.defined() || is_floating_point(tensor.dtype()))
    fail("index: expected a mask of truth values, or integers as positions, got " + describe(tensor), where);
  if (tensor.dtype() == boolean)
    return {chosenBy(tensor, x, at, where), 1};
  return {slicesAt(x, tensor, at, std::nullopt, where), tensor.dim()};
}

Tensor Tensor::index(const std::vector<Index> &indices, Where where) const {
  At line(where);
  auto count = [&](Index::Kind kind) {
    return std::count_if(indices.begin(), indices.end(),
                         [=](const Index &each) { return each.kind == kind; });
  };
  int64_t dims = 0;
  for (const Index &index : indices)
    dims += dimsOf(index);
  if (dims > dim() || count(Index::Kind::Ellipsis) > 1)
    fail("index: expected at most " + std::to_string(dim()) + " positions and slices for " + str(shape()) +
             ", and one Ellipsis, got " + std::to_string(dims) + " and " +
             std::to_string(count(Index::Kind::Ellipsis)),
         where);
  if (count(Index::Kind::Tensor) > 1)
    fail("index: expected at most one tensor, got " + std::to_string(count(Index::Kind::Tensor)) +
             "; index with one after the other, or with gather()",
         where);
  Tensor result = *this;
  int64_t at = 0; // in the result
  for (const Index &index : indices) {
    auto [part, kept] = taken(index, result, at, where);
    result = part;
    at += index.kind == Index::Kind::Ellipsis ? dim() - dims : kept;
  }
  return result;
}

} // namespace dlc
