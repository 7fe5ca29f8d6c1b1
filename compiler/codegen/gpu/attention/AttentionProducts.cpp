//===- AttentionProducts.cpp - both products of an attention ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries, keys and values lie in shared memory by position, as they mostly do in memory. Shares come from
// registers.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/attention/Attention.h"

using namespace mlir;

namespace dlc::codegen::gpu {

void AttentionCode::placeMemory() {
  auto place = [&](StringRef name, Op op, unsigned operand, int64_t positions, int64_t steps) {
    Type element = kernel.memoryOf(op.getDpsInputOperand(operand)->get())->element;
    if (isHalfWord(element)) // bits are brought as they are
      element = b.getI16Type();
    int64_t pitch = steps + form.padding * warp.perWord();
    Memory memory = sharedMemory(kernel, name, element, {positions, pitch});
    memory.strides = {Index(1), Index(pitch)};
    return memory;
  };
  queries = place("queries", attention.scores, 0, form.getRows(), form.getSteps());
  keyTile = place("keys", attention.scores, 1, form.getKeys(), form.getSteps());
  valueTile = place("values", attention.values, 1, form.getKeys(), form.getColumns());
}

SharedMemoryLoad AttentionCode::loadOf(Op op, unsigned operand, const Memory &memory, Span positions,
                                       Span steps) {
  OpOperand *read = op.getDpsInputOperand(operand);
  Memory source = *kernel.memoryOf(read->get());
  source.element = memory.element;
  return {op, read, source, memory, positions, steps};
}

/// The scores of the warp's queries and the keys that are in shared memory.
Values AttentionCode::multiplyKeys() {
  return warp.multiply(queries, keyTile, form.getSteps(), form.getKeys());
}

/// Adds the values that are in shared memory, weighed by the shares of the warp's rows.
Values AttentionCode::multiplyValues(const Values &probabilities, Values weighed) {
  return warp.addProduct(probabilities, std::move(weighed), valueTile);
}

} // namespace dlc::codegen::gpu
