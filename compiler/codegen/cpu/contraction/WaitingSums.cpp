//===- WaitingSums.cpp - a tile's sums on the stack ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/contraction/WaitingSums.h"
#include "compiler/support/Elements.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace dlc::codegen {

WaitingSums::WaitingSums(Builder &b, Block &entry, Type element, int64_t rows, int64_t vectors, int64_t lanes)
    : b(b), vectors(vectors), lanes(lanes) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&entry);
  int64_t width = vectors * lanes;
  Value pointer = LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), element,
                                         constantI64(b, rows * width), 64);
  memory = {pointer, element, {Index(width), Index(1)}};
}

Access WaitingSums::access() const {
  return Access(b, memory, AffineMap::getMultiDimIdentityMap(2, b.getContext()));
}

Point WaitingSums::place(Index row, int64_t vector, int64_t count) const {
  return Point{{row, Index(vector * lanes)}, 1, count * lanes, Value()};
}

void WaitingSums::keep(ArrayRef<Value> sums) {
  Access to = access();
  for (auto [number, sum] : llvm::enumerate(sums))
    to.store(b, place(Index(number / vectors), number % vectors, 1), sum);
}

void WaitingSums::store(Index row, int64_t vector, Value sum) {
  access().store(b, place(row, vector, 1), sum);
}

Value WaitingSums::address(Index row, int64_t vector) { return access().address(b, place(row, vector, 1)); }

int64_t WaitingSums::bytesBetweenRows() const { return vectors * lanes * elementBytes(memory.element); }

Value WaitingSums::load(Index row, int64_t vector, int64_t count) {
  return access().load(b, place(row, vector, count));
}

} // namespace dlc::codegen
