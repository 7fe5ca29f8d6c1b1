//===- Trigonometry.cpp - sin, cos and atan of double precision -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sin and cos are series of r, where |x| = n pi/2 + r with |r| <= pi/4. Up to 2^30, n pi/2 is subtracted with
// pi/2 in three parts. Beyond, the digits of |x| before the point make n, so that pi must have as many digits
// more: |x| 2/pi is a product of integers, of which only what is less than 4 is computed.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/maths/Doubles.h"
#include "compiler/codegen/kernel/Loops.h"
#include "dialects/nn/Order.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace dlc::codegen::gpu {
namespace {

// pi/2 is the sum of these.
constexpr double halfPi = 0x1.921fb54442d18p0, halfPiNext = 0x1.1a62633145c07p-54,
                 halfPiLast = -0x1.f1976b7ed8fbcp-110;

/// 64 zeros, then the binary digits of 2/pi.
constexpr uint64_t twoOverPi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
};

/// The number n, modulo 4 and as i64, and r.
struct Quadrant {
  Value number, rest;
};

/// Reduces a number from 0 to 2^30.
Quadrant subtractQuadrants(Doubles &d, Value a) {
  Value n = math::RoundEvenOp::create(d.b, d.mul(a, d.number(M_2_PI)));
  Value minus = d.neg(n), rest = d.fma(minus, d.number(halfPi), a); // exact
  Sum next = d.product(minus, d.number(halfPiNext));
  // rest + next.high, either of which may be the larger one.
  Value sum = d.add(rest, next.high), back = d.sub(sum, rest);
  Value lost = d.add(d.sub(rest, d.sub(sum, back)), d.sub(next.high, back));
  Value low = d.fma(minus, d.number(halfPiLast), d.add(lost, next.low));
  return {arith::FPToSIOp::create(d.b, d.b.getI64Type(), n), d.add(sum, low)};
}

/// Four words of the table from number `first` on, which is at most `last`.
Values wordsFrom(Doubles &d, Value first, int64_t last) {
  Type word = d.b.getI64Type();
  auto cases = llvm::to_vector(llvm::seq<int64_t>(0, last));
  Value number = arith::IndexCastOp::create(d.b, d.b.getIndexType(), first);
  auto choice = scf::IndexSwitchOp::create(d.b, SmallVector<Type>(4, word), number, cases, cases.size());
  auto fill = [&](Region &region, int64_t first) {
    OpBuilder::InsertionGuard guard(d.b);
    d.b.createBlock(&region);
    SmallVector<Value> words;
    for (int64_t i = first; i < first + 4; ++i)
      words.push_back(d.integer(int64_t(twoOverPi[i])));
    scf::YieldOp::create(d.b, words);
  };
  for (int64_t i = 0; i < last; ++i)
    fill(choice.getCaseRegions()[i], i);
  fill(choice.getDefaultRegion(), last);
  return Values(choice.getResults());
}

/// Reduces a finite number from 2^30 on: a = m 2^(e - 1075) with integers m < 2^53 and e. 192 digits of 2/pi
/// matter, from the one on that makes the product with m 2^(e - 1075) a multiple of 2.
Quadrant multiplyQuadrants(Doubles &d, Value a, bool isSingle) {
  auto &b = d.b;
  auto left = [&](Value x, Value by) -> Value { return arith::ShLIOp::create(b, x, by); };
  auto right = [&](Value x, Value by) -> Value { return arith::ShRUIOp::create(b, x, by); };
  auto either = [&](Value x, Value y) -> Value { return arith::OrIOp::create(b, x, y); };
  auto plus = [&](Value x, Value y) -> Value { return arith::AddIOp::create(b, x, y); };
  constexpr int64_t one = int64_t(1) << 52;
  Value bits = d.asBits(a);
  Value m = either(d.both(bits, d.integer(one - 1)), d.integer(one));
  Value at = plus(right(bits, d.integer(52)), d.integer(-1075 + 62)); // in the table
  Value shift = d.both(at, d.integer(63)), back = arith::SubIOp::create(b, d.integer(63), shift);
  const int64_t largest = isSingle ? 1023 + 127 : 2046;
  Values words = wordsFrom(d, right(at, d.integer(6)), (largest - 1075 + 62) / 64);
  auto window = [&](int i) {
    return either(left(words[i], shift), right(right(words[i + 1], d.integer(1)), back));
  };
  // The lowest 192 bits of the product, of which the first two are n, and the others the fraction's.
  auto low = arith::MulUIExtendedOp::create(b, m, window(2));
  auto middle = arith::MulUIExtendedOp::create(b, m, window(1));
  Value second = plus(middle.getLow(), low.getHigh());
  Value carry = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, second, middle.getLow());
  Value first = plus(plus(arith::MulIOp::create(b, m, window(0)), middle.getHigh()),
                     arith::ExtUIOp::create(b, b.getI64Type(), carry));
  // Read as a signed number, a fraction of a half or more is less than zero: n is then one more.
  Value two = d.integer(2), high = either(left(first, two), right(second, d.integer(62)));
  Value rest = either(left(second, two), right(low.getLow(), d.integer(62)));
  Value n = plus(right(first, d.integer(62)), right(high, d.integer(63)));
  Value fraction = d.fma(arith::SIToFPOp::create(b, b.getF64Type(), high), d.number(0x1p-64),
                         d.mul(arith::UIToFPOp::create(b, b.getF64Type(), rest), d.number(0x1p-128)));
  return {n, d.fma(fraction, d.number(halfPi), d.mul(fraction, d.number(halfPiNext)))};
}

/// The coefficients of both series, for |r| <= pi/4.
Value sineSeries(Doubles &d, Value r) {
  double factors[8], factorial = -6; // of r^3: 1/17! down to -1/3!
  for (int k = 0; k < 8; factorial *= -(2 * k + 4) * (2 * k + 5), ++k)
    factors[7 - k] = 1 / factorial;
  Value square = d.mul(r, r);
  return d.fma(d.mul(r, square), d.polynomial(square, factors), r);
}

Value cosineSeries(Doubles &d, Value r) {
  double factors[8], factorial = 24; // of r^4: -1/18! down to 1/4!
  for (int k = 0; k < 8; factorial *= -(2 * k + 5) * (2 * k + 6), ++k)
    factors[7 - k] = 1 / factorial;
  Value square = d.mul(r, r), half = d.mul(square, d.number(0.5));
  Value whole = d.sub(d.number(1), half), lost = d.sub(d.sub(d.number(1), whole), half);
  return d.add(whole, d.fma(d.mul(square, square), d.polynomial(square, factors), lost));
}

} // namespace

/// The sine of |x| + quarters pi/2; that of -x has the other sign where there are none.
Value Doubles::sine(Value x, int64_t quarters, bool isSingle) {
  Value a = math::AbsFOp::create(b, x);
  auto branch = [&](auto quadrant) {
    return Values(nn::inOrder(b, [&]() -> SmallVector<Value> {
      Quadrant q = quadrant();
      return {q.number, q.rest};
    }));
  };
  Value isNear = is(CmpFPredicate::OLE, a, 0x1p30);
  Values quadrant = ifElse(
      b, isNear, [&] { return branch([&] { return subtractQuadrants(*this, a); }); },
      [&] { return branch([&] { return multiplyQuadrants(*this, a, isSingle); }); });
  Value n = arith::AddIOp::create(b, quadrant[0], integer(quarters)), zero = integer(0);
  auto has = [&](int64_t bit) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, both(n, integer(bit)), zero);
  };
  Value result = select(has(1), cosineSeries(*this, quadrant[1]), sineSeries(*this, quadrant[1]));
  result = select(has(2), neg(result), result);
  if (quarters == 0)
    result = mul(result, math::CopySignOp::create(b, number(1), x));
  return select(is(CmpFPredicate::OLT, a, infinity), result, number(notANumber));
}

/// The arctangent of a = |x| is pi/2 + that of -1/a, or pi/4 + that of (a - 1) / (a + 1): the series is of a
/// number from -tan(pi/8) to tan(pi/8).
Value Doubles::atan(Value x) {
  Value a = math::AbsFOp::create(b, x), one = number(1);
  Value isFar = is(CmpFPredicate::OGT, a, M_SQRT2 + 1), isMiddle = is(CmpFPredicate::OGT, a, M_SQRT2 - 1);
  Value above = select(isFar, number(-1), select(isMiddle, sub(a, one), a));
  Value below = select(isFar, a, select(isMiddle, add(a, one), one));
  Value t = div(above, below), square = mul(t, t);
  double factors[20]; // of t^3: 1/41 down to -1/3
  for (int k = 0; k < 20; ++k)
    factors[19 - k] = (k % 2 ? 1.0 : -1.0) / (2 * k + 3);
  Value rest = mul(mul(t, square), polynomial(square, factors));
  Value base = select(isFar, number(halfPi), select(isMiddle, number(halfPi / 2), number(0)));
  Value low = select(isFar, number(halfPiNext), select(isMiddle, number(halfPiNext / 2), number(0)));
  Value result = add(base, add(add(rest, low), t));
  return math::CopySignOp::create(b, result, x);
}

} // namespace dlc::codegen::gpu
