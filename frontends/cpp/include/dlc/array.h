//===- dlc/array.h - numbers that sessions and modules read and give -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements in memory, in row-major order, with a shape and a dtype. A Tensor (dlc/tensor.h) stands for what a
// model computes; these are the numbers themselves.
//===----------------------------------------------------------------------===//
#ifndef DLC_ARRAY_H
#define DLC_ARRAY_H

#include "dlc/error.h"
#include <concepts>
#include <cstddef>
#include <iterator>
#include <span>

namespace dlc {

/// The types of C++ that are dtypes. The elements of bfloat16 and float16 have none: they go as bytes.
template <typename T>
concept Element = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, int64_t> ||
                  std::same_as<T, int32_t> || std::same_as<T, uint8_t> || std::same_as<T, bool>;

/// The dtype of such a type.
template <Element T>
inline constexpr DType dtype_of = std::same_as<T, float>     ? DType::Float32
                                  : std::same_as<T, double>  ? DType::Float64
                                  : std::same_as<T, int64_t> ? DType::Int64
                                  : std::same_as<T, int32_t> ? DType::Int32
                                  : std::same_as<T, uint8_t> ? DType::UInt8
                                                             : DType::Bool;
/// Bytes of one element; a truth value is one byte.
DLC_API size_t bytes_of(DType dtype);

/// The elements of an array that has no name and is gone: a copy, which no std::span can be made of.
template <Element T> class OwnElements {
public:
  explicit OwnElements(std::span<const T> from) : elements(from.begin(), from.end()) {}
  /// How many there are.
  size_t size() const { return elements.size(); }
  /// One of them.
  T operator[](size_t i) const { return elements[i]; }
  /// All in their order. (Of iterators that say that they point into memory, a span could be made.)
  ///@{
  auto begin() const { return std::make_reverse_iterator(elements.rend()); }
  auto end() const { return std::make_reverse_iterator(elements.rbegin()); }
  ///@}
  /// To keep them.
  /*implicit*/ operator std::vector<T>() const { return elements; }

private:
  std::vector<T> elements;
};

/// A vector of arrays or of what holds some. What is taken out of one that has no name and is gone with the
/// expression is a value, not a reference: session.predict({x})[0] is an array.
template <typename T> class List : public std::vector<T> {
  using Base = std::vector<T>;

public:
  using Base::Base;
  List() = default;
  /// Takes over a vector.
  /*implicit*/ List(Base elements) : Base(std::move(elements)) {}

  /// What the functions of std::vector give.
  ///@{
  T &operator[](size_t i) & { return Base::operator[](i); }
  const T &operator[](size_t i) const & { return Base::operator[](i); }
  T operator[](size_t i) && { return std::move(Base::operator[](i)); }
  T &at(size_t i) & { return Base::at(i); }
  const T &at(size_t i) const & { return Base::at(i); }
  T at(size_t i) && { return std::move(Base::at(i)); }
  T &front() & { return Base::front(); }
  const T &front() const & { return Base::front(); }
  T front() && { return std::move(Base::front()); }
  T &back() & { return Base::back(); }
  const T &back() const & { return Base::back(); }
  T back() && { return std::move(Base::back()); }
  ///@}
};

/// Owns its elements.
class DLC_API Array {
public:
  /// No elements: the shape [0].
  Array() = default;
  /// Zeros.
  Array(DType dtype, std::vector<int64_t> shape, Where where = Where::current());
  /// Copies the elements; their number must be that of the shape.
  template <Element T>
  Array(std::span<const T> elements, std::vector<int64_t> shape, Where where = Where::current())
      : Array(dtype_of<T>, std::move(shape), where) {
    copy(elements.data(), elements.size(), where);
  }
  /// The same of a vector.
  template <Element T>
    requires(!std::same_as<T, bool>)
  Array(const std::vector<T> &elements, std::vector<int64_t> shape, Where where = Where::current())
      : Array(std::span<const T>(elements), std::move(shape), where) {}

  /// What the elements are.
  DType dtype() const { return type; }
  /// The sizes of all dims.
  ///@{
  const std::vector<int64_t> &shape() const & { return sizes; }
  std::vector<int64_t> shape() &&;
  ///@}
  /// Number of elements.
  size_t size() const;
  /// The memory of all elements. Not of an array without a name, whose memory would be gone.
  ///@{
  std::span<const std::byte> bytes() const &;
  std::span<std::byte> bytes() &;
  std::span<const std::byte> bytes() const && = delete;
  ///@}

  /// The elements; throws where the dtype is another. Those of an array without a name, such as
  /// session.parameter("fc.weight").values<float>(), are a copy.
  ///@{
  template <Element T> std::span<const T> values(Where where = Where::current()) const & {
    require(dtype_of<T>, where);
    return {reinterpret_cast<const T *>(content.data()), size()};
  }
  template <Element T> std::span<T> values(Where where = Where::current()) & {
    require(dtype_of<T>, where);
    return {reinterpret_cast<T *>(content.data()), size()};
  }
  template <Element T> OwnElements<T> values(Where where = Where::current()) const && {
    return OwnElements<T>(values<T>(where));
  }
  ///@}

  /// Whether dtypes, shapes and all bits agree.
  friend bool operator==(const Array &, const Array &) = default;

private:
  void copy(const void *elements, size_t count, const Where &where);
  void require(DType wanted, const Where &where) const;

  DType type = DType::Float32;
  std::vector<int64_t> sizes{0};
  std::vector<std::byte> content;
};

namespace detail {
/// Elements, a number that says what they are, and a shape: dlc::data::Values of dlc/data.hpp.
template <typename T>
concept RuntimeValues = requires(const T &values) {
  { values.data } -> std::convertible_to<const void *>;
  { values.dtype } -> std::convertible_to<int>;
  { values.shape } -> std::convertible_to<std::vector<int64_t>>;
};
/// What has them, such as dlc::data::Array.
template <typename T>
concept HasRuntimeValues = requires(const T &array) {
  { array.values() } -> RuntimeValues;
};
} // namespace detail

class Tensor;

/// Elements of somebody else's, which must live as long as the call that reads them.
class DLC_API View {
public:
  /// The elements of an array, with its dtype and its shape.
  /*implicit*/ View(const Array &array);
  /// The elements of a span, in row-major order; their number must be that of the shape.
  template <Element T>
  View(std::span<const T> elements, std::vector<int64_t> shape, Where where = Where::current())
      : View(elements.data(), elements.size(), dtype_of<T>, std::move(shape), where) {}
  /// The elements of a vector, in row-major order; their number must be that of the shape.
  template <Element T>
    requires(!std::same_as<T, bool>)
  View(const std::vector<T> &elements, std::vector<int64_t> shape, Where where = Where::current())
      : View(std::span<const T>(elements), std::move(shape), where) {}
  /// A field of a loader's batch, or a whole array that was read (dlc/data.hpp).
  ///@{
  template <detail::RuntimeValues T>
  /*implicit*/ View(const T &values, Where where = Where::current())
      : View(values.data, int(values.dtype), values.shape, where) {}
  template <detail::HasRuntimeValues T>
  /*implicit*/ View(const T &array, Where where = Where::current()) : View(array.values(), where) {}
  /// Give the array a name: the elements of one without would be gone.
  template <detail::HasRuntimeValues T> View(const T &&, Where = Where::current()) = delete;
  ///@}
  /// A value of the description, which has no elements in a step.
  View(const Tensor &) = delete; // write View(vector, {64, 784}): a step takes elements, no tensors
  /// `count` elements of any dtype.
  View(const void *elements, size_t count, DType dtype, std::vector<int64_t> shape,
       Where where = Where::current());

  /// The first element.
  const void *data() const { return elements; }
  /// What the elements are.
  DType dtype() const { return type; }
  /// The sizes of all dims.
  ///@{
  const std::vector<int64_t> &shape() const & { return sizes; }
  std::vector<int64_t> shape() &&;
  ///@}
  /// Bytes of all elements.
  size_t bytes() const;

private:
  /// `dtype` is a dlc_dtype.
  View(const void *elements, int dtype, std::vector<int64_t> shape, Where where);

  const void *elements;
  DType type;
  std::vector<int64_t> sizes;
};

/// Names with their tensors, in an order, as PyTorch's state_dict.
using StateDict = List<std::pair<std::string, Array>>;

/// What load_state_dict did not find, and what it did not use.
struct StateDifference {
  std::vector<std::string> missing;    ///< names of the module that were not given
  std::vector<std::string> unexpected; ///< names that the module has not
};

/// All tensors of a safetensors file.
DLC_API StateDict load_tensors(const std::string &path, Where where = Where::current());

} // namespace dlc

#endif // DLC_ARRAY_H
