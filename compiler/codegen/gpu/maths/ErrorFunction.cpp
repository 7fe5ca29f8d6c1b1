//===- ErrorFunction.cpp - erf and erfc of double precision ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/maths/Doubles.h"

using namespace mlir;

namespace dlc::codegen::gpu {

/// erfc of a number that is not negative. With t = 1 / (1 + a / 2), which is 1 to 1/15 where a is 0 to 28,
/// erfc(a) e^(a^2) / t is nearly a polynomial: here the one with the same values at the Chebyshev points, in
/// u = 30/14 t - 16/14, which is 1 to -1.
Value Doubles::tail(Value a) {
  constexpr double factors[] = {
      -7.8557554948055942e-11, 6.6311926420542399e-11,  6.7652482391044105e-10,  -9.7772675089495616e-10,
      -1.9441657835800618e-09, 5.5053093022060093e-09,  -2.111742344662179e-09,  -1.1795940225770977e-08,
      3.1878135939711285e-08,  -2.9020629402536678e-08, -6.9176723626650617e-08, 2.824119681119841e-07,
      -2.8893510243900618e-07, -7.1040295658097856e-07, 2.7930952968092153e-06,  -1.8788845603213935e-06,
      -1.0797362558817278e-05, 2.8690886475719638e-05,  1.4082005063943185e-05,  -0.00018906135521377202,
      0.00014901182286643924,  0.0011232723676870148,   -0.0018328807495958705,  -0.0088998342734315505,
      0.012373178041174356,    0.12464235007162038,     0.33827892810777704,     0.53432294013269321,
  };
  Value t = div(number(1), fma(a, number(0.5), number(1)));
  Value series = mul(polynomial(fma(t, number(30.0 / 14), number(-16.0 / 14)), factors), t);
  // Far out, the rounding error of the square counts.
  Value square = mul(a, a), density = exp(neg(square)), error = fma(a, a, neg(square));
  density = fma(neg(density), error, density);
  // Beyond, it is less than the least number, and the square may be infinite.
  return select(is(CmpFPredicate::OGT, a, 28), number(0), mul(series, density));
}

Value Doubles::erfc(Value x) {
  Value rest = tail(math::AbsFOp::create(b, x));
  return select(is(CmpFPredicate::OLT, x, 0.0), sub(number(2), rest), rest);
}

Value Doubles::erf(Value x) {
  Value a = math::AbsFOp::create(b, x), square = mul(x, x);
  double factors[13], factorial = -1; // of x^3: the series of 2 / sqrt(pi) (x - x^3 / 3 + x^5 / 10 - ...)
  for (int k = 0; k < 13; factorial *= -(k + 2), ++k)
    factors[12 - k] = M_2_SQRTPI / (factorial * (2 * k + 3));
  Value near = fma(x, number(M_2_SQRTPI), mul(mul(x, square), polynomial(square, factors)));
  Value far = math::CopySignOp::create(b, sub(number(1), tail(a)), x);
  return select(is(CmpFPredicate::OLT, a, 0.5), near, far);
}

} // namespace dlc::codegen::gpu
