//===- Sizes.cpp - how many bytes a tensor needs at most -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/plan/Sizes.h"
#include "compiler/support/Elements.h"
#include "dialects/nn/Dims.h"
#include "dialects/train/DimNames.h"

using namespace mlir;

namespace dlc::plan {

int64_t bytesOf(ShapedType type) { return type.getNumElements() * elementBytes(type); }

SmallVector<int64_t> atBound(ArrayRef<nn::Dim> dims, Operation *program) {
  return llvm::map_to_vector(dims, [&](const nn::Dim &dim) { return train::sizeAtBound(dim, program); });
}

int64_t bytesAtBound(Value tensor) {
  auto program = tensor.getDefiningOp()->getParentOfType<train::ProgramOp>();
  int64_t bytes = elementBytes(tensor);
  for (int64_t size : atBound(train::shapeOf(tensor), program))
    bytes *= size;
  return bytes;
}

nn::Shape shapeOf(train::KernelOp kernel, unsigned index, ShapedType type) {
  Attribute names = type.hasStaticShape() ? Attribute() : (*kernel.getArgDims())[index];
  return nn::shapeOf(RankedTensorType::get(type.getShape(), type.getElementType(), names));
}

} // namespace dlc::plan
