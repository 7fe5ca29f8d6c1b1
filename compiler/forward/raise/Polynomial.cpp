//===- Polynomial.cpp - what elementwise formulas compute ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/forward/raise/Polynomial.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace dlc::forward {

std::optional<double> numberOf(Value value) {
  SplatElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)) || !isa<FloatType>(splat.getElementType()))
    return std::nullopt;
  APFloat number = splat.getSplatValue<APFloat>();
  bool lossy;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
  return number.convertToDouble();
}

static Polynomial scaled(Polynomial p, double factor) {
  for (double &coefficient : p)
    coefficient *= factor;
  return p;
}

static Polynomial sum(Polynomial a, const Polynomial &b) {
  for (auto [left, right] : llvm::zip_equal(a, b))
    left += right;
  return a;
}

static std::optional<Polynomial> product(const Polynomial &a, const Polynomial &b) {
  Polynomial result{};
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < b.size(); ++j) {
      double term = a[i] * b[j];
      if (i + j < result.size())
        result[i + j] += term;
      else if (term != 0)
        return std::nullopt;
    }
  return result;
}

namespace {
/// Formulas are small: the number of operations that one is looked at for is limited.
struct Reader {
  Value x, called;
  double result;
  int left = 64;

  std::optional<Polynomial> read(Value value) {
    if (value == x)
      return Polynomial{0, 1, 0, 0};
    if (value == called)
      return Polynomial{result, 0, 0, 0};
    if (std::optional<double> number = numberOf(value))
      return Polynomial{*number, 0, 0, 0};
    Operation *op = value.getDefiningOp();
    if (!op || --left < 0 || value.getType() != x.getType())
      return std::nullopt;
    return llvm::TypeSwitch<Operation *, std::optional<Polynomial>>(op)
        .Case([&](nn::AddOp add) { return both(add, [](auto &a, auto &b) { return sum(a, b); }); })
        .Case(
            [&](nn::SubOp sub) { return both(sub, [](auto &a, auto &b) { return sum(a, scaled(b, -1)); }); })
        .Case([&](nn::MulOp mul) { return both(mul, product); })
        .Case([&](nn::DivOp div) -> std::optional<Polynomial> {
          std::optional<double> divisor = numberOf(div.getB());
          std::optional<Polynomial> a = divisor && *divisor != 0 ? read(div.getA()) : std::nullopt;
          return a ? std::optional(scaled(*a, 1 / *divisor)) : std::nullopt;
        })
        .Case([&](nn::NegOp neg) -> std::optional<Polynomial> {
          std::optional<Polynomial> operand = read(neg.getX());
          return operand ? std::optional(scaled(*operand, -1)) : std::nullopt;
        })
        .Default([](Operation *) { return std::nullopt; });
  }

  template <typename Op, typename Join> std::optional<Polynomial> both(Op op, Join join) {
    std::optional<Polynomial> a = read(op.getA());
    std::optional<Polynomial> b = a ? read(op.getB()) : std::nullopt;
    return b ? std::optional<Polynomial>(join(*a, *b)) : std::nullopt;
  }
};
} // namespace

std::optional<Polynomial> polynomialOf(Value value, Value x, Value called, double result) {
  return Reader{x, called, result}.read(value);
}

bool isNear(const Polynomial &a, const Polynomial &b) {
  return llvm::all_of(llvm::zip_equal(a, b), [](auto pair) {
    auto [found, expected] = pair;
    return std::fabs(found - expected) <= 1e-6 * std::fabs(expected);
  });
}

} // namespace dlc::forward
