//===- Memory.cpp - where a tensor's elements lie --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/kernel/Memory.h"
#include "compiler/support/Elements.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace dlc::codegen {

llvm::SmallVector<Index, 4> rowMajor(llvm::ArrayRef<int64_t> sizes, int64_t step) {
  llvm::SmallVector<Index, 4> strides(sizes.size(), Index(0));
  for (size_t axis = sizes.size(); axis-- > 0;)
    if (sizes[axis] != 0) {
      strides[axis] = Index(step);
      step *= sizes[axis];
    }
  return strides;
}

Memory asBits(Builder &b, Memory memory) {
  assert(isHalfWord(memory.element));
  memory.element = b.getI16Type();
  return memory;
}

mlir::Value pointerAt(Builder &b, mlir::Value pointer, Index bytes) {
  return mlir::LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer,
                                   mlir::ValueRange{bytes.materialize(b)});
}

} // namespace dlc::codegen
