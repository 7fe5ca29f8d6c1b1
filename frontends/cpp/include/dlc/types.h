//===- dlc/types.h - dtypes and sizes ---------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TYPES_H
#define DLC_TYPES_H

#include <cstdint>
#include <iosfwd>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Marks what libdlc has for programs.
#define DLC_API __attribute__((visibility("default")))

namespace dlc {

/// What the elements of a tensor are, with PyTorch's names.
enum class DType {
  Float32,  ///< floating-point numbers of 4 bytes
  Float64,  ///< of 8 bytes
  BFloat16, ///< of 2 bytes with the exponents of float32
  Float16,  ///< of 2 bytes
  Int64,    ///< integers of 8 bytes
  Int32,    ///< of 4 bytes
  Bool,     ///< truth values, a byte each
  UInt8,    ///< bytes, 0 to 255, as pixels have them
};
/// Short names of them.
///@{
inline constexpr DType float32 = DType::Float32, float64 = DType::Float64, bfloat16 = DType::BFloat16,
                       float16 = DType::Float16, int64 = DType::Int64, int32 = DType::Int32,
                       boolean = DType::Bool, uint8 = DType::UInt8;
///@}
/// "float32".
DLC_API const char *name_of(DType dtype);
/// Prints name_of().
DLC_API std::ostream &operator<<(std::ostream &out, DType dtype);
/// Whether it has fractions and gradients.
inline bool is_floating_point(DType dtype) { return dtype <= DType::Float16; }

/// The size of a tensor along one dim: a number; or a name with the largest size that it may have, such as
/// the batch, which is known only when the compiled library runs; or a product of both. One that is a number
/// can be used as one.
class DLC_API Dim {
public:
  /// A number.
  /*implicit*/ Dim(int64_t size);
  /// `bound` is the size in a training step. Evaluation and prediction take any size from 1 to it.
  Dim(std::string_view name, int64_t bound);
  /// Copies; like all that handles a container, they are in the library, so that a program that describes a
  /// model need not compile them.
  ///@{
  Dim(const Dim &);
  Dim(Dim &&) noexcept;
  Dim &operator=(const Dim &);
  Dim &operator=(Dim &&) noexcept;
  ~Dim();
  ///@}
  /// A name without a bound.
  template <typename T, typename = std::enable_if_t<std::is_convertible_v<const T &, std::string_view>>>
  explicit Dim(const T &) {
    static_assert(!sizeof(T), "write Dim(\"batch\", 64): with the size in a training step, the largest one");
  }

  /// Whether it is a number.
  bool is_static() const;
  /// The number. Throws dlc::Error where the dim has a name, as it is not known yet.
  int64_t value() const;
  /// value(), where a number is expected: int64_t rows = x.size(0).
  /*implicit*/ operator int64_t() const { return value(); }
  /// "784", "batch", "32*batch".
  std::string str() const;

  /// Whether both are one number, or the same product of names.
  ///@{
  DLC_API friend bool operator==(const Dim &a, const Dim &b);
  friend bool operator!=(const Dim &a, const Dim &b) { return !(a == b); }
  template <typename Number, typename = std::enable_if_t<std::is_integral_v<Number>>>
  friend bool operator==(const Dim &a, Number b) {
    return a.is_static() && a.factor == int64_t(b);
  }
  template <typename Number, typename = std::enable_if_t<std::is_integral_v<Number>>>
  friend bool operator!=(const Dim &a, Number b) {
    return !(a == b);
  }
  ///@}

  int64_t factor = 1;                                 ///< the number, or that of a product
  std::vector<std::pair<std::string, int64_t>> names; ///< with their bounds, sorted
};
/// The product.
DLC_API Dim operator*(const Dim &a, const Dim &b);
/// Throws dlc::Error where `b` does not divide `a`.
DLC_API Dim operator/(const Dim &a, const Dim &b);
/// The same of an integer; with another number both are numbers.
///@{
template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
auto operator*(const Dim &a, Number b) {
  if constexpr (std::is_integral_v<Number>)
    return a * Dim(int64_t(b));
  else
    return Number(a.value()) * b;
}
template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
auto operator*(Number a, const Dim &b) {
  return b * a;
}
template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
auto operator/(const Dim &a, Number b) {
  if constexpr (std::is_integral_v<Number>)
    return a / Dim(int64_t(b));
  else
    return Number(a.value()) / b;
}
template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
auto operator/(Number a, const Dim &b) {
  if constexpr (std::is_integral_v<Number>)
    return Dim(int64_t(a)) / b;
  else
    return a / Number(b.value());
}
///@}
/// Prints str().
DLC_API std::ostream &operator<<(std::ostream &out, const Dim &dim);
/// The sizes of a tensor, the outermost first: a vector with the functions of std::vector.
class DLC_API Shape : public std::vector<Dim> {
public:
  /// No dims: the shape of one number.
  Shape();
  /// {Dim("batch", 64), 784}.
  Shape(std::initializer_list<Dim> sizes);
  /// So many dims of one size.
  Shape(size_t count, const Dim &size);
  /// The sizes in another container, or in a part of one.
  template <typename Iterator, typename = typename std::iterator_traits<Iterator>::iterator_category>
  Shape(Iterator begin, Iterator end) : std::vector<Dim>(begin, end) {}
  /// The sizes in a vector.
  /*implicit*/ Shape(std::vector<Dim> sizes);
  /// The same of numbers.
  template <typename Size, typename = std::enable_if_t<std::is_integral_v<Size>>>
  /*implicit*/ Shape(const std::vector<Size> &sizes) : Shape(sizes.begin(), sizes.end()) {}
  /// Copies.
  ///@{
  Shape(const Shape &);
  Shape(Shape &&) noexcept;
  Shape &operator=(const Shape &);
  Shape &operator=(Shape &&) noexcept;
  ~Shape();
  ///@}
};
/// "[batch, 784]".
DLC_API std::string str(const Shape &shape);
/// Prints it.
DLC_API std::ostream &operator<<(std::ostream &out, const Shape &shape);

} // namespace dlc

#endif // DLC_TYPES_H
