//===- Elementwise.cpp - nn: types of elementwise operations
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/nn/Infer.h"

using namespace mlir;
using namespace nn;

/// The shape to which all operands broadcast.
static FailureOr<Shape> inferBroadcast(const Inference &infer, ArrayRef<Value> operands) {
  Shape shape = shapeOf(operands.front());
  for (Value operand : operands.drop_front()) {
    std::optional<Shape> both = broadcast(shape, shapeOf(operand));
    if (!both)
      return infer.error("expects shapes that broadcast, got " + str(shape) + " and " +
                         str(shapeOf(operand)));
    shape = *both;
  }
  return shape;
}

/// Two operands of one dtype; the result has `elementType`, or theirs.
static LogicalResult inferBinary(const Inference &infer, Value a, Value b, Type elementType = {}) {
  if (failed(infer.checkSameElementType(a, b)))
    return failure();
  FailureOr<Shape> shape = inferBroadcast(infer, {a, b});
  if (failed(shape))
    return failure();
  return infer.give(*shape, elementType ? elementType : elementTypeOf(a));
}

NN_INFER(AddOp) { return inferBinary(infer, op.getA(), op.getB()); }
NN_INFER(SubOp) { return inferBinary(infer, op.getA(), op.getB()); }
NN_INFER(MulOp) { return inferBinary(infer, op.getA(), op.getB()); }
NN_INFER(DivOp) { return inferBinary(infer, op.getA(), op.getB()); }
NN_INFER(PowOp) { return inferBinary(infer, op.getA(), op.getB()); }
NN_INFER(MaxOp) { return inferBinary(infer, op.getA(), op.getB()); }
NN_INFER(MinOp) { return inferBinary(infer, op.getA(), op.getB()); }
NN_INFER(LogicalAndOp) { return inferBinary(infer, op.getA(), op.getB()); }
NN_INFER(LogicalOrOp) { return inferBinary(infer, op.getA(), op.getB()); }
NN_INFER(LogicalXorOp) { return inferBinary(infer, op.getA(), op.getB()); }

NN_INFER(CompareOp) {
  return inferBinary(infer, op.getA(), op.getB(), IntegerType::get(op.getA().getContext(), 1));
}

NN_INFER(SelectOp) {
  if (failed(infer.checkSameElementType(op.getA(), op.getB())))
    return failure();
  FailureOr<Shape> shape = inferBroadcast(infer, {op.getCondition(), op.getA(), op.getB()});
  if (failed(shape))
    return failure();
  return infer.give(*shape, elementTypeOf(op.getA()));
}

NN_INFER(FmaOp) {
  if (failed(infer.checkSameElementType(op.getA(), op.getB())) ||
      failed(infer.checkSameElementType(op.getA(), op.getC())))
    return failure();
  FailureOr<Shape> shape = inferBroadcast(infer, {op.getA(), op.getB(), op.getC()});
  if (failed(shape))
    return failure();
  return infer.give(*shape, elementTypeOf(op.getA()));
}

NN_INFER(CastOp) {
  if (!RankedTensorType::isValidElementType(op.getTo()))
    return infer.error("expects a dtype to cast to, got " + str(op.getTo()));
  return infer.give(shapeOf(op.getX()), op.getTo());
}

LogicalResult ClipOp::verify() {
  double low = getLow().convertToDouble(), high = getHigh().convertToDouble();
  if (low <= high)
    return success();
  return emitOpError("expects low <= high, got ") << std::to_string(low) << " and " << std::to_string(high);
}
