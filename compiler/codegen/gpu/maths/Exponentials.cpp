//===- Exponentials.cpp - exp, log and their like of double precision -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In pow, the logarithm is a sum of two numbers, so that its error does not grow with the exponent.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/maths/Doubles.h"

using namespace mlir;

namespace dlc::codegen::gpu {

// ln 2 in two parts, of which the first has zeros at its end: its product with an exponent is exact.
static constexpr double ln2High = 0x1.62e42feep-1, ln2Low = 0x1.a39ef35793c76p-33;

/// x = n ln 2 + r with |r| <= ln 2 / 2; the series of e^r, times 2^n in two steps, because 2^n alone may be
/// too large or too small.
Value Doubles::exp(Value x) {
  Value bounded = select(is(CmpFPredicate::OGT, x, -746), x, number(-746)); // no number: -746
  bounded = select(is(CmpFPredicate::OLT, bounded, 710), bounded, number(710));
  Value n = math::RoundEvenOp::create(b, mul(bounded, number(M_LOG2E)));
  Value minus = neg(n), r = fma(minus, number(ln2Low), fma(minus, number(ln2High), bounded));
  double factors[14], factorial = 1;
  for (int k = 0; k < 14; factorial *= ++k)
    factors[13 - k] = 1 / factorial;
  Value power = polynomial(r, factors);
  Value whole = arith::FPToSIOp::create(b, b.getI64Type(), n);
  Value half = arith::ShRSIOp::create(b, whole, integer(1));
  Value rest = arith::SubIOp::create(b, whole, half);
  Value result = mul(mul(power, powerOfTwo(half)), powerOfTwo(rest));
  return select(is(CmpFPredicate::UNO, x, x), x, result);
}

/// With n and r as above: 2^n (e^r - 1) + (2^n - 1), of which the first is the smaller one; both halved,
/// because 2^n alone may be too large.
Value Doubles::expm1(Value x) {
  Value bounded = select(is(CmpFPredicate::OGT, x, -40), x, number(-40)); // no number: -40
  bounded = select(is(CmpFPredicate::OLT, bounded, 710), bounded, number(710));
  Value n = math::RoundEvenOp::create(b, mul(bounded, number(M_LOG2E)));
  Value minus = neg(n), r = fma(minus, number(ln2Low), fma(minus, number(ln2High), bounded));
  double factors[13], factorial = 2; // of r^2: 1/14! down to 1/2
  for (int k = 0; k < 13; factorial *= 3 + k, ++k)
    factors[12 - k] = 1 / factorial;
  Value power = fma(mul(r, r), polynomial(r, factors), r);
  Value whole = arith::FPToSIOp::create(b, b.getI64Type(), n);
  Value half = powerOfTwo(arith::SubIOp::create(b, whole, integer(1)));
  Value result = mul(fma(half, power, sub(half, number(0.5))), number(2));
  // -0 stays what it is, and what is no number.
  return select(is(CmpFPredicate::ONE, x, 0.0), result, x);
}

/// 1 - 2 / (e^2a + 1) of a = |x|, written so that small numbers keep their digits.
Value Doubles::tanh(Value x) {
  Value a = math::AbsFOp::create(b, x);
  a = select(is(CmpFPredicate::OGT, a, 20), number(20), a);
  Value power = expm1(mul(a, number(2)));
  Value result = div(power, add(power, number(2)));
  return math::CopySignOp::create(b, result, x);
}

/// The logarithm of a positive finite number. x = 2^n m with m from 1/sqrt(2) to sqrt(2), and log m is the
/// series of 2 artanh s for s = (m - 1) / (m + 1).
Sum Doubles::logSum(Value x) {
  constexpr int64_t mantissa = (int64_t(1) << 52) - 1;
  Value isTiny = is(CmpFPredicate::OLT, x, 0x1p-1022);
  x = select(isTiny, mul(x, number(0x1p54)), x);
  Value bits = asBits(x), n = arith::ShRUIOp::create(b, bits, integer(52));
  n = arith::SubIOp::create(b, n, arith::SelectOp::create(b, isTiny, integer(1023 + 54), integer(1023)));
  Value fraction = arith::AndIOp::create(b, bits, integer(mantissa));
  Value m = asDouble(arith::OrIOp::create(b, fraction, integer(int64_t(1023) << 52)));
  Value isUpper = is(CmpFPredicate::OGT, m, M_SQRT2);
  m = select(isUpper, mul(m, number(0.5)), m);
  n = arith::AddIOp::create(b, n, arith::ExtUIOp::create(b, b.getI64Type(), isUpper));
  Value exponent = arith::SIToFPOp::create(b, b.getF64Type(), n);

  Value one = number(1), f = sub(m, one), t = add(m, one), tLow = sub(m, sub(t, one));
  Value s = div(f, t), minus = neg(s);
  Sum root{s, div(fma(minus, tLow, fma(minus, t, f)), t)};
  Sum z = product(root, root);
  double factors[10]; // of z^k: 2 / (2k + 3), from the last that counts down to 2 / 5
  for (int k = 0; k < 10; ++k)
    factors[k] = 2.0 / (2 * (10 - k) + 3);
  Value tail = mul(z.high, polynomial(z.high, factors));
  constexpr double third = 2.0 / 3;
  Sum inner = addSmaller(number(third), add(tail, number(0x1.5555555555555p-55))); // 2/3 and what it lacks
  Sum cubic = product(product(root, z), inner);
  // From the largest to the smallest: n ln 2, 2 s, the rest.
  Value twoHigh = mul(root.high, number(2)), twoLow = mul(root.low, number(2));
  Sum linear = addSmaller(twoHigh, cubic.high);
  Value small = add(add(linear.low, cubic.low), add(twoLow, mul(exponent, number(ln2Low))));
  Value whole = mul(exponent, number(ln2High));
  // The exponent's part may be zero or the smaller one.
  Value sum = add(whole, linear.high), back = sub(sum, whole);
  Value lost = add(sub(whole, sub(sum, back)), sub(linear.high, back));
  return addSmaller(sum, add(lost, small));
}

Value Doubles::log(Value x) {
  Sum sum = logSum(x);
  Value result = add(sum.high, sum.low);
  result = select(is(CmpFPredicate::OEQ, x, infinity), x, result);
  result = select(is(CmpFPredicate::OEQ, x, 0.0), number(-infinity), result);
  // The logarithm of NaN or of a negative number is NaN.
  return select(is(CmpFPredicate::OGE, x, 0.0), result, number(notANumber));
}

/// log u of u = 1 + x, and what u has lost of x.
Value Doubles::log1p(Value x) {
  Value u = add(x, number(1)), isLarge = is(CmpFPredicate::OGT, x, 1);
  Value lost = select(isLarge, sub(number(1), sub(u, x)), sub(x, sub(u, number(1))));
  Sum sum = logSum(u);
  Value result = add(sum.high, add(sum.low, div(lost, u)));
  // Where u is 1, x itself: with its sign, if it is zero.
  result = select(is(CmpFPredicate::OEQ, u, 1.0), x, result);
  result = select(is(CmpFPredicate::OEQ, x, infinity), x, result);
  result = select(is(CmpFPredicate::OEQ, x, -1.0), number(-infinity), result);
  return select(is(CmpFPredicate::OGE, x, -1.0), result, number(notANumber));
}

Value Doubles::pow(Value x, Value y) {
  Value base = math::AbsFOp::create(b, x);
  Sum sum = logSum(base);
  Value high = mul(y, sum.high), low = fma(y, sum.low, fma(y, sum.high, neg(high)));
  // Where the power is finite and not zero; elsewhere the sign of the logarithm decides.
  Value sign = select(is(CmpFPredicate::OEQ, base, 0.0), number(-infinity), sum.high);
  sign = select(is(CmpFPredicate::OEQ, base, infinity), number(infinity), sign);
  Value isExtreme = is(CmpFPredicate::UGT, math::AbsFOp::create(b, mul(y, sign)), 800);
  Value power = exp(select(isExtreme, mul(y, sign), high));
  Value exact = fma(power, select(isExtreme, number(0), low), power);
  power = select(isExtreme, power, exact);

  Value whole = math::TruncOp::create(b, y), half = mul(y, number(0.5));
  Value isWhole = is(CmpFPredicate::OEQ, whole, y);
  Value isOdd = both(isWhole, is(CmpFPredicate::ONE, math::TruncOp::create(b, half), half));
  power = select(isOdd, math::CopySignOp::create(b, power, x), power);
  Value isRoot = both(both(is(CmpFPredicate::OLT, x, 0.0), is(CmpFPredicate::OGT, x, -infinity)),
                      is(CmpFPredicate::ONE, whole, y));
  power = select(isRoot, number(notANumber), power);
  // A power with a NaN is NaN, but 1 to any power is 1, and so is anything to the power 0.
  power = select(is(CmpFPredicate::UNO, x, y), add(x, y), power);
  // (-1) to an infinite power is 1, too.
  Value isOne =
      both(is(CmpFPredicate::OEQ, base, 1.0), is(CmpFPredicate::OEQ, math::AbsFOp::create(b, y), infinity));
  power = select(isOne, number(1), power);
  power = select(is(CmpFPredicate::OEQ, x, 1.0), number(1), power);
  return select(is(CmpFPredicate::OEQ, y, 0.0), number(1), power);
}

} // namespace dlc::codegen::gpu
