//===- Rearrange.cpp - elements moved, repeated, left out -----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Detail.h"

namespace dlc {
using namespace detail;

static Tensor rolled(const Tensor &x, int64_t shift, int64_t dim) {
  int64_t size = staticSize("roll", x, dim, Where());
  int64_t start = size ? ((-shift % size) + size) % size : 0;
  return start ? cat({x.slice(dim, {start, size}), x.slice(dim, {0, start})}, dim) : x;
}

Tensor Tensor::roll(const Axes &shifts, const Axes &dims, Where where) const {
  At at(where);
  if (dims.empty() && shifts.size() == 1)
    return rolled(flatten(), shifts[0], 0).reshape(shape());
  if (shifts.size() != dims.size())
    fail("roll: expected a shift for each dim, got " + std::to_string(shifts.size()) + " shifts and " +
             std::to_string(dims.size()) + " dims",
         where);
  Tensor result = *this;
  for (size_t i = 0; i < dims.size(); ++i)
    result = rolled(result, shifts[i], frontDim(dims[i], dim(), where));
  return result;
}

Tensor Tensor::repeat(const std::vector<int64_t> &counts, Where where) const {
  Shape from = shape();
  if (counts.size() < from.size())
    fail("repeat: expected a count for each dim of " + str(from) + ", got " + std::to_string(counts.size()) +
             "; tile() takes fewer",
         where);
  At at(where);
  // Beside each dim one of size 1, which is stretched.
  Shape apart, stretched, result;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0)
      fail("repeat: expected counts of at least 0, got " + std::to_string(counts[i]), where);
    bool isNew = i + from.size() < counts.size();
    Dim size = isNew ? Dim(1) : from[i + from.size() - counts.size()];
    apart.insert(apart.end(), {Dim(1), size});
    stretched.insert(stretched.end(), {Dim(counts[i]), size});
    result.push_back(Dim(counts[i]) * size);
  }
  return reshape(apart).expand(stretched).reshape(result);
}

Tensor Tensor::tile(const std::vector<int64_t> &counts, Where where) const {
  At at(where);
  std::vector<int64_t> all = counts;
  while (int64_t(all.size()) < dim())
    all.insert(all.begin(), 1);
  return repeat(all, where);
}

Tensor Tensor::repeat_interleave(int64_t count, std::optional<int64_t> dim, Where where) const {
  At at(where);
  if (!dim)
    return flatten().repeat_interleave(count, 0);
  if (count < 0)
    fail("repeat_interleave: expected a count of at least 0, got " + std::to_string(count), where);
  int64_t front = frontDim(*dim, this->dim(), where);
  Shape stretched = shape(), result = stretched;
  stretched.insert(stretched.begin() + front + 1, Dim(count));
  result[front] = result[front] * Dim(count);
  return unsqueeze(front + 1).expand(stretched).reshape(result);
}

/// Truth values [rows, columns]: whether a column is at most `diagonal` right of the row's own.
static Tensor isUpTo(const char *function, const Tensor &x, int64_t diagonal, const Where &where) {
  if (x.dim() < 2)
    fail(std::string(function) + ": expected matrices, got " + describe(x), where);
  int64_t rows = staticSize(function, x, -2, where), columns = staticSize(function, x, -1, where);
  return arange(columns).unsqueeze(0) <= arange(rows).unsqueeze(1) + diagonal;
}

Tensor Tensor::tril(int64_t diagonal, Where where) const {
  At at(where);
  return masked_fill(!isUpTo("tril", *this, diagonal, where), 0);
}

Tensor Tensor::triu(int64_t diagonal, Where where) const {
  At at(where);
  return masked_fill(isUpTo("triu", *this, diagonal - 1, where), 0);
}

std::vector<Tensor> Tensor::unbind(int64_t dim, Where where) const {
  At at(where);
  int64_t size = staticSize("unbind", *this, dim, where);
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < size; ++i)
    parts.push_back(select(dim, i, where));
  return parts;
}

/// What `combine` makes of each element along `dim` and all before it: of 2, 4, 8 ... neighbours, in as many
/// steps as the size has bits, and errors grow with them only. `combine` leaves what it meets with `neutral`.
template <typename Combine>
static Tensor running(const char *function, const Tensor &x, int64_t dim, double neutral, const Where &where,
                      Combine combine) {
  dim = frontDim(dim, x.dim(), where);
  int64_t size = staticSize(function, x, dim, where);
  Tensor result = is_floating_point(x.dtype()) ? x : x.to(int64); // as sum() has them
  for (int64_t distance = 1; distance < size; distance *= 2) {
    std::vector<int64_t> low(x.dim(), 0), high = low;
    low[dim] = distance;
    result = combine(result, pad(result.slice(dim, {0, size - distance}), low, high, neutral));
  }
  return result;
}

Tensor Tensor::cumsum(int64_t dim, Where where) const {
  At at(where);
  return running("cumsum", *this, dim, 0, where, [](const Tensor &a, const Tensor &b) { return a + b; });
}
Tensor Tensor::cumprod(int64_t dim, Where where) const {
  At at(where);
  return running("cumprod", *this, dim, 1, where, [](const Tensor &a, const Tensor &b) { return a * b; });
}

} // namespace dlc
