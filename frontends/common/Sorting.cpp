//===- Sorting.cpp - elements in order ----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Sorting.h"
#include "dialects/nn/Dims.h"
#include "frontends/common/Places.h"

using namespace mlir;

namespace dlc::frontend {

static nn::Expr either(nn::Expr p, nn::Expr q) {
  return {p.getBuilder(), nn::LogicalOrOp::create(p.getBuilder(), p.get(), q.get()).getC()};
}

/// Whether `b` comes before `a`: by size, not by place.
static nn::Expr precedes(nn::Expr b, nn::Expr a, bool largest, nn::Expr &isEqual) {
  nn::Expr isBefore = largest ? nn::greater(b, a) : nn::less(b, a);
  isEqual = nn::equal(a, b);
  if (!isa<FloatType>(a.elementType()))
    return isBefore;
  nn::Expr isNumber = nn::equal(a, a), otherIsNumber = nn::equal(b, b);
  nn::Expr isNan = nn::logicalNot(isNumber), otherIsNan = nn::logicalNot(otherIsNumber);
  isEqual = either(isEqual, nn::logicalAnd(isNan, otherIsNan));
  nn::Expr onlyOneIsNan =
      largest ? nn::logicalAnd(otherIsNan, isNumber) : nn::logicalAnd(isNan, otherIsNumber);
  return either(isBefore, onlyOneIsNan);
}

/// An element's rank is the number of those that come before it, of equal ones those with a lower place.
nn::Expr placesInOrder(nn::Expr x, int64_t count, bool largest) {
  ImplicitLocOpBuilder &builder = x.getBuilder();
  nn::Shape shape = nn::shapeOf(x.type());
  nn::Dim outer = shape[0], size = shape[1], inner = shape[2], one(1);
  Type i32 = builder.getI32Type();
  auto reshaped = [&](nn::Expr value, ArrayRef<nn::Dim> to) {
    return nn::reshape(value, nn::tensorType(to, value.elementType()));
  };
  auto places = [&](ArrayRef<nn::Dim> along, int64_t dim) {
    return nn::Expr(builder, nn::IotaOp::create(builder, nn::tensorType(along, i32), dim).getY());
  };
  nn::Expr a = reshaped(x, {outer, one, size, inner});
  nn::Expr b = reshaped(x, {outer, size, one, inner});
  nn::Expr place = places({one, one, size, one}, 2);
  nn::Expr otherPlace = places({one, size, one, one}, 1);
  nn::Expr isEqual = a;
  nn::Expr isBefore = precedes(b, a, largest, isEqual);
  nn::Expr isLower = nn::less(otherPlace, place);
  nn::Expr comesBefore = either(isBefore, nn::logicalAnd(isEqual, isLower));
  nn::Expr rank = nn::sum(nn::cast(comesBefore, i32), {1}, /*keepdims=*/false); // [outer, size, inner]
  nn::Expr ranks = reshaped(rank, {outer, size, one, inner});
  nn::Expr wanted = places({one, one, nn::Dim(count), one}, 2);
  nn::Expr isWanted = nn::equal(ranks, wanted);
  nn::Expr found = nn::sum(nn::select(isWanted, otherPlace, 0.0), {1}, /*keepdims=*/false);
  return nn::cast(found, builder.getI64Type());
}

std::pair<Value, Value> elementsInOrder(OpMaker &maker, Value x, int64_t dim, int64_t count, bool largest) {
  if (!x)
    return {};
  nn::Shape shape = nn::shapeOf(x), result = shape;
  result[dim] = count;
  ArrayRef<nn::Dim> dims(shape);
  nn::Dim outer = nn::elementCount(dims.take_front(dim)), inner = nn::elementCount(dims.drop_front(dim + 1));
  Value elements = maker.reshape(x, {outer, shape[dim], inner});
  if (!elements)
    return {};
  nn::Expr found = placesInOrder({maker.b, elements}, count, largest); // [outer, count, inner]
  return {maker.reshape(gatherElements(maker, elements, found, 1), result), maker.reshape(found, result)};
}

Value shifted(OpMaker &maker, Value x, int64_t dim, int64_t distance) {
  nn::Shape shape = nn::shapeOf(x);
  SmallVector<int64_t> none(shape.size(), 0), low = none;
  low[dim] = distance;
  Value kept = maker.part(x, dim, 0, shape[dim].factor - distance);
  auto mode = nn::PadModeAttr::get(maker.b.getContext(), nn::PadMode::constant);
  return maker.make<nn::PadOp>({kept}, {maker.b.getNamedAttr("mode", mode), maker.attr("low", low),
                                        maker.attr("high", none), maker.attr("interior", none),
                                        maker.attr("value", 0.0)});
}

/// Sums of 2, 4, 8 ... neighbours: as many steps as the size has bits, and errors grow with them only.
Value cumulativeSum(OpMaker &maker, Value x, int64_t dim) {
  int64_t size = x ? nn::shapeOf(x)[dim].factor : 0;
  for (int64_t distance = 1; x && distance < size; distance *= 2)
    x = maker.make<nn::AddOp>({x, shifted(maker, x, dim, distance)});
  return x;
}

} // namespace dlc::frontend
