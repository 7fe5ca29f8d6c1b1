//===- dlc/ops.h - functions of tensors ---------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes tensors, and what takes several. See tensor.h for what holds of all of them.
//===----------------------------------------------------------------------===//
#ifndef DLC_OPS_H
#define DLC_OPS_H

#include "dlc/tensor.h"

namespace dlc {

/// What the caller of the compiled model passes. With an example, everything that is computed has elements
/// while the model is described: those of the first call, say. Named dims may have any size in it up to their
/// bound.
DLC_API Tensor input(const std::string &name, const Shape &shape, DType dtype = float32,
                     Where where = Where::current());
DLC_API Tensor input(const std::string &name, const Shape &shape, const Tensor &example,
                     Where where = Where::current());

// Constants.
DLC_API Tensor full(const Shape &shape, double value, DType dtype = float32, Where where = Where::current());
inline Tensor zeros(const Shape &shape, DType dtype = float32, Where where = Where::current()) {
  return full(shape, 0, dtype, where);
}
inline Tensor ones(const Shape &shape, DType dtype = float32, Where where = Where::current()) {
  return full(shape, 1, dtype, where);
}
inline Tensor full_like(const Tensor &x, double value, Where where = Where::current()) {
  return full(x.shape(), value, x.dtype(), where);
}
inline Tensor zeros_like(const Tensor &x, Where where = Where::current()) { return full_like(x, 0, where); }
inline Tensor ones_like(const Tensor &x, Where where = Where::current()) { return full_like(x, 1, where); }
namespace detail {
/// The numbers of this dtype in memory.
DLC_API Tensor copied(const void *elements, const Shape &shape, DType dtype, const Where &where);
} // namespace detail
/// start, start + step ... below end.
DLC_API Tensor arange(double start, double end, double step = 1, DType dtype = int64,
                      Where where = Where::current());
DLC_API Tensor linspace(double start, double end, int64_t steps, DType dtype = float32,
                        Where where = Where::current());
DLC_API Tensor eye(int64_t size, DType dtype = float32, Where where = Where::current());
/// Row-major elements; tensor({{1, 2}, {3, 4}}) is two rows.
DLC_API Tensor from_data(const std::vector<double> &elements, const Shape &shape, DType dtype = float32,
                         Where where = Where::current());
/// A copy of row-major numbers in memory: float, double, int64_t, int32_t or bool.
template <typename T>
  requires std::is_arithmetic_v<T>
Tensor from_blob(const T *elements, const Shape &shape, Where where = Where::current()) {
  constexpr DType dtype = std::same_as<T, float>     ? float32
                          : std::same_as<T, double>  ? float64
                          : std::same_as<T, int64_t> ? int64
                          : std::same_as<T, int32_t> ? int32
                                                     : boolean;
  static_assert(dtype != boolean || std::same_as<T, bool>, "elements of a dtype that tensors have");
  return detail::copied(elements, shape, dtype, where);
}
DLC_API Tensor tensor(std::initializer_list<double> elements, DType dtype = float32,
                      Where where = Where::current());
DLC_API Tensor tensor(std::initializer_list<std::initializer_list<double>> rows, DType dtype = float32,
                      Where where = Where::current());

// Random constants. The same numbers as PyTorch's on a CPU after torch.manual_seed(seed), for rand and
// randint; those of randn have the same distribution.
DLC_API void manual_seed(uint64_t seed);
DLC_API Tensor rand(const Shape &shape, Where where = Where::current());
DLC_API Tensor randn(const Shape &shape, Where where = Where::current());
inline Tensor rand_like(const Tensor &x, Where where = Where::current()) { return rand(x.shape(), where); }
inline Tensor randn_like(const Tensor &x, Where where = Where::current()) { return randn(x.shape(), where); }
/// Integers from low to high - 1.
DLC_API Tensor randint(int64_t low, int64_t high, const Shape &shape, Where where = Where::current());

#define DLC_UNARY(name)                                                                                      \
  inline Tensor name(const Tensor &x, Where where = Where::current()) { return x.name(where); }
#include "dlc/unary.inc"

DLC_API Tensor cat(const std::vector<Tensor> &tensors, int64_t dim = 0, Where where = Where::current());
DLC_API Tensor stack(const std::vector<Tensor> &tensors, int64_t dim = 0, Where where = Where::current());
/// condition ? a : b, with broadcasting; a number takes the other side's dtype, two numbers are float32 or
/// int64.
DLC_API Tensor where(const Tensor &condition, const Operand &a, const Operand &b);
DLC_API Tensor maximum(const Operand &a, const Operand &b);
DLC_API Tensor minimum(const Operand &a, const Operand &b);
DLC_API Tensor pow(const Operand &base, const Operand &exponent);
/// Sums of products over labelled dims: einsum("bij,bjk->bik", {a, b}).
DLC_API Tensor einsum(const std::string &equation, const std::vector<Tensor> &operands,
                      Where where = Where::current());
/// a[i] b[j] of two vectors.
DLC_API Tensor outer(const Tensor &a, const Tensor &b, Where where = Where::current());
DLC_API Tensor matmul(const Tensor &a, const Tensor &b, Where where = Where::current());
/// `low` elements before and `high` after along each of the last dims.
DLC_API Tensor pad(const Tensor &x, const std::vector<int64_t> &low, const std::vector<int64_t> &high,
                   double value = 0, Where where = Where::current());
/// Ones on and below the diagonal `diagonal`, zeros above it; truth values.
DLC_API Tensor causal_mask(int64_t rows, int64_t columns, Where where = Where::current());

} // namespace dlc

#endif // DLC_OPS_H
