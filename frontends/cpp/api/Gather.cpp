//===- Gather.cpp - parts of tensors at positions that tensors hold -----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Detail.h"

namespace dlc {
using namespace detail;

Tensor detail::slicesAt(const Tensor &x, const Tensor &indices, int64_t dim, std::optional<int64_t> padding,
                        const Where &where) {
  dim = frontDim(dim, x.dim(), where);
  record::Attributes attributes{{"axis", dim}};
  if (padding)
    attributes.emplace_back("padding", *padding);
  Tensor slices = apply("nn.gather", {x, indices}, attributes, where);
  if (Dim size = x.size(dim); size.names.empty())
    record::Recorder::get().limitIndices(indices.id(), size.factor);
  return slices;
}

Tensor Tensor::index_select(int64_t dim, const Tensor &indices, Where where) const {
  return slicesAt(*this, indices, dim, std::nullopt, where);
}

/// Places in the row of all elements of x: along each dim but `dim` those of `indices`, which is a tensor of
/// indices along it.
static Tensor placesOf(const char *function, const Tensor &x, int64_t dim, const Tensor &indices,
                       const Where &where) {
  dim = frontDim(dim, x.dim(), where);
  if (indices.dim() != x.dim())
    fail(std::string(function) + ": expected indices of as many dims as " + str(x.shape()) + ", got " +
             str(indices.shape()),
         where);
  Tensor places = indices;
  int64_t stride = 1;
  std::vector<int64_t> strides(x.dim());
  for (int64_t i = x.dim() - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= staticSize(function, x, i, where);
  }
  // PyTorch has no negative indices here; they would reach other rows.
  record::Recorder::get().limitIndices(indices.id(), staticSize(function, x, dim, where));
  places = places * strides[dim];
  for (int64_t i = 0; i < x.dim(); ++i) {
    if (i == dim)
      continue;
    int64_t rows = staticSize(function, indices, i, where);
    if (rows > x.size(i).factor)
      fail(std::string(function) + ": expected indices that are not longer than " + str(x.shape()) +
               " along dim " + std::to_string(i) + ", got " + str(indices.shape()),
           where);
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

} // namespace dlc
