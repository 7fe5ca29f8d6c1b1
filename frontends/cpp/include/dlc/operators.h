//===- dlc/operators.h - operators of tensors and numbers --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_OPERATORS_H
#define DLC_OPERATORS_H

#include "dlc/tensor.h"

namespace dlc {

/// A tensor or a number, with the line that it stands in: operators have no other place for it.
///
/// Both sides of an operator get one dtype, PyTorch's: floating-point numbers where one side has them, else
/// integers, else truth values, and the larger one of two such. A number takes the dtype of a tensor that it
/// fits into, and so does a tensor of no dims; of integers and a number with a decimal point it is float32.
class DLC_API Operand {
public:
  /// A tensor.
  /*implicit*/ Operand(const Tensor &tensor, Where where = Where::current()) : tensor(tensor), where(where) {}
  /// A number.
  template <typename Number>
    requires std::is_arithmetic_v<Number>
  /*implicit*/ Operand(Number number, Where where = Where::current())
      : number(double(number)), isNumber(true), isInteger(std::is_integral_v<Number>),
        isBool(std::is_same_v<Number, bool>), where(where) {}
  /// The size as a tensor of int64.
  static Operand of(const Dim &size, const Where &where);

  Tensor tensor;          ///< where it is no number
  double number = 0;      ///< where it is one
  bool isNumber = false;  ///< which of both
  bool isInteger = false; ///< whether the number was written without a decimal point
  bool isBool = false;    ///< whether it is true or false, which are integers
  Where where;            ///< the line
};

/// Element by element; shapes broadcast.
///@{
DLC_API Tensor operator+(const Operand &a, const Operand &b);
DLC_API Tensor operator-(const Operand &a, const Operand &b);
DLC_API Tensor operator*(const Operand &a, const Operand &b);
///@}
/// The quotient, element by element; shapes broadcast. That of integers is float32.
DLC_API Tensor operator/(const Operand &a, const Operand &b);
/// With the size of a dim; one with a name is counted in each call.
///@{
template <std::same_as<Dim> Size> Tensor operator*(const Operand &a, const Size &size) {
  return a * Operand::of(size, a.where);
}
template <std::same_as<Dim> Size> Tensor operator*(const Size &size, const Operand &b) {
  return Operand::of(size, b.where) * b;
}
template <std::same_as<Dim> Size> Tensor operator/(const Operand &a, const Size &size) {
  return a / Operand::of(size, a.where);
}
///@}
/// The negative.
DLC_API Tensor operator-(const Operand &x);
/// The handle stands for the result from here on, which must have its dtype; other handles keep the old
/// value.
///@{
DLC_API Tensor &operator+=(Tensor &a, const Operand &b);
DLC_API Tensor &operator-=(Tensor &a, const Operand &b);
DLC_API Tensor &operator*=(Tensor &a, const Operand &b);
DLC_API Tensor &operator/=(Tensor &a, const Operand &b);
///@}
/// Truth values, element by element; shapes broadcast.
///@{
DLC_API Tensor operator==(const Operand &a, const Operand &b);
DLC_API Tensor operator!=(const Operand &a, const Operand &b);
DLC_API Tensor operator<(const Operand &a, const Operand &b);
DLC_API Tensor operator<=(const Operand &a, const Operand &b);
DLC_API Tensor operator>(const Operand &a, const Operand &b);
DLC_API Tensor operator>=(const Operand &a, const Operand &b);
///@}
/// The logical and, or, exclusive or and not of truth values, element by element; shapes broadcast.
///@{
DLC_API Tensor operator&(const Operand &a, const Operand &b);
DLC_API Tensor operator|(const Operand &a, const Operand &b);
DLC_API Tensor operator^(const Operand &a, const Operand &b);
DLC_API Tensor operator!(const Tensor &x);
///@}

} // namespace dlc

#endif // DLC_OPERATORS_H
