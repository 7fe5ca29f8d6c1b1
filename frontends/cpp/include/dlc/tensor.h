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
#include "dlc/indexing.h"
#include <functional>
#include <iosfwd>
#include <optional>

namespace dlc {

/// The dtype that PyTorch calls as C++ calls this type: float is float32, int int32, long int64, and uint8_t
/// uint8.
template <typename T>
inline constexpr DType dtype_named = std::is_same_v<T, bool>        ? DType::Bool
                                     : std::is_same_v<T, double>    ? DType::Float64
                                     : std::is_floating_point_v<T>  ? DType::Float32
                                     : sizeof(T) == sizeof(int64_t) ? DType::Int64
                                     : sizeof(T) == sizeof(int32_t) ? DType::Int32
                                                                    : DType::UInt8;

/// A number, and the dtype that PyTorch gives it: float32, int64 or bool.
struct DLC_API Number {
  /// Any number of C++.
  template <typename T>
    requires std::is_arithmetic_v<T>
  /*implicit*/ Number(T number)
      : value(double(number)), dtype(std::is_same_v<T, bool>       ? boolean
                                     : std::is_floating_point_v<T> ? float32
                                                                   : int64) {}
  double value; ///< the number
  DType dtype;  ///< of numbers like it
};

/// The first of sizes that are written without braces, with the line: zeros(3, 4).
struct DLC_API FirstSize {
  /// A number.
  /*implicit*/ FirstSize(std::integral auto size, Where where = Where::current())
      : size(int64_t(size)), where(where) {}
  /// A size of a tensor.
  /*implicit*/ FirstSize(const Dim &size, Where where = Where::current()) : size(size), where(where) {}
  Dim size;    ///< the size
  Where where; ///< the line
};

/// Takes a hook away again.
class DLC_API RemovableHandle {
public:
  /// A handle to no hook: remove() does nothing.
  RemovableHandle();
  /// For the library itself.
  explicit RemovableHandle(std::function<void()> action);
  /// Copies take the same hook away.
  ///@{
  RemovableHandle(const RemovableHandle &);
  RemovableHandle(RemovableHandle &&) noexcept;
  RemovableHandle &operator=(const RemovableHandle &);
  RemovableHandle &operator=(RemovableHandle &&) noexcept;
  ~RemovableHandle();
  ///@}
  /// The hook is not called any more. What was made of its results stays.
  void remove();

private:
  std::function<void()> action;
};

class Gradient;

/// A value of the model. Copies are handles to one value, which never changes.
class DLC_API Tensor {
public:
  /// No value.
  Tensor() = default;
  /// Handles to one value.
  ///@{
  Tensor(const Tensor &) = default;
  Tensor &operator=(const Tensor &) & = default;
  template <typename T>
  void
  operator=(const T &) && = delete; // tensors never change: write where(), masked_fill(), cat() or scatter()
  ///@}
  /// Whether it has a value.
  bool defined() const { return handle != 0; }

  /// What its elements are.
  DType dtype(Where where = Where::current()) const;
  /// The sizes of all dims.
  Shape shape(Where where = Where::current()) const;
  /// The size of one dim.
  Dim size(int64_t dim, Where where = Where::current()) const;
  /// shape(), as PyTorch's x.size().
  Shape size(Where where = Where::current()) const { return shape(where); }
  /// The number of dims.
  int64_t dim(Where where = Where::current()) const;
  /// dim().
  int64_t ndim(Where where = Where::current()) const { return dim(where); }
  /// The number of elements.
  Dim numel(Where where = Where::current()) const;

  /// The elements in row-major order. It throws where an input that the value depends on has no example, and
  /// warns where it has one: the compiled model does not ask again.
  std::vector<double> values(Where where = Where::current()) const;
  /// The only element; it throws and warns likewise.
  double item(Where where = Where::current()) const;
  /// The only element as a condition, if (x.mean() > 0): the way that C++ takes is the same for all inputs of
  /// the compiled model. It throws and warns as item() does, at the line that computed the tensor.
  explicit operator bool() const;
  /// The same as another type: x.item<int>().
  template <typename T>
    requires std::is_arithmetic_v<T>
  T item(Where where = Where::current()) const {
    return T(item(where));
  }

  /// The same numbers with another dtype: floating-point numbers become integers towards zero, numbers other
  /// than 0 become true.
  [[nodiscard]] Tensor to(DType dtype, Where where = Where::current()) const;
  /// Other arguments.
  Tensor
  to(...) const = delete; // write x.to(dlc::float64); what a model computes with is no part of its tensors
  /// The same by a type of C++, whose names are no names of functions: x.to<float>() is PyTorch's x.float(),
  /// x.to<long>() its x.long().
  template <typename T>
    requires(std::is_floating_point_v<T> || std::is_same_v<T, bool> || std::is_same_v<T, uint8_t> ||
             (std::is_integral_v<T> && sizeof(T) >= sizeof(int32_t)))
  [[nodiscard]] Tensor to(Where where = Where::current()) const {
    return to(dtype_named<T>, where);
  }
  /// to(dlc::float16).
  [[nodiscard]] Tensor half(Where where = Where::current()) const { return to(DType::Float16, where); }
  /// to(dlc::bfloat16).
  [[nodiscard]] Tensor bfloat16(Where where = Where::current()) const { return to(DType::BFloat16, where); }

  // What PyTorch has and a model's tensors have not.
  /// A machine.
  ///@{
  Tensor cuda(...) const = delete; // write SessionOptions{.device = "cuda"}: a session has a machine
  Tensor cpu(...) const = delete;  // write nothing, x is x.cpu(): a session has a machine
  ///@}
  /// Arrays of another library.
  void numpy(...) const = delete; // write x.values(), a std::vector<double>
  /// A power.
  void operator*() const = delete; // write pow(x, 2): C++ has no operator **
  /// Rows, one after the other.
  ///@{
  const Tensor *begin() const = delete; // write for (Tensor row : x.split(1)), or x[i] with i below x.size(0)
  const Tensor *end() const { return nullptr; } // so that compilers say this once
  ///@}

  // Gradients (dlc/autograd.h).
  /// The same elements; no gradient flows through them.
  [[nodiscard]] Tensor detach(Where where = Where::current()) const;
  /// Whether grad() can differentiate by it: parameters, what says so, and what is computed of such tensors.
  bool requires_grad() const;
  /// Says so. A parameter that does not is not trained.
  Tensor requires_grad_(bool on = true, Where where = Where::current()) const;
  /// What flows back through this tensor from here on is hook(gradient), also for what used it before. The
  /// hook is called once, now; it may give nothing, or a tensor without a value, for the gradient itself.
  template <typename Hook>
    requires std::invocable<Hook, Tensor>
  RemovableHandle register_hook(Hook hook, Where where = Where::current()) const {
    if constexpr (std::is_void_v<std::invoke_result_t<Hook, Tensor>>)
      return addHook([=](Tensor gradient) mutable { return hook(gradient), Tensor(); }, where);
    else
      return addHook(hook, where);
  }
  /// Adds the gradients of this tensor by all that requires_grad_() was called for, and by parameters, to
  /// their grad(). Other than in PyTorch, no graph is gone afterwards. The training step needs nothing of it.
  void backward(Where where = Where::current()) const;
  /// The same of a tensor of several elements, which are multiplied by `gradient`, of their shape.
  void backward(const Tensor &gradient, Where where = Where::current()) const;
  /// What backward() has added up since zero_grad(); a tensor without a value where there is nothing.
  Gradient grad() const;
  /// Has backward() add up this tensor's gradient, too, although it is computed of others.
  void retain_grad(Where where = Where::current()) const;
  /// Forgets the gradient.
  void zero_grad() const;

  // Reductions over some dims, or all. They are left out of the result; with `keepdim` they have the size 1.
  /// The sum; of integers and truth values int64.
  [[nodiscard]] Tensor sum(Axes axes = {}, bool keepdim = false, Where where = Where::current()) const;
  /// The sum divided by the number of elements; floating-point numbers.
  [[nodiscard]] Tensor mean(Axes axes = {}, bool keepdim = false, Where where = Where::current()) const;
  /// The product, likewise.
  [[nodiscard]] Tensor prod(Axes axes = {}, bool keepdim = false, Where where = Where::current()) const;
  /// The largest element; the gradient is shared by equal ones. NaN where there is one.
  [[nodiscard]] Tensor amax(Axes axes = {}, bool keepdim = false, Where where = Where::current()) const;
  /// The smallest element, likewise.
  [[nodiscard]] Tensor amin(Axes axes = {}, bool keepdim = false, Where where = Where::current()) const;
  /// amax() of all elements.
  [[nodiscard]] Tensor max(Where where = Where::current()) const { return amax({}, false, where); }
  /// amin() of all elements.
  [[nodiscard]] Tensor min(Where where = Where::current()) const { return amin({}, false, where); }
  /// The largest element along a dim and its position, as argmax() has it; the gradient goes to this one.
  std::pair<Tensor, Tensor> max(int64_t dim, bool keepdim = false, Where where = Where::current()) const;
  /// The smallest element, likewise.
  std::pair<Tensor, Tensor> min(int64_t dim, bool keepdim = false, Where where = Where::current()) const;
  /// The middle element along a static dim, of an even number the lower of both in the middle, and its
  /// position; the gradient goes to this one. NaN where there is one.
  std::pair<Tensor, Tensor> median(int64_t dim, bool keepdim = false, Where where = Where::current()) const;
  /// The sum of squared distances from the mean, divided by the number of elements less `correction`;
  /// floating-point numbers.
  [[nodiscard]] Tensor var(Axes axes = {}, int64_t correction = 1, bool keepdim = false,
                           Where where = Where::current()) const;
  /// The square root of var(); its gradient where it is 0 is 0.
  [[nodiscard]] Tensor std(Axes axes = {}, int64_t correction = 1, bool keepdim = false,
                           Where where = Where::current()) const;
  /// The p-norm, (sum of |x|^p)^(1/p), also for infinite p and 0; its gradient where it is 0 is 0.
  [[nodiscard]] Tensor norm(double p = 2, Axes axes = {}, bool keepdim = false,
                            Where where = Where::current()) const;
  /// log(sum(exp(x))), without overflow.
  [[nodiscard]] Tensor logsumexp(Axes axes, bool keepdim = false, Where where = Where::current()) const;
  /// Sums of the elements up to each, along a static dim; of integers and truth values int64.
  [[nodiscard]] Tensor cumsum(int64_t dim, Where where = Where::current()) const;
  /// Products likewise.
  [[nodiscard]] Tensor cumprod(int64_t dim, Where where = Where::current()) const;
  /// Truth values: whether any element is other than 0.
  [[nodiscard]] Tensor any(Axes axes = {}, bool keepdim = false, Where where = Where::current()) const;
  /// Truth values: whether all elements are other than 0.
  [[nodiscard]] Tensor all(Axes axes = {}, bool keepdim = false, Where where = Where::current()) const;
  /// The position of the first largest element along a dim, int64. NaN counts as larger than all numbers.
  [[nodiscard]] Tensor argmax(int64_t dim, bool keepdim = false, Where where = Where::current()) const;
  /// The position of the first smallest element, likewise; NaN counts as smaller.
  [[nodiscard]] Tensor argmin(int64_t dim, bool keepdim = false, Where where = Where::current()) const;

  // The same elements in another shape.
  /// In row-major order. The number of elements stays; one size may be -1: what is left.
  [[nodiscard]] Tensor reshape(const Shape &shape, Where where = Where::current()) const;
  /// The same of sizes without braces: x.reshape(-1, 4).
  template <std::convertible_to<Dim>... More>
  [[nodiscard]] Tensor reshape(const FirstSize &first, More... more) const {
    return reshape(Shape{first.size, Dim(more)...}, first.where);
  }
  /// The same as reshape(): tensors have no strides.
  [[nodiscard]] Tensor view(const Shape &shape, Where where = Where::current()) const {
    return reshape(shape, where);
  }
  /// The same of sizes without braces.
  template <std::convertible_to<Dim>... More>
  [[nodiscard]] Tensor view(const FirstSize &first, More... more) const {
    return reshape(Shape{first.size, Dim(more)...}, first.where);
  }
  /// The dims from `first` to `last` as one.
  [[nodiscard]] Tensor flatten(int64_t first = 0, int64_t last = -1, Where where = Where::current()) const;
  /// One dim as several, of which one may be -1.
  [[nodiscard]] Tensor unflatten(int64_t dim, const std::vector<int64_t> &sizes,
                                 Where where = Where::current()) const;
  /// Dim i of the result is the dim order[i]; each dim occurs once.
  [[nodiscard]] Tensor permute(const Axes &order, Where where = Where::current()) const;
  /// The same of dims without braces.
  template <std::integral... More>
    requires(sizeof...(More) > 0)
  [[nodiscard]] Tensor permute(const FirstSize &first, More... more) const {
    return permute(Axes{int64_t(first.size), int64_t(more)...}, first.where);
  }
  /// Exchanges two dims.
  [[nodiscard]] Tensor transpose(int64_t a, int64_t b, Where where = Where::current()) const;
  /// Exchanges the dims of a matrix.
  [[nodiscard]] Tensor t(Where where = Where::current()) const;
  /// Without a dim of size 1; the same tensor where its size is another.
  [[nodiscard]] Tensor squeeze(int64_t dim, Where where = Where::current()) const;
  /// Without all dims of size 1; dims with names stay.
  [[nodiscard]] Tensor squeeze(Where where = Where::current()) const;
  /// With a new dim of size 1 at this place.
  [[nodiscard]] Tensor unsqueeze(int64_t dim, Where where = Where::current()) const;
  /// Stretches dims of size 1 and adds leading dims; -1 keeps a size.
  [[nodiscard]] Tensor expand(const Shape &shape, Where where = Where::current()) const;
  /// The same of sizes without braces.
  template <std::convertible_to<Dim>... More>
  [[nodiscard]] Tensor expand(const FirstSize &first, More... more) const {
    return expand(Shape{first.size, Dim(more)...}, first.where);
  }
  /// Elements in the opposite order along these dims.
  [[nodiscard]] Tensor flip(const Axes &dims, Where where = Where::current()) const;

  /// Elements pushed out at one end of a dim come in at the other; without dims, those of the flat tensor.
  [[nodiscard]] Tensor roll(const Axes &shifts, const Axes &dims = {}, Where where = Where::current()) const;
  /// So many copies along each of the last dims, and along new ones before them: at least as many counts as
  /// dims.
  [[nodiscard]] Tensor repeat(const std::vector<int64_t> &counts, Where where = Where::current()) const;
  /// The same, also for fewer counts than dims, which are those of the last dims.
  [[nodiscard]] Tensor tile(const std::vector<int64_t> &counts, Where where = Where::current()) const;
  /// Each element so many times; without a dim, those of the flat tensor.
  [[nodiscard]] Tensor repeat_interleave(int64_t count, std::optional<int64_t> dim = std::nullopt,
                                         Where where = Where::current()) const;
  /// Zeros above the diagonal `diagonal` of the matrices in the last two dims.
  [[nodiscard]] Tensor tril(int64_t diagonal = 0, Where where = Where::current()) const;
  /// Zeros below it.
  [[nodiscard]] Tensor triu(int64_t diagonal = 0, Where where = Where::current()) const;

  // Parts. What is cut has a static size.
  /// Parts of this size along a dim; the last one may be smaller.
  std::vector<Tensor> split(int64_t size, int64_t dim = 0, Where where = Where::current()) const;
  /// Parts of these sizes, whose sum is that of the dim.
  std::vector<Tensor> split_with_sizes(const std::vector<int64_t> &sizes, int64_t dim = 0,
                                       Where where = Where::current()) const;
  /// So many parts along a dim, or fewer, as PyTorch has it: all but the last one of one size.
  std::vector<Tensor> chunk(int64_t parts, int64_t dim = 0, Where where = Where::current()) const;
  /// All positions along a dim.
  std::vector<Tensor> unbind(int64_t dim = 0, Where where = Where::current()) const;
  /// A part of a dim.
  [[nodiscard]] Tensor slice(int64_t dim, Slice part, Where where = Where::current()) const;
  /// One position of a dim, which the result does not have.
  [[nodiscard]] Tensor select(int64_t dim, int64_t position, Where where = Where::current()) const;
  /// x.index({Slice(0, 2), Ellipsis, 1}) is Python's x[0:2, ..., 1]. One of them may be a tensor. The places
  /// of a mask are chosen while the model is described, so that it has elements, and its dims static sizes;
  /// where it depends on an input, a warning says so. masked_fill() and where() choose in each call.
  [[nodiscard]] Tensor index(const std::vector<Index> &indices, Where where = Where::current()) const;
  /// The same: x[0], x[mask], x[{Slice(0, 2), Ellipsis, 1}].
  [[nodiscard]] Tensor operator[](const Indices &indices) const { return index(indices.each, indices.where); }
  /// The slices along `dim` at the positions `indices`, integers [count]. Compiled models check positions
  /// that they are given.
  [[nodiscard]] Tensor index_select(int64_t dim, const Tensor &indices, Where where = Where::current()) const;
  /// y[i][j] = x[i][indices[i][j]] for dim 1 of a matrix, and so on: elements, not slices. Static dims.
  [[nodiscard]] Tensor gather(int64_t dim, const Tensor &indices, Where where = Where::current()) const;
  /// This tensor and, added to it at the positions `indices` along `dim`, the slices of `source`.
  [[nodiscard]] Tensor index_add(int64_t dim, const Tensor &indices, const Tensor &source,
                                 Where where = Where::current()) const;
  /// The same of elements, as gather() takes them; `source` has the shape of `indices`. Static dims.
  [[nodiscard]] Tensor scatter_add(int64_t dim, const Tensor &indices, const Tensor &source,
                                   Where where = Where::current()) const;
  /// This tensor with the elements of `source` at the places that gather() would take them from, of several
  /// for one place any. Static dims.
  [[nodiscard]] Tensor scatter(int64_t dim, const Tensor &indices, const Tensor &source,
                               Where where = Where::current()) const;
  /// The same with one number.
  [[nodiscard]] Tensor scatter(int64_t dim, const Tensor &indices, double value,
                               Where where = Where::current()) const;
  /// The `k` largest, or smallest, elements along a static dim in order, and their positions, int64. Of equal
  /// ones the first come first. NaN counts as largest.
  std::pair<Tensor, Tensor> topk(int64_t k, int64_t dim = -1, bool largest = true,
                                 Where where = Where::current()) const;
  /// All elements along a static dim in order, and their positions.
  std::pair<Tensor, Tensor> sort(int64_t dim = -1, bool descending = false,
                                 Where where = Where::current()) const;
  /// The positions alone.
  [[nodiscard]] Tensor argsort(int64_t dim = -1, bool descending = false,
                               Where where = Where::current()) const;
  /// `value` where the mask, truth values that broadcast, is true.
  [[nodiscard]] Tensor masked_fill(const Tensor &mask, double value, Where where = Where::current()) const;

  // Linear algebra.
  /// dlc::matmul(*this, other).
  [[nodiscard]] Tensor matmul(const Tensor &other, Where where = Where::current()) const;
  /// The products of two stacks of matrices, [batch, rows, inner] and [batch, inner, columns].
  [[nodiscard]] Tensor bmm(const Tensor &other, Where where = Where::current()) const;

  // Functions of one element, of floating-point numbers unless they say otherwise; dlc::exp(x) is the same as
  // x.exp().
#define DLC_UNARY(name) [[nodiscard]] Tensor name(Where where = Where::current()) const;
#include "dlc/unary.inc"
#define DLC_UNARY(name) [[nodiscard]] Tensor name(Where where = Where::current()) const;
#include "dlc/composed.inc"
  /// x to a power.
  [[nodiscard]] Tensor pow(const Number &exponent, Where where = Where::current()) const;
  /// At least `low` and at most `high`; the derivative at both is 1.
  [[nodiscard]] Tensor clamp(double low, double high, Where where = Where::current()) const;
  /// The same between tensors, which broadcast; where `low` is above `high`, `high`.
  [[nodiscard]] Tensor clamp(const Tensor &low, const Tensor &high, Where where = Where::current()) const;
  /// At least `low`.
  [[nodiscard]] Tensor clamp_min(double low, Where where = Where::current()) const;
  /// At most `high`.
  [[nodiscard]] Tensor clamp_max(double high, Where where = Where::current()) const;
  /// e^x divided by its sum along a dim.
  [[nodiscard]] Tensor softmax(int64_t dim, Where where = Where::current()) const;
  /// The logarithm of softmax(), without overflow.
  [[nodiscard]] Tensor log_softmax(int64_t dim, Where where = Where::current()) const;

  /// The number of the value in what is being described; 0 without one.
  uint32_t id() const { return handle; }
  /// The value with this number.
  static Tensor of(uint32_t id);

private:
  RemovableHandle addHook(const std::function<Tensor(Tensor)> &hook, const Where &where) const;

  uint32_t handle = 0;
};

/// What backward() has added up for a tensor.
class DLC_API Gradient : public Tensor {
public:
  /// For the library itself.
  Gradient(const Tensor &gradient, uint32_t of) : Tensor(gradient), of(of) {}
  /// Zeros from here on.
  void zero_();

private:
  uint32_t of;
};

namespace detail {
/// An argument of a call where it is a tensor, else null.
template <typename T> const Tensor *tensorIn(const T &argument) {
  if constexpr (std::derived_from<T, Tensor>)
    return &argument;
  else
    return nullptr;
}
} // namespace detail

/// Elements where they are known, else the shape, the dtype and the operation.
DLC_API std::ostream &operator<<(std::ostream &out, const Tensor &tensor);

} // namespace dlc

#endif // DLC_TENSOR_H
