//===- Clamped.cpp - neighbouring elements between limits ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/kernel/Clamped.h"
#include "compiler/codegen/kernel/Loops.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace dlc::codegen {
namespace {

/// A position of a body in one lane. From lane to lane it stays or grows by one.
class LanePosition {
public:
  LanePosition(Builder &b, const Point &point, const IRMapping &values)
      : b(b), point(point), values(values) {}

  /// Whether `position` is such a one.
  bool isOne(Value position) const {
    if (isSame(position))
      return true;
    Operation *op = position.getDefiningOp();
    if (isa<linalg::IndexOp>(op))
      return true;
    if (isa<arith::AddIOp, arith::MinSIOp, arith::MaxSIOp>(op))
      return (isOne(op->getOperand(0)) && isSame(op->getOperand(1))) ||
             (isSame(op->getOperand(0)) && isOne(op->getOperand(1)));
    return isa<arith::SubIOp>(op) && isOne(op->getOperand(0)) && isSame(op->getOperand(1));
  }

  Value in(Value position, int64_t lane) const {
    if (isSame(position))
      return values.lookupOrDefault(position);
    Operation *op = position.getDefiningOp();
    if (isa<linalg::IndexOp>(op))
      return arith::IndexCastOp::create(b, b.getIndexType(),
                                        (point.loops[point.laneDim] + lane).materialize(b));
    Value x = in(op->getOperand(0), lane), y = in(op->getOperand(1), lane);
    OperationState state(b.getLoc(), op->getName(), ValueRange{x, y}, op->getResultTypes(), op->getAttrs());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    return b.create(state)->getResult(0);
  }

private:
  /// Whether it is the same in all lanes.
  bool isSame(Value position) const { return !isa<VectorType>(values.lookupOrDefault(position).getType()); }

  Builder &b;
  const Point &point;
  const IRMapping &values;
};

} // namespace

Value loadBetweenLimits(Builder &b, const Memory &memory, tensor::ExtractOp extract,
                        ArrayRef<Value> positions, unsigned axis, const Point &point,
                        const IRMapping &values) {
  LanePosition position(b, point, values);
  Value along = extract.getIndices()[axis];
  if (!memory.strides[axis].isConstant() || memory.strides[axis].offset != 1 || !position.isOne(along))
    return Value();
  Value first = position.in(along, 0), last = position.in(along, point.lanes - 1);
  auto isApart = [&](int64_t lanes) -> Value {
    Value distance = arith::SubIOp::create(b, last, first);
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, distance,
                                 arith::ConstantIndexOp::create(b, lanes));
  };
  auto neighbours = [&]() -> Values {
    Point moved = point;
    moved.loops[point.laneDim] = Index(arith::IndexCastOp::create(b, b.getI64Type(), first).getResult());
    moved.mask = Value(); // limits lie in the tensor
    return {loadAlongLanes(b, memory, positions, axis, moved)};
  };
  auto one = [&]() -> Values {
    SmallVector<Value> same(positions);
    same[axis] = first;
    return {asVector(b, point, loadIndirect(b, memory, same, point))};
  };
  auto any = [&]() -> Values { return {loadIndirect(b, memory, positions, point)}; };
  return ifElse(b, isApart(point.lanes - 1), neighbours, [&] { return ifElse(b, isApart(0), one, any); })
      .front();
}

} // namespace dlc::codegen
