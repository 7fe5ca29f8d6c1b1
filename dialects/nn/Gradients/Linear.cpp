//===- Linear.cpp - gradient of the matrix product -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For C = A B: dA = dC B', dB = A' dC. A transposed operand gives the transposed product, so no operand is
// ever transposed in memory here. dA is built before dB: a weight (usually B) is then read for the last
// time before its own gradient exists, and can be updated in place right after that.
//
// Where the sums are wide, dC is f32: it is rounded to the operands' type, and the sums of the gradients are
// wide as well. That these are rounded, to have the operands' type, CastOp's rule takes back.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Dims.h"
#include "dialects/nn/Expr.h"

using llvm::ArrayRef, llvm::SmallVector;
using mlir::ImplicitLocOpBuilder, mlir::Value, mlir::ValueRange;

namespace nn {

// All leading dims in one: [..., k] becomes [rows, k].
static Expr flattenRows(Expr x) {
  if (x.rank() == 2)
    return x;
  Shape shape = shapeOf(x.type());
  Dim rows = elementCount(ArrayRef<Dim>(shape).drop_back());
  return reshape(x, tensorType({rows, shape.back()}, x.elementType()));
}

static Expr gradientOfA(Expr dc, Expr b, bool transposeA, bool transposeB, bool wide) {
  return transposeA ? matmul(b, dc, transposeB, true, wide) : matmul(dc, b, false, !transposeB, wide);
}

static Expr gradientOfB(Expr dc, Expr a, bool transposeA, bool transposeB, bool wide) {
  return transposeB ? matmul(dc, a, true, transposeA, wide) : matmul(a, dc, !transposeA, false, wide);
}

/// The gradient of an operand from its sums.
static Value gradientOf(Expr operand, Expr sums) {
  return cast(sumTo(sums, tensorType(shapeOf(operand.type()), sums.elementType())), operand.elementType());
}

SmallVector<Value> MatMulOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,
                                      ArrayRef<bool> needed) {
  Expr a(builder, getA()), b(builder, getB()), dc = cast(Expr(builder, dResults[0]), a.elementType());
  bool ta = getTransposeA(), tb = getTransposeB(), wide = getWide();
  SmallVector<Value> gradients(2);
  if (needed[0])
    gradients[0] = gradientOf(a, gradientOfA(dc, b, ta, tb, wide));
  if (needed[1]) {
    // One matrix applied to rows of any shape: sum over all rows inside one product, instead of one
    // product per batch element.
    bool oneMatrix = b.rank() == 2 && !ta;
    Expr rowsA = oneMatrix ? flattenRows(a) : a, rowsC = oneMatrix ? flattenRows(dc) : dc;
    gradients[1] = gradientOf(b, gradientOfB(rowsC, rowsA, ta, tb, wide));
  }
  return gradients;
}

} // namespace nn
