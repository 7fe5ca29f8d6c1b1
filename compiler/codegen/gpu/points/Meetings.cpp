//===- Meetings.cpp - where threads of a block must meet -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/points/Meetings.h"

using namespace mlir;

namespace dlc::codegen::gpu {

// The place of what is written has each of the loops, so equal spreads have one thread for an element.
bool Spread::isSame(const Spread &other) const {
  auto equal = [](const Index &x, const Index &y) { return x.base == y.base && x.offset == y.offset; };
  return members > 0 && members == other.members && place == other.place &&
         llvm::equal(extents, other.extents, equal);
}

Meetings::Meetings(KernelFunction &kernel, bool isAlone) : b(kernel.builder()), isAlone(isAlone) {
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

bool Meetings::mustMeet(ArrayRef<Touch> earlier, ArrayRef<Touch> next) {
  return llvm::any_of(next, [&](const Touch &y) {
    return llvm::any_of(earlier, [&](const Touch &x) {
      return (x.isWrite || y.isWrite) && isSame(x.what, y.what) && !y.spread.isSame(x.spread);
    });
  });
}

void Meetings::before(ArrayRef<Touch> touches) {
  if (isAlone)
    return;
  if (mustMeet(since, touches))
    meet();
  since.append(touches.begin(), touches.end());
}

void Meetings::meet() {
  barrier(b);
  since.clear();
}

} // namespace dlc::codegen::gpu
