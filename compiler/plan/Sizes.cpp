//===- Sizes.cpp - how many bytes a tensor needs at most -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/plan/Sizes.h"
#include "dialects/nn/Dims.h"

using namespace mlir;

namespace dlc::plan {

static int64_t elementBytes(Type elementType) {
  return elementType.isInteger(1) ? 1 : elementType.getIntOrFloatBitWidth() / 8;
}

int64_t bytesOf(ShapedType type) { return type.getNumElements() * elementBytes(type.getElementType()); }

int64_t bytesAtBound(train::KernelOp kernel, unsigned index, ShapedType type) {
  if (type.hasStaticShape())
    return bytesOf(type);
  return bytesAtBound(kernel->getParentOfType<train::ProgramOp>(), (*kernel.getArgDims())[index], type);
}

int64_t bytesAtBound(train::ProgramOp program, Attribute dims, ShapedType type) {
  auto names = cast<nn::DimsAttr>(dims).getNames();
  int64_t bytes = elementBytes(type.getElementType());
  for (auto [size, name] : llvm::zip_equal(type.getShape(), names)) {
    if (!ShapedType::isDynamic(size)) {
      bytes *= size;
      continue;
    }
    std::optional<nn::Dim> dim = nn::Dim::parse(name.getValue());
    bytes *= dim->factor;
    for (const std::string &factor : dim->names)
      bytes *= cast<train::DimOp>(SymbolTable::lookupSymbolIn(program, factor)).getBound();
  }
  return bytes;
}

} // namespace dlc::plan
