//===- DecomposeReduction.cpp - means and positions of extrema -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/lower/Decompose.h"
#include "dialects/nn/Dims.h"
#include <limits>

using mlir::ImplicitLocOpBuilder;
using nn::Expr;

namespace dlc::lower {

static Values mean(nn::MeanOp op, ImplicitLocOpBuilder &builder) {
  Expr x(builder, op.getX());
  return {sum(x, op.getAxes(), op.getKeepdims()) / countAlong(x, op.getAxes(), x.elementType())};
}

// The position of an extremum is the least (the greatest, for `last`) position of the elements that are
// equal to it: simple reductions all of them. NaN, which equals nothing, is the extremum where there is one.
template <typename Op, typename Extremum>
static Values positionOfExtremum(Op op, ImplicitLocOpBuilder &builder) {
  Expr x(builder, op.getX());
  int64_t axis = op.getAxis();
  nn::Shape shape = nn::shapeOf(x.type());
  Expr extremum(builder, Extremum::create(builder, x.get(), axis, /*keepdims=*/true));
  nn::Shape along(shape.size(), nn::Dim(1));
  along[axis] = shape[axis];
  Expr positions(builder, nn::IotaOp::create(builder, nn::tensorType(along, builder.getI64Type()), axis));
  auto number = [&](int64_t n) {
    auto type = mlir::RankedTensorType::get({}, builder.getI64Type());
    return Expr(builder, nn::ConstantOp::create(builder, mlir::DenseElementsAttr::get(type, n)));
  };
  int64_t end = shape[axis].isStatic() ? shape[axis].factor - 1 : std::numeric_limits<int64_t>::max();
  bool last = op.getLast();
  Expr isExtremum = equal(x, extremum);
  if (mlir::isa<mlir::FloatType>(x.elementType()))
    isExtremum = logicalNot(logicalAnd(logicalNot(isExtremum), equal(x, x)));
  Expr candidates = select(isExtremum, positions, number(last ? 0 : end));
  if (last)
    return {nn::ReduceMaxOp::create(builder, candidates.get(), axis, op.getKeepdims())};
  return {nn::ReduceMinOp::create(builder, candidates.get(), axis, op.getKeepdims())};
}

void addReductionDecompositions(Decompositions &table) {
  table.add<nn::MeanOp>(mean);
  table.add<nn::ArgMaxOp>(positionOfExtremum<nn::ArgMaxOp, nn::ReduceMaxOp>);
  table.add<nn::ArgMinOp>(positionOfExtremum<nn::ArgMinOp, nn::ReduceMinOp>);
}

} // namespace dlc::lower
