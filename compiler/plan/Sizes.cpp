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

int64_t bytesAtBound(train::KernelOp kernel, unsigned index, ShapedType type) {
  if (type.hasStaticShape())
    return bytesOf(type);
  return bytesAtBound(kernel->getParentOfType<train::ProgramOp>(), (*kernel.getArgDims())[index], type);
}

int64_t bytesAtBound(train::ProgramOp program, Attribute dims, ShapedType type) {
  auto names = cast<nn::DimsAttr>(dims).getNames();
  int64_t bytes = elementBytes(type);
  for (auto [size, name] : llvm::zip_equal(type.getShape(), names)) {
    if (!ShapedType::isDynamic(size)) {
      bytes *= size;
      continue;
    }
    bytes *= train::sizeAtBound(*nn::Dim::parse(name.getValue()), program);
  }
  return bytes;
}

} // namespace dlc::plan
