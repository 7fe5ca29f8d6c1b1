//===- dlc/ops.h - functions of tensors ---------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes tensors, and what takes several. See tensor.h for what holds of all of them.
//===----------------------------------------------------------------------===//
#ifndef DLC_OPS_H
#define DLC_OPS_H

#include "dlc/operators.h"

namespace dlc {

/// What the caller of the compiled model passes, without an example.
DLC_API Tensor input(std::string_view name, const Shape &shape, DType dtype = float32,
                     Where where = Where::current());
/// The same with an example, of whose dtype it is: everything that is computed of it has elements while the
/// model is described, those of the first call, say. Named dims may have any size in it up to their bound.
DLC_API Tensor input(std::string_view name, const Shape &shape, const Tensor &example,
                     Where where = Where::current());

/// Other arguments.
Tensor
input(...) = delete; // write input("x", {Dim("batch", 64), 784}), with a dtype or an example behind the sizes

// Constants. Named dims are allowed in shapes.
/// `value` in all places.
DLC_API Tensor full(const Shape &shape, double value, DType dtype = float32, Where where = Where::current());
/// 0 in all places.
inline Tensor zeros(const Shape &shape, DType dtype = float32, Where where = Where::current()) {
  return full(shape, 0, dtype, where);
}
/// 1 in all places.
inline Tensor ones(const Shape &shape, DType dtype = float32, Where where = Where::current()) {
  return full(shape, 1, dtype, where);
}
/// The same of sizes without braces: zeros(3, 4).
///@{
template <std::convertible_to<Dim>... More> Tensor zeros(const FirstSize &first, More... more) {
  return full(Shape{first.size, Dim(more)...}, 0, float32, first.where);
}
template <std::convertible_to<Dim>... More> Tensor ones(const FirstSize &first, More... more) {
  return full(Shape{first.size, Dim(more)...}, 1, float32, first.where);
}
///@}
/// Other arguments.
///@{
Tensor zeros(...) = delete; // write zeros(3, 4) or zeros({3, 4}, dlc::int64)
Tensor ones(...) = delete;  // write ones(3, 4) or ones({3, 4}, dlc::int64)
///@}
/// `value`, with the shape and the dtype of x.
DLC_API Tensor full_like(const Tensor &x, double value, Where where = Where::current());
/// Zeros, with the shape and the dtype of x.
inline Tensor zeros_like(const Tensor &x, Where where = Where::current()) { return full_like(x, 0, where); }
/// Ones, with the shape and the dtype of x.
inline Tensor ones_like(const Tensor &x, Where where = Where::current()) { return full_like(x, 1, where); }
namespace detail {
/// The numbers of this dtype in memory.
DLC_API Tensor copied(const void *elements, const Shape &shape, DType dtype, const Where &where);
} // namespace detail
/// start, start + step ... before end, which is left out: int64, or float32 where one of the numbers is a
/// floating-point number. A step of 0, or one that leads away from end, is an error.
DLC_API Tensor arange(const Number &start, const Number &end, const Number &step = 1,
                      Where where = Where::current());
/// 0, 1 ... before end: int64, or float32 where end is a floating-point number.
DLC_API Tensor arange(const Number &end, Where where = Where::current());
/// start, start + step ... before end, of the dtype.
DLC_API Tensor arange(double start, double end, double step, DType dtype, Where where = Where::current());
/// 0, 1 ... before end, of the dtype.
DLC_API Tensor arange(double end, DType dtype, Where where = Where::current());
/// `steps` numbers from start to end at equal distances, both among them.
DLC_API Tensor linspace(double start, double end, int64_t steps, DType dtype = float32,
                        Where where = Where::current());
/// The identity matrix, [size, size].
DLC_API Tensor eye(int64_t size, DType dtype = float32, Where where = Where::current());
/// Row-major elements of a shape; their number must be the shape's.
DLC_API Tensor from_data(const std::vector<double> &elements, const Shape &shape, DType dtype = float32,
                         Where where = Where::current());
/// A copy of row-major numbers in memory: float, double, int64_t, int32_t, uint8_t or bool. The memory is
/// read during the call only. What is passed in each step is an input(), which sessions and libraries read
/// without a copy.
template <typename T>
  requires std::is_arithmetic_v<T>
Tensor from_blob(const T *elements, const Shape &shape, Where where = Where::current()) {
  constexpr DType dtype = std::same_as<T, float>     ? float32
                          : std::same_as<T, double>  ? float64
                          : std::same_as<T, int64_t> ? int64
                          : std::same_as<T, int32_t> ? int32
                          : std::same_as<T, uint8_t> ? uint8
                                                     : boolean;
  static_assert(dtype != boolean || std::same_as<T, bool>, "elements of a dtype that tensors have");
  return detail::copied(elements, shape, dtype, where);
}
/// Numbers in nested braces, in a std::vector or another container, of any number of dims: 3.0, {1, 2},
/// {{1.0, 2.0}, {3.0, 4.0}}.
class DLC_API Nested {
public:
  /// One number, of no dims.
  template <typename T>
    requires std::is_arithmetic_v<T>
  /*implicit*/ Nested(T number) : Nested(Number(number)) {}
  /// Parts of one shape.
  /*implicit*/ Nested(std::initializer_list<Nested> parts);
  /// Copies.
  ///@{
  Nested(const Nested &);
  Nested(Nested &&) noexcept;
  ~Nested();
  ///@}
  /// Numbers, or containers of them.
  template <typename Container>
    requires requires(const Container &parts) { parts.begin() != parts.end(); }
  /*implicit*/ Nested(const Container &parts) : Nested(DType::Float32) {
    using Part = typename Container::value_type;
    if constexpr (std::is_arithmetic_v<Part>)
      dtype = Number(Part()).dtype;
    for (const auto &part : parts)
      add(Nested(part));
  }

  std::vector<double> elements; ///< in row-major order
  std::vector<int64_t> shape;   ///< of the parts, behind their number
  DType dtype;                  ///< bool or int64 where all numbers are, else float32
  std::string error;            ///< where parts differ in their shapes

private:
  explicit Nested(const Number &number);
  explicit Nested(DType dtype); ///< without parts
  void add(const Nested &part);
};
/// A constant of these numbers: tensor({{1.0, 2.0}, {3.0, 4.0}}) is a matrix of float32, tensor({1, 2, 3}) a
/// vector of int64, tensor(3.0) has no dims.
DLC_API Tensor tensor(const Nested &numbers, Where where = Where::current());
/// The same of another dtype.
DLC_API Tensor tensor(const Nested &numbers, DType dtype, Where where = Where::current());
/// Other arguments.
Tensor tensor(...) = delete; // write tensor({1, 2, 3}), with a dtype behind the braces

// Random numbers. Where a module computes (in its forward), in a backward or a hook, where a size is known
// only when the compiled model runs, and in the shape of a tensor that depends on an input, they are drawn
// anew in each training step, of the library's seed: evaluation and prediction draw those of the next step.
// No gradient flows through them.
//
// Elsewhere they are constants, which are drawn once: initial values, say. Those of rand and randint are
// PyTorch's on a CPU after torch.manual_seed(seed); those of randn have the same distribution.

/// Begins the random numbers of constants anew.
DLC_API void manual_seed(uint64_t seed);
/// Uniform numbers of at least 0 and less than 1; float32.
DLC_API Tensor rand(const Shape &shape, Where where = Where::current());
/// The same, float32 or float64.
DLC_API Tensor rand(const Shape &shape, DType dtype, Where where = Where::current());
/// Normal numbers of mean 0 and variance 1; float32.
DLC_API Tensor randn(const Shape &shape, Where where = Where::current());
/// The same, float32 or float64.
DLC_API Tensor randn(const Shape &shape, DType dtype, Where where = Where::current());
/// The same of sizes without braces.
///@{
template <std::convertible_to<Dim>... More> Tensor rand(const FirstSize &first, More... more) {
  return rand(Shape{first.size, Dim(more)...}, first.where);
}
template <std::convertible_to<Dim>... More> Tensor randn(const FirstSize &first, More... more) {
  return randn(Shape{first.size, Dim(more)...}, first.where);
}
///@}
/// Other arguments.
///@{
Tensor rand(...) = delete;  // write rand(3, 4) or rand({3, 4}, dlc::float64)
Tensor randn(...) = delete; // write randn(3, 4) or randn({3, 4}, dlc::float64)
///@}
/// Uniform numbers of at least 0 and less than 1, with the shape and the dtype of x: float32 or float64.
DLC_API Tensor rand_like(const Tensor &x, Where where = Where::current());
/// Normal numbers of mean 0 and variance 1, with the shape and the dtype of x: float32 or float64.
DLC_API Tensor randn_like(const Tensor &x, Where where = Where::current());
/// Integers from low to high - 1; int64.
DLC_API Tensor randint(int64_t low, int64_t high, const Shape &shape, Where where = Where::current());
/// 1 with the probability that x has in this place, else 0.
DLC_API Tensor bernoulli(const Tensor &x, Where where = Where::current());
/// The first one in training steps, the second in evaluation and prediction; both have one type.
DLC_API Tensor by_mode(const Tensor &training, const Tensor &evaluation, Where where = Where::current());

#define DLC_UNARY(name)                                                                                      \
  inline Tensor name(const Tensor &x, Where where = Where::current()) { return x.name(where); }
#include "dlc/unary.inc"
#define DLC_UNARY(name)                                                                                      \
  inline Tensor name(const Tensor &x, Where where = Where::current()) { return x.name(where); }
#include "dlc/composed.inc"

/// Tensors one behind the other along a dim; their other dims are equal.
DLC_API Tensor cat(const std::vector<Tensor> &tensors, int64_t dim = 0, Where where = Where::current());
/// Tensors of one shape along a new dim.
DLC_API Tensor stack(const std::vector<Tensor> &tensors, int64_t dim = 0, Where where = Where::current());
/// condition ? a : b, with broadcasting, of the dtype that + has for both (dlc/operators.h).
DLC_API Tensor where(const Tensor &condition, const Operand &a, const Operand &b);
/// The larger of both, element by element; shapes broadcast.
DLC_API Tensor maximum(const Operand &a, const Operand &b);
/// The smaller of both.
DLC_API Tensor minimum(const Operand &a, const Operand &b);
/// The angle of the point (x, y), from -pi to pi; floating-point numbers, shapes broadcast.
DLC_API Tensor atan2(const Tensor &y, const Tensor &x, Where where = Where::current());
/// ln(e^a + e^b), without overflow; shapes broadcast.
DLC_API Tensor logaddexp(const Tensor &a, const Tensor &b, Where where = Where::current());
/// x less the largest multiple of y that is below: it has the sign of y. Shapes broadcast; integers stay
/// integers.
DLC_API Tensor remainder(const Operand &x, const Operand &y);
/// start + weight (end - start), element by element; shapes broadcast.
DLC_API Tensor lerp(const Tensor &start, const Tensor &end, const Operand &weight);
/// base^exponent, element by element; shapes broadcast.
DLC_API Tensor pow(const Operand &base, const Operand &exponent);
/// Sums of products over labelled dims: einsum("bij,bjk->bik", {a, b}). Without an arrow, the labels that
/// occur once are the result's, in alphabetical order; "..." stands for dims that broadcast.
DLC_API Tensor einsum(std::string_view equation, const std::vector<Tensor> &operands,
                      Where where = Where::current());
/// a[i] b[j] of two vectors.
DLC_API Tensor outer(const Tensor &a, const Tensor &b, Where where = Where::current());
/// The product of matrices [..., rows, inner] and [..., inner, columns], of whose other dims it has all; they
/// broadcast. A vector is a row on the left and a column on the right, and the result does not have its dim.
DLC_API Tensor matmul(const Tensor &a, const Tensor &b, Where where = Where::current());
/// `low` elements before and `high` after along each of the last dims.
DLC_API Tensor pad(const Tensor &x, const std::vector<int64_t> &low, const std::vector<int64_t> &high,
                   double value = 0, Where where = Where::current());
/// Ones on and below the diagonal `diagonal`, zeros above it; truth values.
DLC_API Tensor causal_mask(int64_t rows, int64_t columns, Where where = Where::current());

} // namespace dlc

#endif // DLC_OPS_H
