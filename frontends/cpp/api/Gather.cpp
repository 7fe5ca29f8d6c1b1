//===- Gather.cpp - parts of tensors at positions that tensors hold -----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/PackedElements.h"

namespace dlc {
using namespace detail;

/// Throws where an index that is known now is outside of dim `dim` of x; those that callers of the compiled
/// model give are checked in each call.
static void requireInside(const Tensor &x, const Tensor &indices, int64_t dim, const Where &where) {
  auto &recorder = record::Recorder::get();
  const Dim size = x.size(dim);
  if (!size.is_static() || !indices.defined() || is_floating_point(indices.dtype()))
    return;
  const std::string origin = recorder.originOf(indices.id());
  if (origin != "constant" && origin != "input")
    return;
  auto known = recorder.valueOf(indices.id());
  if (!known.value)
    return;
  for (double index : unpack(*known.value))
    if (index < 0 || index >= double(size.factor))
      fail("expected indices from 0 to " + std::to_string(size.factor - 1) + " into dim " +
               std::to_string(dim) + " of " + describe(x) + ", got " + std::to_string(int64_t(index)),
           where);
}

Tensor detail::slicesAt(const Tensor &x, const Tensor &indices, int64_t dim, std::optional<int64_t> padding,
                        const Where &where) {
  dim = frontDim(dim, x.dim(), where);
  requireInside(x, indices, dim, where);
  record::Attributes attributes{{"axis", dim}};
  if (padding)
    attributes.emplace_back("padding", *padding);
  Tensor slices = apply("nn.gather", {x, indices}, attributes, where);
  if (Dim size = x.size(dim); size.names.empty())
    record::Recorder::get().limitIndices(indices.id(), size.factor);
  return slices;
}

Tensor Tensor::index_select(int64_t dim, const Tensor &indices, Where where) const {
  At at(where);
  return slicesAt(*this, indices, dim, std::nullopt, where);
}

/// Throws where `indices` are not as gather() takes them.
static void checkIndices(const char *function, const Tensor &x, int64_t dim, const Tensor &indices,
                         const Where &where) {
  dim = frontDim(dim, x.dim(), where);
  if (indices.dim() != x.dim())
    fail(std::string(function) + ": expected indices of as many dims as " + str(x.shape()) + ", got " +
             str(indices.shape()),
         where);
  // PyTorch has no negative indices here; they would reach other rows.
  record::Recorder::get().limitIndices(indices.id(), staticSize(function, x, dim, where));
  for (int64_t i = 0; i < x.dim(); ++i)
    if (i != dim && staticSize(function, indices, i, where) > staticSize(function, x, i, where))
      fail(std::string(function) + ": expected indices that are not longer than " + str(x.shape()) +
               " along dim " + std::to_string(i) + ", got " + str(indices.shape()),
           where);
}

/// Places in the row of all elements of x: along each dim but `dim` those of `indices`, which is a tensor of
/// indices along it.
static Tensor placesOf(const char *function, const Tensor &x, int64_t dim, const Tensor &indices,
                       const Where &where) {
  checkIndices(function, x, dim, indices, where);
  dim = frontDim(dim, x.dim(), where);
  Tensor places = indices;
  int64_t stride = 1;
  std::vector<int64_t> strides(x.dim());
  for (int64_t i = x.dim() - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= x.size(i).factor;
  }
  places = places * strides[dim];
  for (int64_t i = 0; i < x.dim(); ++i) {
    if (i == dim)
      continue;
    int64_t rows = indices.size(i).factor;
    Shape along(x.dim(), Dim(1));
    along[i] = rows;
    places = places + (arange(0, double(rows), 1, indices.dtype()) * strides[i]).reshape(along);
  }
  return places;
}

Tensor Tensor::gather(int64_t dim, const Tensor &indices, Where where) const {
  At at(where);
  return flatten().index_select(0, placesOf("gather", *this, dim, indices, where));
}

Tensor Tensor::index_add(int64_t dim, const Tensor &indices, const Tensor &source, Where where) const {
  At at(where);
  dim = frontDim(dim, this->dim(), where);
  Tensor added = apply("nn.scatter_add", {indices, source}, {{"axis", dim}}, where, {{shape(), dtype()}});
  if (Dim size = this->size(dim); size.names.empty())
    record::Recorder::get().limitIndices(indices.id(), size.factor);
  return *this + added;
}

Tensor Tensor::scatter_add(int64_t dim, const Tensor &indices, const Tensor &source, Where where) const {
  At at(where);
  if (source.shape() != indices.shape())
    fail("scatter_add: expected a source of the shape of the indices, " + str(indices.shape()) + ", got " +
             describe(source),
         where);
  Tensor places = placesOf("scatter_add", *this, dim, indices, where);
  return flatten().index_add(0, places.flatten(), source.flatten()).reshape(shape());
}

Tensor Tensor::scatter(int64_t dim, const Tensor &indices, const Tensor &source, Where where) const {
  At at(where);
  checkIndices("scatter", *this, dim, indices, where);
  if (source.shape() != indices.shape() || source.dtype() != dtype())
    fail("scatter: expected a source of the shape of the indices, " + str(indices.shape()) + ", and of " +
             name_of(dtype()) + ", got " + describe(source),
         where);
  dim = frontDim(dim, this->dim(), where);
  // [..., places, sources, ...]: of several for one place the last one counts, whose number is the largest.
  Shape ofPlaces(this->dim() + 1, Dim(1)), ofSources = ofPlaces;
  ofPlaces[dim] = size(dim);
  ofSources[dim + 1] = indices.size(dim);
  Tensor place = arange(size(dim).value()).reshape(ofPlaces),
         number = arange(staticSize("scatter", indices, dim, where)).reshape(ofSources);
  Tensor wanted = dlc::where(indices.to(int64).unsqueeze(dim) == place, number, -1);
  Tensor last = wanted.amax(dim + 1, /*keepdim=*/true);
  Tensor chosen = dlc::where(number == last, source.unsqueeze(dim), 0).sum(dim + 1);
  // What the indices do not reach stays.
  std::vector<int64_t> low(this->dim(), 0), high = low;
  for (int64_t i = 0; i < this->dim(); ++i)
    high[i] =
        i == dim ? 0 : staticSize("scatter", *this, i, where) - staticSize("scatter", indices, i, where);
  return dlc::where(pad(last.squeeze(dim + 1), low, high, -1) >= 0, pad(chosen, low, high), *this);
}

Tensor Tensor::scatter(int64_t dim, const Tensor &indices, double value, Where where) const {
  At at(where);
  Tensor hits = full_like(*this, 0).to(float32).scatter_add(dim, indices, full(indices.shape(), 1), where);
  return masked_fill(hits > 0, value);
}

} // namespace dlc
