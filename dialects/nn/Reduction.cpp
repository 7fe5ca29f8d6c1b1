//===- Reduction.cpp - nn: types of reductions
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/nn/Infer.h"

using namespace mlir;
using namespace nn;

/// The shape of `x` without `axes`, or with 1 in their place.
static Shape reduced(ArrayRef<Dim> x, ArrayRef<int64_t> axes, bool keepdims) {
  Shape shape;
  for (auto [i, dim] : llvm::enumerate(x)) {
    if (!llvm::is_contained(axes, int64_t(i)))
      shape.push_back(dim);
    else if (keepdims)
      shape.push_back(1);
  }
  return shape;
}

template <typename Adaptor> static LogicalResult inferReduction(const Inference &infer, Adaptor op) {
  Shape x = shapeOf(op.getX());
  if (failed(infer.checkAxes(op.getAxes(), x.size())))
    return failure();
  return infer.give(reduced(x, op.getAxes(), op.getKeepdims()), elementTypeOf(op.getX()));
}

NN_INFER(SumOp) { return inferReduction(infer, op); }
NN_INFER(MeanOp) { return inferReduction(infer, op); }
NN_INFER(ProdOp) { return inferReduction(infer, op); }
NN_INFER(ReduceMaxOp) {
  return failed(infer.checkNotEmpty(op.getX(), op.getAxes())) ? failure() : inferReduction(infer, op);
}
NN_INFER(ReduceMinOp) {
  return failed(infer.checkNotEmpty(op.getX(), op.getAxes())) ? failure() : inferReduction(infer, op);
}

template <typename Adaptor> static LogicalResult inferArgReduction(const Inference &infer, Adaptor op) {
  Shape x = shapeOf(op.getX());
  int64_t axis = op.getAxis();
  if (failed(infer.checkAxis(axis, x.size())) || failed(infer.checkNotEmpty(op.getX(), axis)))
    return failure();
  return infer.give(reduced(x, axis, op.getKeepdims()), IntegerType::get(op.getX().getContext(), 64));
}

NN_INFER(ArgMaxOp) { return inferArgReduction(infer, op); }
NN_INFER(ArgMinOp) { return inferArgReduction(infer, op); }
