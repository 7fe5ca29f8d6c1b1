//===- Time.cpp - operations on sequences to linalg -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/lower/Positions.h"

using namespace mlir::arith;

namespace dlc::lower {

static void lowerReverseSequence(nn::ReverseSequenceOp op, Lowering &lowering) {
  if (mlir::TypedAttr number = lowering.number(op.getX()))
    return lowering.replace(op.getY(), number);
  if (isEmpty(op.getX().getType()))
    return lowering.alias(op.getX(), op.getY());
  nn::Shape shape = nn::shapeOf(op.getX().getType());
  Space space(shape);
  const unsigned time = op.getTime(), batch = op.getBatch();
  Value x = lowering.tensor(op.getX());
  AffineMap map =
      lowering.map(space, shape[batch], [&](unsigned) { return space.position(batch, op.getContext()); });
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange read) {
    Value given = IndexCastOp::create(b, b.getIndexType(), read[0]);
    Value atLeast = MaxSIOp::create(b, given, constantIndex(b, 0));
    Value length = MinSIOp::create(b, atLeast, sizeOf(b, shape[time]));
    SmallVector<Value> positions;
    for (unsigned dim = 0; dim < shape.size(); ++dim)
      positions.push_back(position(b, space, dim));
    Value last = SubIOp::create(b, length, constantIndex(b, 1));
    Value mirrored = SubIOp::create(b, last, positions[time]);
    Value isInside = CmpIOp::create(b, CmpIPredicate::slt, positions[time], length);
    positions[time] = SelectOp::create(b, isInside, mirrored, positions[time]);
    return elementAt(b, x, shape, positions);
  };
  mlir::Type type = op.getX().getType().getElementType();
  lowering.replace(op.getY(), lowering.generic(space, Read{op.getLengths(), map}, type, body));
}

void addTimeLowerings(Lowerings &table) { table.add<nn::ReverseSequenceOp>(lowerReverseSequence); }

} // namespace dlc::lower
