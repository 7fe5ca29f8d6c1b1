//===- Places.cpp - elements at given indices ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Places.h"

using namespace mlir;

namespace dlc::frontend {

nn::Expr counted(nn::Expr index, nn::Expr size) {
  nn::Expr isNegative = nn::less(index, index.scalar(0));
  return nn::select(isNegative, index + size, index);
}

std::optional<int64_t> staticCount(OpMaker &maker, ArrayRef<nn::Dim> dims) {
  nn::Dim count = nn::elementCount(dims);
  if (count.isStatic())
    return count.factor;
  maker.error("expects static sizes along the dims that indices count, got " + nn::str(dims));
  return std::nullopt;
}

Value placesOfElements(OpMaker &maker, Value indices, ArrayRef<nn::Dim> x, int64_t axis) {
  if (!indices)
    return {};
  nn::Shape shape = nn::shapeOf(indices);
  std::optional<nn::Expr> place;
  nn::Expr index(maker.b, indices);
  for (int64_t d = 0, rank = shape.size(); d < rank; ++d) {
    std::optional<int64_t> stride = staticCount(maker, x.drop_front(d + 1));
    if (!stride || (d == axis && !x[d].isStatic()))
      return stride ? (maker.error("expects a static size along axis " + Twine(axis) + ", got " + nn::str(x)),
                       Value())
                    : Value();
    nn::Shape along(rank, nn::Dim(1));
    along[d] = shape[d];
    Value at = d == axis ? Value(counted(index, index.scalar(double(x[d].factor))))
                         : nn::IotaOp::create(maker.b, nn::tensorType(along, maker.b.getI64Type()), d).getY();
    nn::Expr part = nn::Expr(maker.b, at) * double(*stride);
    place = place ? *place + part : part;
  }
  return place ? Value(*place) : Value();
}

Value gatherElements(OpMaker &maker, Value x, Value indices, int64_t axis) {
  if (!x || !indices)
    return {};
  nn::Shape shape = nn::shapeOf(x);
  Value flat = maker.reshape(x, {nn::elementCount(shape)});
  Value places = placesOfElements(maker, indices, shape, axis);
  return maker.make<nn::GatherOp>({flat, places}, maker.attr("axis", int64_t(0)));
}

} // namespace dlc::frontend
