//===- Classes.cpp - what losses with classes compare labels with ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/nn/Classes.h"
#include "dialects/nn/Dims.h"

namespace nn {

static Expr labelsOfRows(Expr x, Expr flat) {
  Shape shape = shapeOf(x.type());
  shape[1] = 1;
  return reshape(flat, tensorType(shape, flat.elementType()));
}

static Expr alongClassesOf(Expr x, Expr perClass) {
  if (x.rank() == 2)
    return perClass;
  Shape shape(x.rank() - 1, Dim(1));
  shape[0] = x.type().getDimSize(1);
  return reshape(perClass, tensorType(shape, perClass.elementType()));
}

static Expr classNumbers(Expr x, mlir::Type type) {
  mlir::ImplicitLocOpBuilder &builder = x.getBuilder();
  return {builder, IotaOp::create(builder, tensorType({Dim(x.type().getDimSize(1))}, type), /*axis=*/0)};
}

Classes::Classes(Expr x, Expr flat)
    : x(x), labels(labelsOfRows(x, flat)),
      isLabel(equal(labels, alongClassesOf(x, classNumbers(x, labels.elementType())))) {}

Expr Classes::isIgnored(int64_t index) const {
  mlir::ImplicitLocOpBuilder &builder = x.getBuilder();
  mlir::Attribute number = builder.getIntegerAttr(labels.elementType(), index);
  auto value = mlir::DenseElementsAttr::get(mlir::RankedTensorType::get({}, labels.elementType()), number);
  return equal(labels, {builder, ConstantOp::create(builder, value)});
}

Expr Classes::alongClasses(Expr perClass) const { return alongClassesOf(x, perClass); }

} // namespace nn
