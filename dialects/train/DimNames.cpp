//===- DimNames.cpp - names of dynamic dims --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain tensors have lost the names of their dims; what made a tensor still knows them.
//===----------------------------------------------------------------------===//
#include "dialects/train/DimNames.h"
#include "dialects/train/BatchParts.h"
#include "dialects/train/Custom.h"
#include "dialects/train/Train.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace train {

// The shape of `type`, whose dynamic dims are `sizes`, in order.
static nn::Shape withSizes(RankedTensorType type, ValueRange sizes) {
  nn::Shape shape;
  for (int64_t size : type.getShape()) {
    if (!ShapedType::isDynamic(size)) {
      shape.push_back(size);
      continue;
    }
    auto dim = sizes.front().getDefiningOp<DimSizeOp>();
    shape.push_back(*nn::Dim::parse(dim.getDim()));
    sizes = sizes.drop_front();
  }
  return shape;
}

static nn::Shape declaredShape(ReadOp read) {
  Operation *declaration =
      SymbolTable::lookupSymbolIn(read->getParentOfType<ProgramOp>(), read.getSymbolAttr());
  if (auto input = dyn_cast<InputOp>(declaration)) {
    nn::Shape shape = nn::shapeOf(input.getType());
    for (nn::Dim &dim : shape)
      dim = sizeIn(read->getParentOfType<FunctionOp>(), dim);
    return shape;
  }
  return nn::shapeOf(cast<StateOp>(declaration).getPhysicalType());
}

static nn::Shape collapsedShape(tensor::CollapseShapeOp collapse) {
  nn::Shape from = shapeOf(collapse.getSrc()), shape;
  for (const ReassociationIndices &group : collapse.getReassociationIndices()) {
    nn::Dim product = 1;
    for (int64_t dim : group)
      product = product * from[dim];
    shape.push_back(product);
  }
  return shape;
}

static nn::Shape launchedShape(LaunchOp launch, OpResult result) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(launch, launch.getKernelAttr());
  auto type = cast<RankedTensorType>(result.getType());
  Attribute names = (*kernel.getArgDims())[launch.getInputs().size() + result.getResultNumber()];
  return nn::shapeOf(RankedTensorType::get(type.getShape(), type.getElementType(), names));
}

static nn::Shape calledShape(CustomCallOp call, OpResult result) {
  auto type = cast<RankedTensorType>(result.getType());
  Attribute names = (*call.getDims())[result.getResultNumber()];
  return nn::shapeOf(RankedTensorType::get(type.getShape(), type.getElementType(), names));
}

// A slice takes named dims whole, and drops those of which it takes one position.
static nn::Shape slicedShape(tensor::ExtractSliceOp slice) {
  nn::Shape from = shapeOf(slice.getSource()), shape;
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  for (auto [dim, size] : llvm::enumerate(slice.getStaticSizes()))
    if (!dropped[dim])
      shape.push_back(ShapedType::isDynamic(size) ? from[dim] : nn::Dim(size));
  return shape;
}

static nn::Shape joinedShape(JoinOp join) {
  nn::Shape shape = shapeOf(join.getParts().front());
  nn::Dim size = cast<RankedTensorType>(join.getWhole().getType()).getDimSize(join.getAxis());
  if (join.lacksAxis(0))
    shape.insert(shape.begin() + join.getAxis(), size);
  else
    shape[join.getAxis()] = size;
  return shape;
}

nn::Shape shapeOf(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.hasStaticShape())
    return nn::shapeOf(type);
  Operation *producer = tensor.getDefiningOp();
  if (auto read = dyn_cast<ReadOp>(producer))
    return declaredShape(read);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(producer))
    return collapsedShape(collapse);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(producer))
    return withSizes(type, expand.getOutputShape());
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(producer))
    return slicedShape(slice);
  if (auto join = dyn_cast<JoinOp>(producer))
    return joinedShape(join);
  if (auto empty = dyn_cast<tensor::EmptyOp>(producer))
    return withSizes(type, empty.getDynamicSizes());
  if (auto fill = dyn_cast<linalg::FillOp>(producer))
    return shapeOf(fill.getOutputs()[0]);
  if (auto launch = dyn_cast<LaunchOp>(producer))
    return launchedShape(launch, cast<OpResult>(tensor));
  if (auto call = dyn_cast<CustomCallOp>(producer))
    return calledShape(call, cast<OpResult>(tensor));
  auto generic = cast<linalg::GenericOp>(producer);
  return shapeOf(generic.getDpsInits()[cast<OpResult>(tensor).getResultNumber()]);
}

int64_t sizeAtBound(const nn::Dim &dim, Operation *program) {
  int64_t size = dim.factor;
  for (const std::string &name : dim.names)
    size = nn::saturatingMultiply(size, cast<DimOp>(SymbolTable::lookupSymbolIn(program, name)).getBound());
  return size;
}

nn::Dim sizeIn(FunctionOp function, const nn::Dim &dim) {
  FunctionKind kind = function.getKind();
  bool trains = kind != FunctionKind::Forward && kind != FunctionKind::Evaluate &&
                kind != FunctionKind::EvalStep && kind != FunctionKind::Predict;
  bool isForAnySize = kind == FunctionKind::TrainStepN || kind == FunctionKind::GradStepN ||
                      kind == FunctionKind::AccumulateN;
  if (!trains)
    return dim;
  nn::Dim size = dim.factor;
  for (const std::string &name : dim.names) {
    auto declared = cast<DimOp>(SymbolTable::lookupSymbolIn(function->getParentOfType<ProgramOp>(), name));
    auto program = function->getParentOfType<ProgramOp>();
    bool stays = isForAnySize && declared.getOpen();
    bool isPart = function.getOnePart() && declared == batchDim(program);
    int64_t bound = declared.getBound() / (isPart ? batchPartsOf(program) : 1);
    size = size * (stays ? *nn::Dim::parse(name) : nn::Dim(bound));
  }
  return size;
}

Attribute dimNames(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.hasStaticShape())
    return UnitAttr::get(type.getContext());
  return nn::tensorType(shapeOf(tensor), type.getElementType()).getEncoding();
}

} // namespace train
