//===- dlc/operators.h - operators of tensors and numbers --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_OPERATORS_H
#define DLC_OPERATORS_H

#include "dlc/tensor.h"

namespace dlc {

/// A tensor or a number, with the line that it stands in: operators have no other place for it. A number
/// takes the dtype of the other side; one with a decimal point does not go with integers, which to()
/// converts.
class DLC_API Operand {
public:
  /// A tensor.
  /*implicit*/ Operand(const Tensor &tensor, Where where = Where::current()) : tensor(tensor), where(where) {}
  /// A number.
  template <typename Number>
    requires std::is_arithmetic_v<Number>
  /*implicit*/ Operand(Number number, Where where = Where::current())
      : number(double(number)), isNumber(true), isInteger(std::is_integral_v<Number>), where(where) {}

  Tensor tensor;          ///< where it is no number
  double number = 0;      ///< where it is one
  bool isNumber = false;  ///< which of both
  bool isInteger = false; ///< whether the number was written without a decimal point
  Where where;            ///< the line
};

/// Of tensors of one dtype, element by element; shapes broadcast.
///@{
DLC_API Tensor operator+(const Operand &a, const Operand &b);
DLC_API Tensor operator-(const Operand &a, const Operand &b);
DLC_API Tensor operator*(const Operand &a, const Operand &b);
///@}
/// Likewise, of floating-point numbers.
DLC_API Tensor operator/(const Operand &a, const Operand &b);
/// The negative.
DLC_API Tensor operator-(const Operand &x);
/// The handle stands for the result from here on; other handles keep the old value.
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
/// Of truth values.
///@{
DLC_API Tensor operator&(const Operand &a, const Operand &b);
DLC_API Tensor operator|(const Operand &a, const Operand &b);
DLC_API Tensor operator^(const Operand &a, const Operand &b);
DLC_API Tensor operator!(const Operand &x);
///@}

} // namespace dlc

#endif // DLC_OPERATORS_H
