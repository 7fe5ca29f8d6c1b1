//===- TransientProducts.cpp - products of transient matrices ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All operands lie in shared memory by position: products that make elements sum up along the numbers of a
// position, those that take them up along the positions. What both read is there once: keys are an operand of
// the scores and of the gradient of queries.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/attention/Transient.h"

using namespace mlir;

namespace dlc::codegen::gpu {

void TransientCode::placeMemory() {
  for (auto [number, tiled] : llvm::enumerate(transient.operands)) {
    auto [op, operand] = tiled.readers.front();
    SharedTile shared;
    const int64_t side = tiled.isKept ? keptLoop() : otherLoop();
    for (auto [loop, extent] : llvm::enumerate(kernel.loopExtents(op)))
      if (int64_t is = transient.loops[op][loop]; is < 0)
        shared.numbers.add(b, loop, extent);
      else if (is == side)
        shared.positions.add(b, loop, extent);
    Type element = kernel.memoryOf(op.getInputs()[operand])->element;
    if (isHalfWord(element)) // bits are brought as they are
      element = b.getI16Type();
    const int64_t positions = tiled.isKept ? form.getRows() : form.getAlong(),
                  pitch = tiled.numbers + form.padding * warp.perWord();
    std::string name = (tiled.isKept ? "kept" : "brought") + std::to_string(number);
    shared.memory = sharedMemory(kernel, name, element, {positions, pitch});
    shared.memory.strides = {Index(1), Index(pitch)};
    sharedTiles.push_back(std::move(shared));
  }
}

/// To shared memory, what products read of some positions of a side.
void TransientCode::bring(bool isKept, Index first) {
  for (auto [tiled, shared] : llvm::zip_equal(transient.operands, sharedTiles)) {
    if (tiled.isKept != isKept)
      continue;
    auto [op, operand] = tiled.readers.front();
    OpOperand *read = op.getDpsInputOperand(operand);
    Memory source = *kernel.memoryOf(read->get());
    source.element = shared.memory.element;
    SharedMemoryLoad load{op,
                          read,
                          source,
                          shared.memory,
                          {&shared.positions, first, isKept ? form.getRows() : form.getAlong()},
                          {&shared.numbers, Index(0), tiled.numbers}};
    load.emit(b, pointOf(op, Index(0), Index(0)), warp.thread, schedule.getThreads(), /*inFlight=*/8);
  }
}

/// The elements of the warp's rows in the tile.
Values TransientCode::make(Op maker) {
  const size_t kept = transient.operandNumber(maker, transient.operandAlong(maker, transient.kept)),
               other = transient.operandNumber(maker, transient.operandAlong(maker, 1 - transient.kept));
  return warp.multiply(sharedTiles[kept].memory, sharedTiles[other].memory, transient.operands[kept].numbers,
                       form.getAlong());
}

Values TransientCode::addProduct(Op end, const Values &elements, Values sums) {
  const Memory &memory = sharedTiles[transient.operandNumber(end, transient.otherOperand(end))].memory;
  return warp.addProduct(elements, std::move(sums), memory);
}

} // namespace dlc::codegen::gpu
