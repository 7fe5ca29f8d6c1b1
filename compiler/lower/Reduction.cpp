//===- Reduction.cpp - reductions to linalg --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/lower/Lowering.h"
#include "compiler/lower/ScalarOps.h"

namespace dlc::lower {

namespace {
using Combine = Value (*)(ImplicitLocOpBuilder &, Value, Value);

/// How a reduction combines and what it starts from.
struct Combination {
  Combine combine;
  mlir::TypedAttr (*neutral)(mlir::Builder &, mlir::Type);
};
} // namespace

static mlir::TypedAttr numberAttr(mlir::Builder &b, mlir::Type type, int64_t number) {
  if (mlir::isa<mlir::FloatType>(type))
    return b.getFloatAttr(type, static_cast<double>(number));
  return b.getIntegerAttr(type, number);
}

// What no element is beyond: an infinity, or the end of an integer type's range.
static mlir::TypedAttr limitAttr(mlir::Builder &b, mlir::Type type, bool lowest) {
  if (auto floatType = mlir::dyn_cast<mlir::FloatType>(type))
    return b.getFloatAttr(type, llvm::APFloat::getInf(floatType.getFloatSemantics(), lowest));
  unsigned width = type.getIntOrFloatBitWidth();
  return b.getIntegerAttr(type, lowest ? llvm::APInt::getSignedMinValue(width)
                                       : llvm::APInt::getSignedMaxValue(width));
}

template <typename Op> static Combination combinationOf();
template <> Combination combinationOf<nn::SumOp>() {
  return {add, [](mlir::Builder &b, mlir::Type type) { return numberAttr(b, type, 0); }};
}
template <> Combination combinationOf<nn::ProdOp>() {
  return {multiply, [](mlir::Builder &b, mlir::Type type) { return numberAttr(b, type, 1); }};
}
template <> Combination combinationOf<nn::ReduceMaxOp>() {
  return {larger, [](mlir::Builder &b, mlir::Type type) { return limitAttr(b, type, /*lowest=*/true); }};
}
template <> Combination combinationOf<nn::ReduceMinOp>() {
  return {smaller, [](mlir::Builder &b, mlir::Type type) { return limitAttr(b, type, /*lowest=*/false); }};
}

template <typename Op> static void lowerReduction(Op op, Lowering &lowering) {
  nn::Shape shape = nn::shapeOf(op.getX().getType()), dims, reduced;
  SmallVector<unsigned> dimOf(shape.size()); // the space's dim of each dim of x
  auto isReduced = [&](unsigned dim) { return llvm::is_contained(op.getAxes(), dim); };
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    if (!isReduced(dim)) {
      dimOf[dim] = dims.size();
      dims.push_back(shape[dim]);
    }
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    if (isReduced(dim)) {
      dimOf[dim] = dims.size();
      dims.push_back(shape[dim]);
      reduced.push_back(shape[dim]);
    }
  Space space(dims, reduced.size());
  if (!space.hasReduction())
    return lowering.alias(op.getX(), op.getY());
  Combination combination = combinationOf<Op>();
  ImplicitLocOpBuilder &b = lowering.builder();
  mlir::Type type = op.getX().getType().getElementType();
  // The sum of equal numbers is a product with their count: ones are summed to count a named dim.
  if (mlir::TypedAttr number = lowering.number(op.getX()); number && std::is_same_v<Op, nn::SumOp>) {
    nn::Shape kept(dims.begin(), dims.end() - reduced.size());
    auto product = [&](ImplicitLocOpBuilder &inner, ValueRange) {
      Value count = mlir::arith::IndexCastOp::create(inner, inner.getI64Type(),
                                                     sizeOf(inner, nn::elementCount(reduced)));
      Value each = mlir::arith::ConstantOp::create(inner, number);
      return multiply(inner, each, convert(inner, count, type));
    };
    return lowering.replace(op.getY(), lowering.generic(Space(kept), {}, type, product));
  }
  AffineMap map =
      lowering.map(space, shape, [&](unsigned dim) { return space.position(dimOf[dim], b.getContext()); });
  auto body = [&](ImplicitLocOpBuilder &inner, ValueRange x) {
    return combination.combine(inner, x[1], x[0]);
  };
  lowering.replace(op.getY(),
                   lowering.generic(space, Read{op.getX(), map}, type, body, combination.neutral(b, type)));
}

void addReductionLowerings(Lowerings &table) {
  table.add<nn::SumOp>(lowerReduction<nn::SumOp>);
  table.add<nn::ProdOp>(lowerReduction<nn::ProdOp>);
  table.add<nn::ReduceMaxOp>(lowerReduction<nn::ReduceMaxOp>);
  table.add<nn::ReduceMinOp>(lowerReduction<nn::ReduceMinOp>);
}

} // namespace dlc::lower
