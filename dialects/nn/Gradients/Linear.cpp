//===- Linear.cpp - gradient of the matrix product -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For C = A B: dA = dC B', dB = A' dC. A transposed operand gives the transposed product, so no operand is
// ever transposed in memory here. dA is built before dB: a weight (usually B) is then read for the last
// time before its own gradient exists, and can be updated in place right after that.
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

static Expr gradientOfA(Expr dc, Expr b, bool transposeA, bool transposeB) {
  return transposeA ? matmul(b, dc, transposeB, true) : matmul(dc, b, false, !transposeB);
}

static Expr gradientOfB(Expr dc, Expr a, bool transposeA, bool transposeB) {
  return transposeB ? matmul(dc, a, true, transposeA) : matmul(a, dc, !transposeA, false);
}

SmallVector<Value> MatMulOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,
                                      ArrayRef<bool> needed) {
  Expr a(builder, getA()), b(builder, getB()), dc(builder, dResults[0]);
  bool ta = getTransposeA(), tb = getTransposeB();
  SmallVector<Value> gradients(2);
  if (needed[0])
    gradients[0] = sumTo(gradientOfA(dc, b, ta, tb), a.type());
  if (needed[1]) {
    // One matrix applied to rows of any shape: sum over all rows inside one product, instead of one
    // product per batch element.
    bool oneMatrix = b.rank() == 2 && !ta;
    Expr rowsA = oneMatrix ? flattenRows(a) : a, rowsC = oneMatrix ? flattenRows(dc) : dc;
    gradients[1] = sumTo(gradientOfB(rowsC, rowsA, ta, tb), b.type());
  }
  return gradients;
}

} // namespace nn
