//===- Polynomial.h - what elementwise formulas compute --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exporters write x/2 * (1 + erf(x/sqrt 2)) in many orders, with factors here and there. What such a formula
// computes is a polynomial in x and in the one function that it applies, whatever the order.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FORWARD_RAISE_POLYNOMIAL_H
#define DLC_COMPILER_FORWARD_RAISE_POLYNOMIAL_H

#include "dialects/nn/NN.h"

#include <array>

namespace dlc::forward {

/// Coefficients of 1, x, x^2 and x^3.
using Polynomial = std::array<double, 4>;

/// The number of a constant whose elements are all equal.
std::optional<double> numberOf(mlir::Value value);

/// `value` as a polynomial in x, of at most the third degree, where `called` stands for the number
/// `result`; nullopt where it is none.
std::optional<Polynomial> polynomialOf(mlir::Value value, mlir::Value x, mlir::Value called = {},
                                       double result = 0);

/// Whether they are equal but for the rounding of numbers to float32.
bool isNear(const Polynomial &a, const Polynomial &b);

} // namespace dlc::forward

#endif // DLC_COMPILER_FORWARD_RAISE_POLYNOMIAL_H
