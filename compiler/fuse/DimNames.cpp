//===- DimNames.cpp - names of dynamic dims -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain tensors have lost the names of their dims; what made a tensor still knows them.
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Generics.h"

namespace dlc::fuse {

// The shape of `type`, whose dynamic dims are `sizes`, in order.
static nn::Shape withSizes(mlir::RankedTensorType type, ValueRange sizes) {
  nn::Shape shape;
  for (int64_t size : type.getShape()) {
    if (!mlir::ShapedType::isDynamic(size)) {
      shape.push_back(size);
      continue;
    }
    auto dim = sizes.front().getDefiningOp<train::DimSizeOp>();
    shape.push_back(*nn::Dim::parse(dim.getDim()));
    sizes = sizes.drop_front();
  }
  return shape;
}

static nn::Shape declaredShape(train::ReadOp read) {
  Operation *declaration =
      mlir::SymbolTable::lookupSymbolIn(read->getParentOfType<train::ProgramOp>(), read.getSymbolAttr());
  if (auto input = mlir::dyn_cast<train::InputOp>(declaration))
    return nn::shapeOf(input.getType());
  return nn::shapeOf(mlir::cast<train::StateOp>(declaration).getPhysicalType());
}

static nn::Shape collapsedShape(mlir::tensor::CollapseShapeOp collapse) {
  nn::Shape from = shapeOf(collapse.getSrc()), shape;
  for (const mlir::ReassociationIndices &group : collapse.getReassociationIndices()) {
    nn::Dim product = 1;
    for (int64_t dim : group)
      product = product * from[dim];
    shape.push_back(product);
  }
  return shape;
}

static nn::Shape launchedShape(train::LaunchOp launch, OpResult result) {
  auto kernel = mlir::SymbolTable::lookupNearestSymbolFrom<train::KernelOp>(launch, launch.getKernelAttr());
  auto type = mlir::cast<mlir::RankedTensorType>(result.getType());
  mlir::Attribute names = (*kernel.getArgDims())[launch.getInputs().size() + result.getResultNumber()];
  return nn::shapeOf(mlir::RankedTensorType::get(type.getShape(), type.getElementType(), names));
}

nn::Shape shapeOf(Value tensor) {
  auto type = mlir::cast<mlir::RankedTensorType>(tensor.getType());
  if (type.hasStaticShape())
    return nn::shapeOf(type);
  Operation *producer = tensor.getDefiningOp();
  if (auto read = mlir::dyn_cast<train::ReadOp>(producer))
    return declaredShape(read);
  if (auto collapse = mlir::dyn_cast<mlir::tensor::CollapseShapeOp>(producer))
    return collapsedShape(collapse);
  if (auto expand = mlir::dyn_cast<mlir::tensor::ExpandShapeOp>(producer))
    return withSizes(type, expand.getOutputShape());
  if (auto empty = mlir::dyn_cast<mlir::tensor::EmptyOp>(producer))
    return withSizes(type, empty.getDynamicSizes());
  if (auto fill = mlir::dyn_cast<mlir::linalg::FillOp>(producer))
    return shapeOf(fill.getOutputs()[0]);
  if (auto launch = mlir::dyn_cast<train::LaunchOp>(producer))
    return launchedShape(launch, mlir::cast<OpResult>(tensor));
  auto generic = mlir::cast<GenericOp>(producer);
  return shapeOf(generic.getDpsInits()[mlir::cast<OpResult>(tensor).getResultNumber()]);
}

mlir::Attribute dimNames(Value tensor) {
  auto type = mlir::cast<mlir::RankedTensorType>(tensor.getType());
  if (type.hasStaticShape())
    return mlir::UnitAttr::get(type.getContext());
  return nn::tensorType(shapeOf(tensor), type.getElementType()).getEncoding();
}

} // namespace dlc::fuse
