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
  for (auto [number, part] : llvm::enumerate(transient.parts)) {
    auto [op, operand] = part.readers.front();
    Place place;
    const int64_t side = part.isKept ? keptLoop() : otherLoop();
    for (auto [loop, extent] : llvm::enumerate(kernel.loopExtents(op)))
      if (int64_t is = transient.loops[op][loop]; is < 0)
        place.numbers.add(b, loop, extent);
      else if (is == side)
        place.positions.add(b, loop, extent);
    Type element = kernel.memoryOf(op.getInputs()[operand])->element;
    if (isHalfWord(element)) // bits are brought as they are
      element = b.getI16Type();
    const int64_t positions = part.isKept ? form.getRows() : form.getAlong(),
                  pitch = part.numbers + form.padding * warp.perWord();
    std::string name = (part.isKept ? "kept" : "brought") + std::to_string(number);
    place.memory = sharedMemory(kernel, name, element, {positions, pitch});
    place.memory.strides = {Index(1), Index(pitch)};
    places.push_back(std::move(place));
  }
}

/// To shared memory, what products read of some positions of a side.
void TransientCode::bring(bool isKept, Index first) {
  for (auto [part, place] : llvm::zip_equal(transient.parts, places)) {
    if (part.isKept != isKept)
      continue;
    auto [op, operand] = part.readers.front();
    OpOperand *read = op.getDpsInputOperand(operand);
    Memory source = *kernel.memoryOf(read->get());
    source.element = place.memory.element;
    Bringing bringing{op,
                      read,
                      source,
                      place.memory,
                      {&place.positions, first, isKept ? form.getRows() : form.getAlong()},
                      {&place.numbers, Index(0), part.numbers}};
    bringing.emit(b, pointOf(op, Index(0), Index(0)), warp.thread, schedule.getThreads(), /*together=*/8);
  }
}

/// The elements of the warp's rows in the tile.
Values TransientCode::make(Op maker) {
  const size_t kept = transient.partOf(maker, transient.operandAlong(maker, transient.kept)),
               other = transient.partOf(maker, transient.operandAlong(maker, 1 - transient.kept));
  return warp.multiply(places[kept].memory, places[other].memory, transient.parts[kept].numbers,
                       form.getAlong());
}

Values TransientCode::addProduct(Op end, const Values &elements, Values sums) {
  const Memory &memory = places[transient.partOf(end, transient.otherOperand(end))].memory;
  return warp.addProduct(elements, std::move(sums), memory);
}

} // namespace dlc::codegen::gpu
