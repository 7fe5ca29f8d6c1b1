//===- Temporaries.cpp - what operations of a kernel hand to each other ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/loops/Temporaries.h"
#include "compiler/analysis/KernelSizes.h"
#include "compiler/codegen/cpu/VectorLoops.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace dlc::codegen {

Temporaries::Temporaries(KernelFunction &kernel)
    : kernel(kernel), b(kernel.builder()), lanes(scheduleOf(kernel).getLanes()) {
  cpu::ColumnsAttr columns = scheduleOf(kernel).columns();
  vectors = columns ? columns.getVectors() : 1;
  lanesShared = columns && lanes > 1;
}

void Temporaries::place(Value chunkScratch) {
  const int64_t width = lanesShared ? lanes * vectors : 1, shared = kernel.shared();
  int64_t offset = 0;
  for (const analysis::Temporary &temporary :
       analysis::temporariesOf(kernel.getKernel(), kernel.operations(), shared)) {
    Memory memory{Value(), getElementTypeOrSelf(temporary.result.getType()),
                  rowMajor(temporary.sizes, width)};
    auto op = cast<linalg::GenericOp>(temporary.result.getOwner());
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(temporary.result.getResultNumber()));
    for (auto [axis, size] : llvm::enumerate(temporary.sizes))
      if (lanesShared && size == 0 && map.getResult(axis) == b.getAffineDimExpr(shared - 1))
        memory.strides[axis] = Index(1);
    int64_t bytes = temporary.bytes(width, lanes);
    memory.pointer = chunkScratch ? pointerAt(b, chunkScratch, Index(offset)) : onStack(bytes);
    offset += bytes;
    memories[temporary.result] = memory;
  }
}

const Memory *Temporaries::find(Value tensor) const {
  auto it = memories.find(tensor);
  return it == memories.end() ? nullptr : &it->second;
}

Point Temporaries::at(const Point &point, unsigned which) const {
  Point result = point;
  result.mask = Value();
  if (lanesShared)
    result.loops[kernel.shared() - 1] = Index(int64_t(which) * lanes);
  return result;
}

Value Temporaries::onStack(int64_t bytes) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.entry());
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  return LLVM::AllocaOp::create(b, pointer, b.getI8Type(), constantI64(b, bytes), 64);
}

} // namespace dlc::codegen
