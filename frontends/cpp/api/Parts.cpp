//===- Parts.cpp - parts of tensors, and tensors of parts ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Detail.h"
#include <algorithm>

namespace dlc {
using namespace detail;

int64_t detail::staticSize(const char *function, const Tensor &x, int64_t dim, const Where &where) {
  Dim size = x.size(dim, where);
  if (!size.is_static())
    fail(std::string(function) + ": dim " + std::to_string(dim) + " of " + str(x.shape()) +
             " is known only when the compiled model runs; expected a static one",
         where);
  return size.factor;
}

Tensor Tensor::slice(int64_t dim, Slice part, Where where) const {
  At at(where);
  dim = frontDim(dim, this->dim(), where);
  if (part.start == 0 && part.stop == Slice::end && part.step == 1)
    return *this;
  int64_t size = staticSize("slice", *this, dim, where);
  auto inside = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size); };
  if (part.step < 1)
    fail("slice: expected a step of at least 1, got " + std::to_string(part.step) + "; flip() reverses",
         where);
  std::vector<int64_t> starts(this->dim(), 0), limits(this->dim()), steps(this->dim(), 1);
  Shape all = shape();
  for (size_t i = 0; i < all.size(); ++i)
    limits[i] = all[i].is_static() ? all[i].factor : -1;
  starts[dim] = inside(part.start);
  limits[dim] = std::max(inside(part.stop), starts[dim]);
  steps[dim] = part.step;
  return apply("nn.slice", {*this}, {{"starts", starts}, {"limits", limits}, {"steps", steps}}, where);
}

Tensor Tensor::select(int64_t dim, int64_t position, Where where) const {
  At at(where);
  dim = frontDim(dim, this->dim(), where);
  int64_t size = staticSize("select", *this, dim, where), from = position < 0 ? position + size : position;
  if (from < 0 || from >= size)
    fail("select: expected a position from " + std::to_string(-size) + " to " + std::to_string(size - 1) +
             " along dim " + std::to_string(dim) + " of " + str(shape()) + ", got " +
             std::to_string(position),
         where);
  return slice(dim, {from, from + 1}, where).squeeze(dim, where);
}

std::vector<Tensor> Tensor::split(int64_t size, int64_t dim, Where where) const {
  At at(where);
  int64_t whole = staticSize("split", *this, dim, where);
  if (size < 1)
    fail("split: expected parts of at least 1, got " + std::to_string(size), where);
  std::vector<Tensor> parts;
  for (int64_t start = 0; start < whole; start += size)
    parts.push_back(slice(dim, {start, std::min(start + size, whole)}, where));
  return parts;
}

std::vector<Tensor> Tensor::split_with_sizes(const std::vector<int64_t> &sizes, int64_t dim,
                                             Where where) const {
  At at(where);
  int64_t whole = staticSize("split_with_sizes", *this, dim, where), start = 0;
  std::vector<Tensor> parts;
  for (int64_t size : sizes) {
    if (size < 0 || size > whole - start)
      break;
    parts.push_back(slice(dim, {start, start + size}, where));
    start += size;
  }
  if (parts.size() != sizes.size() || start != whole)
    fail("split_with_sizes: expected sizes whose sum is " + std::to_string(whole) + ", got " +
             str(Shape(sizes.begin(), sizes.end())),
         where);
  return parts;
}

std::vector<Tensor> Tensor::chunk(int64_t parts, int64_t dim, Where where) const {
  At at(where);
  if (parts < 1)
    fail("chunk: expected at least one part, got " + std::to_string(parts), where);
  int64_t whole = staticSize("chunk", *this, dim, where);
  return split(std::max<int64_t>((whole + parts - 1) / parts, 1), dim, where);
}

/// The elements at places along a dim: all others are 0 in a sum. Other than gather(), for any sizes of other
/// dims.
static Tensor pick(const Tensor &x, int64_t dim, const Tensor &places) {
  Shape along(x.dim() + 1, Dim(1));
  along[dim + 1] = x.size(dim);
  Tensor isWanted = places.unsqueeze(dim + 1) == arange(x.size(dim).value()).reshape(along);
  return where(isWanted, x.unsqueeze(dim), 0).sum(dim + 1);
}

std::pair<Tensor, Tensor> Tensor::topk(int64_t k, int64_t dim, bool largest, Where where) const {
  At at(where);
  dim = frontDim(dim, this->dim(), where);
  auto places = record::Recorder::get().places(handle, dim, k, largest, placeOf(where));
  if (!places.value)
    fail("topk: " + places.error, where);
  Tensor indices = Tensor::of(*places.value);
  return {pick(*this, dim, indices), indices};
}

std::pair<Tensor, Tensor> Tensor::sort(int64_t dim, bool descending, Where where) const {
  At at(where);
  return topk(staticSize("sort", *this, dim, where), dim, descending, where);
}

Tensor Tensor::argsort(int64_t dim, bool descending, Where where) const {
  At at(where);
  return sort(dim, descending, where).second;
}

Tensor Tensor::masked_fill(const Tensor &mask, double value, Where where) const {
  At at(where);
  return apply("nn.select", {mask, scalar(value, dtype(), where), *this}, {}, where);
}

Tensor cat(const std::vector<Tensor> &tensors, int64_t dim, Where where) {
  At at(where);
  if (tensors.empty())
    fail("cat: expected at least one tensor", where);
  return apply("nn.concat", tensors, {{"axis", frontDim(dim, tensors[0].dim(), where)}}, where);
}

Tensor stack(const std::vector<Tensor> &tensors, int64_t dim, Where where) {
  At at(where);
  if (tensors.empty())
    fail("stack: expected at least one tensor", where);
  dim = frontDim(dim, tensors[0].dim() + 1, where);
  std::vector<Tensor> parts;
  for (const Tensor &tensor : tensors)
    parts.push_back(tensor.unsqueeze(dim, where));
  return cat(parts, dim, where);
}

Tensor pad(const Tensor &x, const std::vector<int64_t> &low, const std::vector<int64_t> &high, double value,
           Where where) {
  At at(where);
  if (low.size() != high.size() || int64_t(low.size()) > x.dim())
    fail("pad: expected two lists of at most " + std::to_string(x.dim()) + " numbers, got " +
             std::to_string(low.size()) + " and " + std::to_string(high.size()),
         where);
  std::vector<int64_t> before(x.dim() - low.size(), 0), after = before, none(x.dim(), 0);
  before.insert(before.end(), low.begin(), low.end());
  after.insert(after.end(), high.begin(), high.end());
  return apply("nn.pad", {x},
               {{"mode", record::Spelled{"#nn<pad_mode constant>"}},
                {"low", before},
                {"high", after},
                {"interior", none},
                {"value", value}},
               where);
}

} // namespace dlc
