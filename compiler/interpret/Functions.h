//===- Functions.h - a number in, a number out ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_INTERPRET_FUNCTIONS_H
#define DLC_COMPILER_INTERPRET_FUNCTIONS_H

#include "mlir/IR/Operation.h"
#include <cstdint>
#include <functional>

namespace dlc::interpret {

using Unary = std::function<double(double)>;
using Binary = std::function<double(double, double)>;
using IntUnary = std::function<int64_t(int64_t)>;
using IntBinary = std::function<int64_t(int64_t, int64_t)>;

/// What an elementwise operation computes of real numbers, or of integers; null for other operations.
Unary floatUnary(mlir::Operation *op);
Binary floatBinary(mlir::Operation *op);
IntUnary intUnary(mlir::Operation *op);
IntBinary intBinary(mlir::Operation *op);

} // namespace dlc::interpret

#endif // DLC_COMPILER_INTERPRET_FUNCTIONS_H
