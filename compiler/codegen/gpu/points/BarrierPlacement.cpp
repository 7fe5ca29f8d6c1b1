//===- BarrierPlacement.cpp - where the threads of a block need barriers ---===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/points/BarrierPlacement.h"

using namespace mlir;

namespace dlc::codegen::gpu {

// Each of the loops moves the element that is written, so equal ownerships have one thread for an element.
bool Ownership::isSame(const Ownership &other) const {
  auto equal = [](const Index &x, const Index &y) { return x.base == y.base && x.offset == y.offset; };
  return members > 0 && members == other.members && place == other.place &&
         llvm::equal(extents, other.extents, equal);
}

BarrierPlacement::BarrierPlacement(KernelFunction &kernel, bool isAlone)
    : b(kernel.builder()), isAlone(isAlone) {
  train::KernelOp op = kernel.getKernel();
  Block &body = op.getBody().front();
  ArrayRef<int64_t> pairs = kernel.schedule().inplace();
  auto isSamePlace = [](Value x, Value y) {
    auto first = x.getDefiningOp<train::PlaceOp>(), second = y.getDefiningOp<train::PlaceOp>();
    return first.getSymbol() == second.getSymbol() && first.getOffset() == second.getOffset();
  };
  op->getParentOfType<train::ProgramOp>().walk([&](train::LaunchOp launch) {
    for (size_t pair = 0; launch.getKernel() == op.getSymName() && pair < pairs.size(); pair += 2)
      if (isSamePlace(launch.getInputs()[pairs[pair]], launch.getDestinations()[pairs[pair + 1]]))
        overwritten.push_back(
            {body.getArgument(pairs[pair]), body.getTerminator()->getOperand(pairs[pair + 1])});
  });
}

bool BarrierPlacement::needsBarrier(ArrayRef<MemoryAccess> earlier, ArrayRef<MemoryAccess> next) {
  return llvm::any_of(next, [&](const MemoryAccess &y) {
    return llvm::any_of(earlier, [&](const MemoryAccess &x) {
      return (x.isWrite || y.isWrite) && isSame(x.what, y.what) && !y.ownership.isSame(x.ownership);
    });
  });
}

void BarrierPlacement::before(ArrayRef<MemoryAccess> accesses) {
  if (isAlone)
    return;
  if (needsBarrier(since, accesses))
    emitBarrier();
  since.append(accesses.begin(), accesses.end());
}

void BarrierPlacement::emitBarrier() {
  barrier(b);
  since.clear();
}

} // namespace dlc::codegen::gpu
