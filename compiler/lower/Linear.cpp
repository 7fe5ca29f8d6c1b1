//===- Linear.cpp - matrix products to linalg ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/lower/Lowering.h"

namespace dlc::lower {

// c[batch..., m, n] = sum over k; the space is (batch..., m, n, k). Transposition and broadcasting of batch
// dims are in the maps.
static void lowerMatMul(nn::MatMulOp op, Lowering &lowering) {
  nn::Shape result = nn::shapeOf(op.getC().getType());
  nn::Shape shapeOfA = nn::shapeOf(op.getA().getType());
  unsigned rank = result.size(), m = rank - 2, n = rank - 1, k = rank;
  nn::Shape dims = result;
  dims.push_back(shapeOfA[shapeOfA.size() - (op.getTransposeA() ? 2 : 1)]);
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
  Read a = op.getTransposeA() ? read(op.getA(), k, m) : read(op.getA(), m, k);
  Read b = op.getTransposeB() ? read(op.getB(), n, k) : read(op.getB(), k, n);
  lowering.sumOfProducts(space, a, b, op.getC());
}

void addLinearLowerings(Lowerings &table) { table.add<nn::MatMulOp>(lowerMatMul); }

} // namespace dlc::lower
