//===- dlc/tensor.h - values of a model under construction -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Tensor stands for a value that the compiled model will compute: it has a shape and a dtype. Where the
// inputs have examples it has elements too, which printing shows. Names, defaults and results are PyTorch's.
// A dim counts from the end where it is negative. Sizes must be known for what says "static dims".
//
// All functions throw dlc::Error, with the line of the call, where shapes or dtypes do not fit.
//===----------------------------------------------------------------------===//
#ifndef DLC_TENSOR_H
#define DLC_TENSOR_H

#include "dlc/error.h"
#include <concepts>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <limits>
#include <optional>
#include <variant>

namespace dlc {

class Operand;

/// Dims by number; for reductions, none means all.
class Axes : public std::vector<int64_t> {
public:
  Axes() = default;
  /*implicit*/ Axes(std::integral auto axis) : std::vector<int64_t>{int64_t(axis)} {}
  Axes(std::initializer_list<int64_t> axes) : std::vector<int64_t>(axes) {}
  /*implicit*/ Axes(std::vector<int64_t> axes) : std::vector<int64_t>(std::move(axes)) {}
};

/// A part of a dim, as Python's start:stop:step.
struct Slice {
  static constexpr int64_t end = std::numeric_limits<int64_t>::max();
  int64_t start = 0, stop = end, step = 1;
};
/// One dim of Tensor::index(): a position, which drops the dim, or a slice.
using Index = std::variant<int64_t, Slice>;

class DLC_API Tensor {
public:
  /// No value.
  Tensor() = default;
  bool defined() const { return handle != 0; }

  DType dtype() const;
  Shape shape() const;
  /// The size of one dim.
  Dim size(int64_t dim, Where where = Where::current()) const;
  int64_t dim() const { return int64_t(shape().size()); }
  Dim numel() const;

  /// The elements in row-major order; the only element. They throw where an input that the value depends on
  /// has no example, and warn where it has one: the compiled model does not ask again.
  std::vector<double> values(Where where = Where::current()) const;
  double item(Where where = Where::current()) const;

  Tensor to(DType dtype, Where where = Where::current()) const;

  // Gradients (dlc/autograd.h).
  /// The same elements; no gradient flows through them.
  Tensor detach(Where where = Where::current()) const;
  /// Whether grad() can differentiate by it: parameters, what says so, and what is computed of such tensors.
  bool requires_grad() const;
  /// Says so. A parameter that does not is not trained.
  Tensor requires_grad_(bool on = true, Where where = Where::current()) const;
  /// What flows back through this tensor from here on is hook(gradient), also for what used it before. The
  /// hook is called once, now; it may give a tensor without a value for the gradient itself.
  void register_hook(const std::function<Tensor(Tensor)> &hook, Where where = Where::current()) const;

  // Reductions.
  Tensor sum(Axes axes = {}, bool keepdim = false, Where where = Where::current()) const;
  Tensor mean(Axes axes = {}, bool keepdim = false, Where where = Where::current()) const;
  Tensor prod(Axes axes = {}, bool keepdim = false, Where where = Where::current()) const;
  Tensor amax(Axes axes = {}, bool keepdim = false, Where where = Where::current()) const;
  Tensor amin(Axes axes = {}, bool keepdim = false, Where where = Where::current()) const;
  /// Divided by the number of elements less `correction`.
  Tensor var(Axes axes = {}, int64_t correction = 1, bool keepdim = false,
             Where where = Where::current()) const;
  Tensor std(Axes axes = {}, int64_t correction = 1, bool keepdim = false,
             Where where = Where::current()) const;
  /// The p-norm, also for infinite p and 0; its gradient where it is 0 is 0.
  Tensor norm(double p = 2, Axes axes = {}, bool keepdim = false, Where where = Where::current()) const;
  /// log(sum(exp(x))), without overflow.
  Tensor logsumexp(Axes axes, bool keepdim = false, Where where = Where::current()) const;
  /// Sums of the elements up to each, along a static dim.
  Tensor cumsum(int64_t dim, Where where = Where::current()) const;
  /// Positions of the first largest and smallest elements, int64.
  Tensor argmax(int64_t dim, bool keepdim = false, Where where = Where::current()) const;
  Tensor argmin(int64_t dim, bool keepdim = false, Where where = Where::current()) const;

  // The same elements in another shape. One size of reshape may be -1: what is left.
  Tensor reshape(const Shape &shape, Where where = Where::current()) const;
  Tensor view(const Shape &shape, Where where = Where::current()) const { return reshape(shape, where); }
  Tensor flatten(int64_t first = 0, int64_t last = -1, Where where = Where::current()) const;
  /// One dim as several, of which one may be -1.
  Tensor unflatten(int64_t dim, const std::vector<int64_t> &sizes, Where where = Where::current()) const;
  Tensor permute(const Axes &order, Where where = Where::current()) const;
  Tensor transpose(int64_t a, int64_t b, Where where = Where::current()) const;
  /// Exchanges the dims of a matrix.
  Tensor t(Where where = Where::current()) const;
  Tensor squeeze(int64_t dim, Where where = Where::current()) const;
  Tensor unsqueeze(int64_t dim, Where where = Where::current()) const;
  /// Stretches dims of size 1 and adds leading dims; -1 keeps a size.
  Tensor expand(const Shape &shape, Where where = Where::current()) const;
  Tensor flip(const Axes &dims, Where where = Where::current()) const;

  /// Elements pushed out at one end of a dim come in at the other; without dims, those of the flat tensor.
  Tensor roll(const Axes &shifts, const Axes &dims = {}, Where where = Where::current()) const;
  /// So many copies along each of the last dims, and along new ones before them. tile() takes fewer counts
  /// than dims.
  Tensor repeat(const std::vector<int64_t> &counts, Where where = Where::current()) const;
  Tensor tile(const std::vector<int64_t> &counts, Where where = Where::current()) const;
  /// Each element so many times; without a dim, those of the flat tensor.
  Tensor repeat_interleave(int64_t count, std::optional<int64_t> dim = std::nullopt,
                           Where where = Where::current()) const;
  /// Zeros above, below the diagonal `diagonal` of the matrices in the last two dims.
  Tensor tril(int64_t diagonal = 0, Where where = Where::current()) const;
  Tensor triu(int64_t diagonal = 0, Where where = Where::current()) const;

  // Parts. What is cut has a static size.
  std::vector<Tensor> split(int64_t size, int64_t dim = 0, Where where = Where::current()) const;
  std::vector<Tensor> chunk(int64_t parts, int64_t dim = 0, Where where = Where::current()) const;
  /// All positions along a dim.
  std::vector<Tensor> unbind(int64_t dim = 0, Where where = Where::current()) const;
  Tensor slice(int64_t dim, Slice part, Where where = Where::current()) const;
  Tensor select(int64_t dim, int64_t position, Where where = Where::current()) const;
  /// x.index({Slice(0, 2), 1}) is Python's x[0:2, 1].
  Tensor index(const std::vector<Index> &indices, Where where = Where::current()) const;
  /// Slices along `dim` at the positions `indices` (integers, of any shape for a 1-dim result PyTorch's one).
  Tensor index_select(int64_t dim, const Tensor &indices, Where where = Where::current()) const;
  /// y[i][j] = x[i][indices[i][j]] for dim 1 of a matrix, and so on: elements, not slices. Static dims.
  Tensor gather(int64_t dim, const Tensor &indices, Where where = Where::current()) const;
  /// This tensor and, added to it at the positions `indices` along `dim`, the slices of `source`.
  Tensor index_add(int64_t dim, const Tensor &indices, const Tensor &source,
                   Where where = Where::current()) const;
  /// The same of elements, as gather() takes them; `source` has the shape of `indices`. Static dims.
  Tensor scatter_add(int64_t dim, const Tensor &indices, const Tensor &source,
                     Where where = Where::current()) const;
  /// The largest, or smallest, elements along a static dim in order, and their positions. Of equal ones the
  /// first come first. NaN counts as largest.
  std::pair<Tensor, Tensor> topk(int64_t k, int64_t dim = -1, bool largest = true,
                                 Where where = Where::current()) const;
  std::pair<Tensor, Tensor> sort(int64_t dim = -1, bool descending = false,
                                 Where where = Where::current()) const;
  Tensor argsort(int64_t dim = -1, bool descending = false, Where where = Where::current()) const;
  Tensor masked_fill(const Tensor &mask, double value, Where where = Where::current()) const;

  // Linear algebra.
  Tensor matmul(const Tensor &other, Where where = Where::current()) const;
  Tensor bmm(const Tensor &other, Where where = Where::current()) const;

  // Functions of one element; dlc::exp(x) is the same as x.exp().
#define DLC_UNARY(name) Tensor name(Where where = Where::current()) const;
#include "dlc/unary.inc"
  Tensor pow(double exponent, Where where = Where::current()) const;
  Tensor clamp(double low, double high, Where where = Where::current()) const;
  /// Between tensors; where `low` is above `high`, `high`.
  Tensor clamp(const Tensor &low, const Tensor &high, Where where = Where::current()) const;
  Tensor clamp_min(double low, Where where = Where::current()) const;
  Tensor clamp_max(double high, Where where = Where::current()) const;
  Tensor softmax(int64_t dim, Where where = Where::current()) const;
  Tensor log_softmax(int64_t dim, Where where = Where::current()) const;

  /// The number of the value in what is being described; 0 without one.
  uint32_t id() const { return handle; }
  static Tensor of(uint32_t id);

private:
  uint32_t handle = 0;
};

/// Elements where they are known, else the shape, the dtype and the operation.
DLC_API std::ostream &operator<<(std::ostream &out, const Tensor &tensor);

/// A tensor or a number, with the line that it stands in: operators have no other place for it. A number
/// takes the dtype of the other side; one with a decimal point does not go with integers, which to()
/// converts.
class DLC_API Operand {
public:
  /*implicit*/ Operand(const Tensor &tensor, Where where = Where::current()) : tensor(tensor), where(where) {}
  template <typename Number>
    requires std::is_arithmetic_v<Number>
  /*implicit*/ Operand(Number number, Where where = Where::current())
      : number(double(number)), isNumber(true), isInteger(std::is_integral_v<Number>), where(where) {}

  Tensor tensor;
  double number = 0;
  bool isNumber = false, isInteger = false;
  Where where;
};

DLC_API Tensor operator+(const Operand &a, const Operand &b);
DLC_API Tensor operator-(const Operand &a, const Operand &b);
DLC_API Tensor operator*(const Operand &a, const Operand &b);
/// Of floating-point numbers.
DLC_API Tensor operator/(const Operand &a, const Operand &b);
DLC_API Tensor operator-(const Operand &x);
/// The handle stands for the result from here on; other handles keep the old value.
DLC_API Tensor &operator+=(Tensor &a, const Operand &b);
DLC_API Tensor &operator-=(Tensor &a, const Operand &b);
DLC_API Tensor &operator*=(Tensor &a, const Operand &b);
DLC_API Tensor &operator/=(Tensor &a, const Operand &b);
DLC_API Tensor operator==(const Operand &a, const Operand &b);
DLC_API Tensor operator!=(const Operand &a, const Operand &b);
DLC_API Tensor operator<(const Operand &a, const Operand &b);
DLC_API Tensor operator<=(const Operand &a, const Operand &b);
DLC_API Tensor operator>(const Operand &a, const Operand &b);
DLC_API Tensor operator>=(const Operand &a, const Operand &b);
// Of truth values.
DLC_API Tensor operator&(const Operand &a, const Operand &b);
DLC_API Tensor operator|(const Operand &a, const Operand &b);
DLC_API Tensor operator^(const Operand &a, const Operand &b);
DLC_API Tensor operator!(const Operand &x);

} // namespace dlc

#endif // DLC_TENSOR_H
