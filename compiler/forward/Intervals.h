//===- Intervals.h - arithmetic with what is known of values ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounding is not considered: what is decided with these numbers does not depend on a last digit.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FORWARD_INTERVALS_H
#define DLC_COMPILER_FORWARD_INTERVALS_H

#include "compiler/forward/ValueFacts.h"
#include "dialects/nn/NN.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <limits>

namespace dlc::forward {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What holds of a value that is the one or the other.
ValueFacts unionOf(const ValueFacts &a, const ValueFacts &b);
/// What both ends of the interval become; `f` rises everywhere.
ValueFacts rising(const ValueFacts &x, llvm::function_ref<double(double)> f);
/// `f` falls until `at`, and rises from there on; far to the left it is `left`.
ValueFacts valley(const ValueFacts &x, double at, double left, llvm::function_ref<double(double)> f);
/// a * b for ends of intervals: zero times infinity is zero.
double times(double a, double b);
ValueFacts negated(const ValueFacts &x);
/// a + b and a * b, the two operands of `op`, which may be one value; a / b; max(a, b).
ValueFacts sum(mlir::Operation *op, const ValueFacts &a, const ValueFacts &b);
ValueFacts product(mlir::Operation *op, const ValueFacts &a, const ValueFacts &b);
ValueFacts quotient(const ValueFacts &a, const ValueFacts &b);
ValueFacts larger(const ValueFacts &a, const ValueFacts &b);
/// A sum over axes.
ValueFacts sumOf(const ValueFacts &x, nn::SumOp op);
/// What is known of the only result of an operation that works element by element, from its operands' facts;
/// nothing for an operation that is not known there (Elementwise.cpp).
ValueFacts elementwise(mlir::Operation *op, llvm::ArrayRef<ValueFacts> operands);

} // namespace dlc::forward

#endif // DLC_COMPILER_FORWARD_INTERVALS_H
