//===- dlc/functions.h - members of tensors as functions --------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As torch has them: sum(x, {1}) is x.sum({1}). What they do stands in tensor.h.
//===----------------------------------------------------------------------===//
#ifndef DLC_FUNCTIONS_H
#define DLC_FUNCTIONS_H

#include "dlc/tensor.h"

namespace dlc {

#define DLC_REDUCTION(name)                                                                                  \
  inline Tensor name(const Tensor &x, const Axes &axes = {}, bool keepdim = false,                           \
                     Where where = Where::current()) {                                                       \
    return x.name(axes, keepdim, where);                                                                     \
  }
DLC_REDUCTION(sum)  ///< x.sum().
DLC_REDUCTION(mean) ///< x.mean().
DLC_REDUCTION(prod) ///< x.prod().
DLC_REDUCTION(amax) ///< x.amax().
DLC_REDUCTION(amin) ///< x.amin().
DLC_REDUCTION(any)  ///< x.any().
DLC_REDUCTION(all)  ///< x.all().
#undef DLC_REDUCTION
/// x.var().
inline Tensor var(const Tensor &x, const Axes &axes = {}, int64_t correction = 1, bool keepdim = false,
                  Where where = Where::current()) {
  return x.var(axes, correction, keepdim, where);
}
/// x.std().
inline Tensor std(const Tensor &x, const Axes &axes = {}, int64_t correction = 1, bool keepdim = false,
                  Where where = Where::current()) {
  return x.std(axes, correction, keepdim, where);
}
/// x.norm().
inline Tensor norm(const Tensor &x, double p = 2, const Axes &axes = {}, bool keepdim = false,
                   Where where = Where::current()) {
  return x.norm(p, axes, keepdim, where);
}
/// x.logsumexp().
inline Tensor logsumexp(const Tensor &x, const Axes &axes, bool keepdim = false,
                        Where where = Where::current()) {
  return x.logsumexp(axes, keepdim, where);
}
/// x.cumsum().
inline Tensor cumsum(const Tensor &x, int64_t dim, Where where = Where::current()) {
  return x.cumsum(dim, where);
}
/// x.argmax().
inline Tensor argmax(const Tensor &x, int64_t dim, bool keepdim = false, Where where = Where::current()) {
  return x.argmax(dim, keepdim, where);
}
/// x.argmin().
inline Tensor argmin(const Tensor &x, int64_t dim, bool keepdim = false, Where where = Where::current()) {
  return x.argmin(dim, keepdim, where);
}

/// x.max() of all elements.
inline Tensor max(const Tensor &x, Where where = Where::current()) { return x.max(where); }
/// x.min() of all elements.
inline Tensor min(const Tensor &x, Where where = Where::current()) { return x.min(where); }
/// x.max() along a dim: the values, and where they are.
inline std::pair<Tensor, Tensor> max(const Tensor &x, int64_t dim, bool keepdim = false,
                                     Where where = Where::current()) {
  return x.max(dim, keepdim, where);
}
/// x.min() along a dim: the values, and where they are.
inline std::pair<Tensor, Tensor> min(const Tensor &x, int64_t dim, bool keepdim = false,
                                     Where where = Where::current()) {
  return x.min(dim, keepdim, where);
}
/// x.median().
inline std::pair<Tensor, Tensor> median(const Tensor &x, int64_t dim, bool keepdim = false,
                                        Where where = Where::current()) {
  return x.median(dim, keepdim, where);
}
/// x.cumprod().
inline Tensor cumprod(const Tensor &x, int64_t dim, Where where = Where::current()) {
  return x.cumprod(dim, where);
}

/// x.reshape().
inline Tensor reshape(const Tensor &x, const Shape &shape, Where where = Where::current()) {
  return x.reshape(shape, where);
}
/// x.flatten().
inline Tensor flatten(const Tensor &x, int64_t first = 0, int64_t last = -1, Where where = Where::current()) {
  return x.flatten(first, last, where);
}
/// x.permute().
inline Tensor permute(const Tensor &x, const Axes &order, Where where = Where::current()) {
  return x.permute(order, where);
}
/// x.transpose().
inline Tensor transpose(const Tensor &x, int64_t a, int64_t b, Where where = Where::current()) {
  return x.transpose(a, b, where);
}
/// x.squeeze().
inline Tensor squeeze(const Tensor &x, int64_t dim, Where where = Where::current()) {
  return x.squeeze(dim, where);
}
/// x.unsqueeze().
inline Tensor unsqueeze(const Tensor &x, int64_t dim, Where where = Where::current()) {
  return x.unsqueeze(dim, where);
}
/// x.flip().
inline Tensor flip(const Tensor &x, const Axes &dims, Where where = Where::current()) {
  return x.flip(dims, where);
}
/// x.tril().
inline Tensor tril(const Tensor &x, int64_t diagonal = 0, Where where = Where::current()) {
  return x.tril(diagonal, where);
}
/// x.triu().
inline Tensor triu(const Tensor &x, int64_t diagonal = 0, Where where = Where::current()) {
  return x.triu(diagonal, where);
}
/// x.split().
inline std::vector<Tensor> split(const Tensor &x, int64_t size, int64_t dim = 0,
                                 Where where = Where::current()) {
  return x.split(size, dim, where);
}
/// x.chunk().
inline std::vector<Tensor> chunk(const Tensor &x, int64_t parts, int64_t dim = 0,
                                 Where where = Where::current()) {
  return x.chunk(parts, dim, where);
}
/// x.index_select().
inline Tensor index_select(const Tensor &x, int64_t dim, const Tensor &indices,
                           Where where = Where::current()) {
  return x.index_select(dim, indices, where);
}
/// x.gather().
inline Tensor gather(const Tensor &x, int64_t dim, const Tensor &indices, Where where = Where::current()) {
  return x.gather(dim, indices, where);
}
/// x.topk().
inline std::pair<Tensor, Tensor> topk(const Tensor &x, int64_t k, int64_t dim = -1, bool largest = true,
                                      Where where = Where::current()) {
  return x.topk(k, dim, largest, where);
}
/// x.sort().
inline std::pair<Tensor, Tensor> sort(const Tensor &x, int64_t dim = -1, bool descending = false,
                                      Where where = Where::current()) {
  return x.sort(dim, descending, where);
}
/// x.argsort().
inline Tensor argsort(const Tensor &x, int64_t dim = -1, bool descending = false,
                      Where where = Where::current()) {
  return x.argsort(dim, descending, where);
}
/// x.roll().
inline Tensor roll(const Tensor &x, const Axes &shifts, const Axes &dims = {},
                   Where where = Where::current()) {
  return x.roll(shifts, dims, where);
}
/// x.unbind().
inline std::vector<Tensor> unbind(const Tensor &x, int64_t dim = 0, Where where = Where::current()) {
  return x.unbind(dim, where);
}
/// x.tile().
inline Tensor tile(const Tensor &x, const std::vector<int64_t> &counts, Where where = Where::current()) {
  return x.tile(counts, where);
}
/// x.repeat_interleave().
inline Tensor repeat_interleave(const Tensor &x, int64_t count, std::optional<int64_t> dim = std::nullopt,
                                Where where = Where::current()) {
  return x.repeat_interleave(count, dim, where);
}
/// x.index_add().
inline Tensor index_add(const Tensor &x, int64_t dim, const Tensor &indices, const Tensor &source,
                        Where where = Where::current()) {
  return x.index_add(dim, indices, source, where);
}
/// x.scatter_add().
inline Tensor scatter_add(const Tensor &x, int64_t dim, const Tensor &indices, const Tensor &source,
                          Where where = Where::current()) {
  return x.scatter_add(dim, indices, source, where);
}
/// x.scatter().
inline Tensor scatter(const Tensor &x, int64_t dim, const Tensor &indices, const Tensor &source,
                      Where where = Where::current()) {
  return x.scatter(dim, indices, source, where);
}
/// x.scatter().
inline Tensor scatter(const Tensor &x, int64_t dim, const Tensor &indices, double value,
                      Where where = Where::current()) {
  return x.scatter(dim, indices, value, where);
}
/// x.masked_fill().
inline Tensor masked_fill(const Tensor &x, const Tensor &mask, double value, Where where = Where::current()) {
  return x.masked_fill(mask, value, where);
}
/// x.clamp().
inline Tensor clamp(const Tensor &x, double low, double high, Where where = Where::current()) {
  return x.clamp(low, high, where);
}
/// x.bmm().
inline Tensor bmm(const Tensor &x, const Tensor &other, Where where = Where::current()) {
  return x.bmm(other, where);
}

} // namespace dlc

#endif // DLC_FUNCTIONS_H
