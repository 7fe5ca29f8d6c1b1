//===- ScalarOps.h - scalar operations on floats and integers --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LOWER_SCALAROPS_H
#define DLC_COMPILER_LOWER_SCALAROPS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dlc::lower {

/// The operation for floats or that for (signed) integers.
template <typename FloatOp, typename IntegerOp>
mlir::Value byKind(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y) {
  if (mlir::isa<mlir::FloatType>(x.getType()))
    return FloatOp::create(b, x, y);
  return IntegerOp::create(b, x, y);
}
inline mlir::Value add(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y) {
  return byKind<mlir::arith::AddFOp, mlir::arith::AddIOp>(b, x, y);
}
inline mlir::Value multiply(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y) {
  return byKind<mlir::arith::MulFOp, mlir::arith::MulIOp>(b, x, y);
}
/// x / y for integers: 0 for a divisor of 0, and no overflow, both of which would stop the caller's program.
mlir::Value integerQuotient(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);
/// The larger of two, NaN if either is.
inline mlir::Value larger(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y) {
  return byKind<mlir::arith::MaximumFOp, mlir::arith::MaxSIOp>(b, x, y);
}
inline mlir::Value smaller(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y) {
  return byKind<mlir::arith::MinimumFOp, mlir::arith::MinSIOp>(b, x, y);
}
/// Integer power, by squaring; with a negative exponent the quotient 1 / x^-y, which is 0 but for x = 1, -1.
mlir::Value integerPower(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);
/// Whether integers of this type, as bodies have it, have no sign: truth values and bytes.
inline bool isUnsigned(mlir::Type type) { return type.isInteger(1) || type.isInteger(8); }
/// nn.cast of one element.
mlir::Value convert(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Type to);

} // namespace dlc::lower

#endif // DLC_COMPILER_LOWER_SCALAROPS_H
