//===- Linear.cpp - matrix products to linalg ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/lower/Lowering.h"
#include "compiler/lower/ScalarOps.h"

namespace dlc::lower {

// c[batch..., m, n] = sum over k; the space is (batch..., m, n, k). Transposition and broadcasting of batch
// dims are in the maps. Where k is 1 there is nothing to add up.
static void lowerMatMul(nn::MatMulOp op, Lowering &lowering) {
  nn::Shape result = nn::shapeOf(op.getC().getType());
  nn::Shape a = nn::shapeOf(op.getA().getType());
  unsigned rank = result.size(), m = rank - 2, n = rank - 1, k = rank;
  nn::Shape dims = result;
  dims.push_back(a[a.size() - (op.getTransposeA() ? 2 : 1)]);
  Space space(dims, /*reductions=*/1);
  // The dims of an operand are the space's: the batch's, then `row` and `column`.
  auto read = [&](Value operand, unsigned row, unsigned column) {
    nn::Shape shape = nn::shapeOf(operand.getType());
    unsigned operandRank = shape.size(), missing = rank - operandRank;
    AffineMap map = lowering.map(space, shape, [&](unsigned dim) {
      unsigned spaceDim = dim == operandRank - 2 ? row : dim == operandRank - 1 ? column : missing + dim;
      return space.position(spaceDim, lowering.builder().getContext());
    });
    return Read{operand, map};
  };
  Read reads[] = {op.getTransposeA() ? read(op.getA(), k, m) : read(op.getA(), m, k),
                  op.getTransposeB() ? read(op.getB(), n, k) : read(op.getB(), k, n)};
  ImplicitLocOpBuilder &b = lowering.builder();
  mlir::Type type = op.getC().getType().getElementType();
  bool isNarrow = mlir::isa<mlir::FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
  mlir::Type sumType = isNarrow ? mlir::Type(b.getF32Type()) : type;
  Value product = lowering.generic(
      space, reads, sumType,
      [&](ImplicitLocOpBuilder &inner, ValueRange x) {
        Value left = convert(inner, x[0], sumType), right = convert(inner, x[1], sumType);
        Value term = multiply(inner, left, right);
        return space.hasReduction() ? add(inner, x[2], term) : term;
      },
      space.hasReduction() ? b.getZeroAttr(sumType) : mlir::TypedAttr());
  lowering.replace(op.getC(), product);
  if (isNarrow) {
    Space plain(result);
    Read whole = lowering.broadcast(plain, op.getC(), rank);
    lowering.replace(op.getC(),
                     lowering.generic(plain, whole, type, [&](ImplicitLocOpBuilder &inner, ValueRange x) {
                       return convert(inner, x[0], type);
                     }));
  }
}

void addLinearLowerings(Lowerings &table) { table.add<nn::MatMulOp>(lowerMatMul); }

} // namespace dlc::lower
