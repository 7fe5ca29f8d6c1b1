//===- Linear.cpp - nn: types of linear algebra
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/nn/Infer.h"

using namespace mlir;
using namespace nn;

NN_INFER(MatMulOp) {
  Shape a = shapeOf(op.getA()), b = shapeOf(op.getB());
  if (failed(infer.checkSameElementType(op.getA(), op.getB())))
    return failure();
  if (a.size() < 2 || b.size() < 2)
    return infer.error("expects operands of rank 2 or more, got ranks " + Twine(a.size()) + " and " +
                       Twine(b.size()));
  if (op.getTransposeA())
    std::swap(a[a.size() - 1], a[a.size() - 2]);
  if (op.getTransposeB())
    std::swap(b[b.size() - 1], b[b.size() - 2]);
  Dim k = a.pop_back_val(), n = b.pop_back_val();
  Dim m = a.pop_back_val(), kOfB = b.pop_back_val();
  if (k != kOfB)
    return infer.error("expects equal inner dims, got " + k.str() + " of a and " + kOfB.str() + " of b");
  std::optional<Shape> shape = broadcast(a, b);
  if (!shape)
    return infer.error("expects leading dims that broadcast, got " + str(a) + " and " + str(b));
  shape->push_back(m);
  shape->push_back(n);
  FailureOr<Type> type = infer.checkSumType(elementTypeOf(op.getA()), op.getWide());
  return failed(type) ? failure() : infer.give(*shape, *type);
}
