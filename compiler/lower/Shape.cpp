//===- Shape.cpp - nn operations that move elements, by maps ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The position of an element in the operand is an affine function of its position in the result. This
// function is the indexing map of a generic whose body only yields what it reads. Slices and concatenations
// are said by operations that show which elements of a larger tensor the smaller one is; the stage layout
// decides which of them need a copy.
//===----------------------------------------------------------------------===//
#include "compiler/lower/Lowering.h"
#include "compiler/lower/ScalarOps.h"

namespace dlc::lower {

// The generic that reads x's dim `i` at `position(i)` of the result's space and yields what it reads.
static void lowerMove(Value x, Value y, const Space &space, Lowering &lowering,
                      llvm::function_ref<AffineExpr(unsigned)> position) {
  if (mlir::TypedAttr number = lowering.number(x))
    return lowering.replace(y, number);
  auto type = mlir::cast<mlir::RankedTensorType>(x.getType());
  AffineMap map = lowering.map(space, nn::shapeOf(type), position);
  auto yield = [](ImplicitLocOpBuilder &, ValueRange read) { return read[0]; };
  lowering.replace(y, lowering.generic(space, Read{x, map}, type.getElementType(), yield));
}

static void lowerReshape(nn::ReshapeOp op, Lowering &lowering) {
  if (mlir::TypedAttr number = lowering.number(op.getX()))
    return lowering.replace(op.getY(), number);
  nn::Shape from = withoutOnes(nn::shapeOf(op.getX().getType())),
            to = withoutOnes(nn::shapeOf(op.getY().getType()));
  lowering.replace(op.getY(), lowering.reshape(lowering.tensor(op.getX()), from, to));
}

static void lowerTranspose(nn::TransposeOp op, Lowering &lowering) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  nn::Shape shape = nn::shapeOf(op.getY().getType());
  // Moving dims of size 1 only moves nothing.
  SmallVector<int64_t> moved;
  for (int64_t dim : permutation)
    if (!nn::shapeOf(op.getX().getType())[dim].isOne())
      moved.push_back(dim);
  if (llvm::is_sorted(moved))
    return lowering.alias(op.getX(), op.getY());
  Space space(shape);
  lowerMove(op.getX(), op.getY(), space, lowering, [&](unsigned dim) {
    return space.position(llvm::find(permutation, dim) - permutation.begin(), op.getContext());
  });
}

static void lowerExpand(nn::ExpandOp op, Lowering &lowering) {
  nn::Shape from = nn::shapeOf(op.getX().getType()), to = nn::shapeOf(op.getY().getType());
  if (withoutOnes(from) == withoutOnes(to))
    return lowering.alias(op.getX(), op.getY());
  Space space(to);
  unsigned missing = to.size() - from.size();
  lowerMove(op.getX(), op.getY(), space, lowering,
            [&](unsigned dim) { return space.position(missing + dim, op.getContext()); });
}

static void lowerReverse(nn::ReverseOp op, Lowering &lowering) {
  nn::Shape shape = nn::shapeOf(op.getY().getType());
  Space space(shape);
  lowerMove(op.getX(), op.getY(), space, lowering, [&](unsigned dim) {
    AffineExpr position = space.position(dim, op.getContext());
    return llvm::is_contained(op.getAxes(), dim) ? -position + (shape[dim].factor - 1) : position;
  });
}

//===-- Parts ------------------------------------------------------------------===//

// The type of the plain tensor that stands for a value.
static mlir::RankedTensorType typeOf(Value value) {
  nn::Shape shape = withoutOnes(nn::shapeOf(value.getType()));
  return plainType(nn::tensorType(shape, mlir::getElementTypeOrSelf(value.getType())));
}

// A tensor without elements; what is said of its elements is said of none.
static Value withoutElements(Value value, Lowering &lowering) {
  mlir::Type type = storedType(mlir::getElementTypeOrSelf(value.getType()));
  return lowering.generic(Space(nn::shapeOf(value.getType())), {}, type,
                          [&](ImplicitLocOpBuilder &b, ValueRange) { return constant(b, type, 0); });
}

static void lowerSlice(nn::SliceOp op, Lowering &lowering) {
  if (mlir::TypedAttr number = lowering.number(op.getX()))
    return lowering.replace(op.getY(), number);
  if (isEmpty(op.getY().getType()))
    return lowering.replace(op.getY(), withoutElements(op.getY(), lowering));
  nn::Shape from = nn::shapeOf(op.getX().getType()), to = nn::shapeOf(op.getY().getType());
  if (from == to)
    return lowering.alias(op.getX(), op.getY());
  ImplicitLocOpBuilder &b = lowering.builder();
  SmallVector<mlir::OpFoldResult> starts, sizes, steps;
  for (auto [dim, size] : llvm::enumerate(to)) {
    if (from[dim].isOne())
      continue;
    starts.push_back(b.getIndexAttr(op.getStarts()[dim]));
    steps.push_back(b.getIndexAttr(size.isOne() ? 1 : op.getSteps()[dim]));
    sizes.push_back(size.isStatic() ? mlir::OpFoldResult(b.getIndexAttr(size.factor)) : sizeOf(b, size));
  }
  lowering.replace(op.getY(), mlir::tensor::ExtractSliceOp::create(
                                  b, typeOf(op.getY()), lowering.tensor(op.getX()), starts, sizes, steps));
}

static void lowerConcat(nn::ConcatOp op, Lowering &lowering) {
  SmallVector<Value> inputs, parts;
  for (Value input : op.getInputs())
    if (!isEmpty(input.getType()))
      inputs.push_back(input);
  if (inputs.empty())
    return lowering.replace(op.getY(), withoutElements(op.getY(), lowering));
  if (inputs.size() == 1)
    return lowering.alias(inputs.front(), op.getY());
  for (Value input : inputs)
    parts.push_back(lowering.tensor(input));
  nn::Shape to = nn::shapeOf(op.getY().getType());
  int64_t axis = withoutOnes(ArrayRef(to).take_front(op.getAxis())).size();
  lowering.replace(op.getY(), train::JoinOp::create(lowering.builder(), typeOf(op.getY()), parts, axis));
}

static void lowerIota(nn::IotaOp op, Lowering &lowering) {
  Space space(nn::shapeOf(op.getY().getType()));
  mlir::Type type = op.getY().getType().getElementType();
  int loop = space.loops[op.getAxis()];
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
    if (loop < 0)
      return constant(b, type, 0);
    Value position = mlir::linalg::IndexOp::create(b, loop);
    return convert(b, mlir::arith::IndexCastOp::create(b, b.getI64Type(), position), type);
  };
  lowering.replace(op.getY(), lowering.generic(space, {}, type, body));
}

void addShapeLowerings(Lowerings &table) {
  table.add<nn::ReshapeOp>(lowerReshape);
  table.add<nn::TransposeOp>(lowerTranspose);
  table.add<nn::ExpandOp>(lowerExpand);
  table.add<nn::ReverseOp>(lowerReverse);
  table.add<nn::SliceOp>(lowerSlice);
  table.add<nn::ConcatOp>(lowerConcat);
  table.add<nn::IotaOp>(lowerIota);
  addIndexedLowerings(table);
}

} // namespace dlc::lower
