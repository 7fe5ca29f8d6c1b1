//===- Expr.h - nn operations written as formulas --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value together with the builder that extends it, so that gradient rules, decompositions and
// importers read like the maths they implement: `dy * (1 - y * y)`. Numbers become rank-0 constants of
// the other side's dtype.
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_NN_EXPR_H
#define DLC_DIALECTS_NN_EXPR_H

#include "dialects/nn/NN.h"

namespace nn {

class Expr {
public:
  Expr(mlir::ImplicitLocOpBuilder &builder, mlir::Value value) : builder(&builder), value(value) {}
  operator mlir::Value() const { return value; }
  mlir::Value get() const { return value; }
  mlir::ImplicitLocOpBuilder &getBuilder() const { return *builder; }
  mlir::RankedTensorType type() const { return mlir::cast<mlir::RankedTensorType>(value.getType()); }
  mlir::Type elementType() const { return type().getElementType(); }
  int64_t rank() const { return type().getRank(); }
  /// A rank-0 constant of this expression's dtype.
  Expr scalar(double number) const;

private:
  mlir::ImplicitLocOpBuilder *builder;
  mlir::Value value;
};

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);
Expr operator-(Expr x);
inline Expr operator+(Expr a, double b) { return a + a.scalar(b); }
inline Expr operator-(Expr a, double b) { return a - a.scalar(b); }
inline Expr operator*(Expr a, double b) { return a * a.scalar(b); }
inline Expr operator/(Expr a, double b) { return a / a.scalar(b); }
inline Expr operator+(double a, Expr b) { return b.scalar(a) + b; }
inline Expr operator-(double a, Expr b) { return b.scalar(a) - b; }
inline Expr operator*(double a, Expr b) { return b.scalar(a) * b; }
inline Expr operator/(double a, Expr b) { return b.scalar(a) / b; }

Expr exp(Expr x);
Expr log(Expr x);
Expr expm1(Expr x);
Expr log1p(Expr x);
Expr sqrt(Expr x);
Expr rsqrt(Expr x);
Expr reciprocal(Expr x);
Expr abs(Expr x);
Expr sign(Expr x);
Expr erf(Expr x);
Expr erfc(Expr x);
Expr sin(Expr x);
Expr cos(Expr x);
Expr atan(Expr x);
Expr tanh(Expr x);
Expr sigmoid(Expr x);
Expr relu(Expr x);
Expr max(Expr a, Expr b);
Expr min(Expr a, Expr b);
Expr pow(Expr a, Expr b);
/// a * b + c, rounded once.
Expr fma(Expr a, Expr b, Expr c);

/// Comparisons give i1 tensors for select().
Expr equal(Expr a, Expr b);
Expr less(Expr a, Expr b);
Expr lessEqual(Expr a, Expr b);
Expr greater(Expr a, Expr b);
Expr greaterEqual(Expr a, Expr b);
Expr logicalNot(Expr x);
Expr logicalAnd(Expr a, Expr b);
Expr select(Expr condition, Expr a, Expr b);
inline Expr select(Expr condition, Expr a, double b) { return select(condition, a, a.scalar(b)); }
inline Expr select(Expr condition, double a, Expr b) { return select(condition, b.scalar(a), b); }

Expr cast(Expr x, mlir::Type elementType);
/// `wide`: f32 sums of operands of fewer bits.
Expr matmul(Expr a, Expr b, bool transposeA = false, bool transposeB = false, bool wide = false);
Expr sum(Expr x, llvm::ArrayRef<int64_t> axes, bool keepdims);
Expr mean(Expr x, llvm::ArrayRef<int64_t> axes, bool keepdims);
Expr reduceMax(Expr x, llvm::ArrayRef<int64_t> axes, bool keepdims);
/// Sum over all axes: a rank-0 result.
Expr sumAll(Expr x);
Expr transpose(Expr x, llvm::ArrayRef<int64_t> permutation);
Expr reshape(Expr x, mlir::RankedTensorType type);
Expr expand(Expr x, mlir::RankedTensorType type);
/// Number of elements along `axes` as a rank-0 tensor of `elementType`; counts named dims at run time.
Expr countAlong(Expr x, llvm::ArrayRef<int64_t> axes, mlir::Type elementType);

/// Undoes broadcasting: sums `gradient` over the dims along which a value of type `type` was stretched.
Expr sumTo(Expr gradient, mlir::RankedTensorType type);

} // namespace nn

#endif // DLC_DIALECTS_NN_EXPR_H
