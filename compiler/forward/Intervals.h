//===- Intervals.h - what elementwise operations do to intervals -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FORWARD_INTERVALS_H
#define DLC_COMPILER_FORWARD_INTERVALS_H

#include "compiler/forward/ValueFacts.h"

namespace dlc::forward {

/// What holds of a value that is the one or the other.
ValueFacts unionOf(const ValueFacts &a, const ValueFacts &b);
/// a / b.
ValueFacts quotient(const ValueFacts &a, const ValueFacts &b);
/// A sum over axes.
ValueFacts sumOf(const ValueFacts &x, nn::SumOp op);
/// Of the only result of an operation that works element by element, from its operands' facts; nothing for
/// an operation that is not known here.
ValueFacts elementwise(mlir::Operation *op, llvm::ArrayRef<ValueFacts> operands);

} // namespace dlc::forward

#endif // DLC_COMPILER_FORWARD_INTERVALS_H
