//===- Doubles.h - functions of double precision as arithmetic ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On scalars, as code of a GPU's thread has them. Errors are of at most about two units in the last place,
// of erfc about five.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_MATHS_DOUBLES_H
#define DLC_COMPILER_CODEGEN_GPU_MATHS_DOUBLES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <cmath>
#include <limits>

namespace dlc::codegen::gpu {

using mlir::Value;
using mlir::arith::CmpFPredicate;

/// A number in two parts, of which the second is a small part of the last place of the first.
struct Sum {
  Value high, low;
};

/// Arithmetic of f64 scalars.
struct Doubles {
  mlir::ImplicitLocOpBuilder b;

  Doubles(mlir::Location loc, mlir::OpBuilder &builder) : b(loc, builder) {}
  Value number(double value) { return mlir::arith::ConstantOp::create(b, b.getF64FloatAttr(value)); }
  Value integer(int64_t value) { return mlir::arith::ConstantOp::create(b, b.getI64IntegerAttr(value)); }
  Value add(Value x, Value y) { return mlir::arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return mlir::arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return mlir::arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return mlir::arith::DivFOp::create(b, x, y); }
  Value neg(Value x) { return mlir::arith::NegFOp::create(b, x); }
  Value fma(Value x, Value y, Value z) { return mlir::math::FmaOp::create(b, x, y, z); }
  Value select(Value condition, Value x, Value y) {
    return mlir::arith::SelectOp::create(b, condition, x, y);
  }
  Value is(CmpFPredicate predicate, Value x, double y) {
    return mlir::arith::CmpFOp::create(b, predicate, x, number(y));
  }
  Value is(CmpFPredicate predicate, Value x, Value y) {
    return mlir::arith::CmpFOp::create(b, predicate, x, y);
  }
  Value both(Value x, Value y) { return mlir::arith::AndIOp::create(b, x, y); }
  Value asDouble(Value bits) { return mlir::arith::BitcastOp::create(b, b.getF64Type(), bits); }
  Value asBits(Value x) { return mlir::arith::BitcastOp::create(b, b.getI64Type(), x); }

  /// factors[0] * x^n + factors[1] * x^(n-1) + ...
  Value polynomial(Value x, llvm::ArrayRef<double> factors) {
    Value sum = number(factors.front());
    for (double factor : factors.drop_front())
      sum = fma(sum, x, number(factor));
    return sum;
  }
  /// x + y of numbers of which the first is the larger.
  Sum addSmaller(Value x, Value y) {
    Value high = add(x, y), rest = sub(high, x);
    return {high, sub(y, rest)};
  }
  Sum product(Value x, Value y) {
    Value high = mul(x, y);
    return {high, fma(x, y, neg(high))};
  }
  Sum product(Sum x, Sum y) {
    Sum whole = product(x.high, y.high);
    Value rest = fma(x.high, y.low, whole.low);
    return addSmaller(whole.high, fma(x.low, y.high, rest));
  }
  /// 2^n of an integer -1022 to 1023.
  Value powerOfTwo(Value n) {
    Value biased = mlir::arith::AddIOp::create(b, n, integer(1023));
    return asDouble(mlir::arith::ShLIOp::create(b, biased, integer(52)));
  }

  Value exp(Value x);
  Value expm1(Value x);
  Value log(Value x);
  Value log1p(Value x);
  Value pow(Value x, Value y);
  Value tanh(Value x);
  /// With `isSingle`, the number was an f32, so that it is not so far from zero.
  Value sin(Value x, bool isSingle) { return sine(x, /*quarters=*/0, isSingle); }
  Value cos(Value x, bool isSingle) { return sine(x, /*quarters=*/1, isSingle); }
  Value atan(Value x);
  Value erf(Value x);
  Value erfc(Value x);

private:
  Sum logSum(Value x);
  Value sine(Value x, int64_t quarters, bool isSingle);
  Value tail(Value x);
};

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_MATHS_DOUBLES_H
