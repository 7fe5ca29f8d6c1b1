//===- Rows.cpp - rows that stay in registers ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/machine/gpu/Rows.h"
#include "compiler/support/Elements.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace dlc::gpu {

// Elements of one tensor's row in a thread: with more, another row has to wait too long for its turn.
static constexpr int64_t mostTurns = 16;
// Bytes of a thread's registers that rows take at most, a quarter of them: the rest is for addresses and
// functions, and for as many threads as memory needs to be kept busy.
static constexpr int64_t mostBytes = 256;

/// The sizes of the loops along which threads have elements in turns, or terms of the one sum of a point;
/// none: they have others.
static SmallVector<int64_t> rowOf(linalg::GenericOp op, int64_t shared, int64_t members, int64_t partials) {
  if (op.hasDynamicShape())
    return {};
  const SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  const ArrayRef<int64_t> all(sizes);
  const int64_t parallel = op.getNumParallelLoops();
  if (partials > 1)
    return partials == members && parallel == shared ? SmallVector<int64_t>(all.drop_front(parallel))
                                                     : SmallVector<int64_t>();
  return op.getNumReductionLoops() == 0 ? SmallVector<int64_t>(all.drop_front(shared))
                                        : SmallVector<int64_t>();
}

Rows::Rows(train::KernelOp kernel, int64_t members, ArrayRef<int64_t> partials) {
  if (members == 1)
    return;
  const int64_t shared = kernel.getShared().value_or(0);
  SmallVector<int64_t> row;
  for (auto [i, op] : llvm::enumerate(kernel.getBody().front().getOps<linalg::GenericOp>())) {
    SmallVector<int64_t> sizes = rowOf(op, shared, members, partials.empty() ? 1 : partials[i]);
    if (row.empty())
      row = sizes;
    if (!sizes.empty() && sizes == row)
      along.push_back(op);
  }
  int64_t elements = 1;
  for (int64_t size : row)
    elements *= size;
  if (along.size() < 2 || elements % members || elements / members < 1 || elements / members > mostTurns)
    return;
  count = elements / members;
  if (mostKept(shared) > mostBytes)
    count = 0;
}

/// The most bytes that a thread keeps of all rows at a time: each from the first operation that has it to the
/// last.
int64_t Rows::mostKept(int64_t shared) const {
  llvm::MapVector<std::pair<Value, AffineMap>, std::pair<size_t, size_t>> lives;
  auto isOfRow = [&](AffineMap map) {
    return llvm::any_of(llvm::seq<unsigned>(shared, map.getNumDims()),
                        [&](unsigned loop) { return map.isFunctionOfDim(loop); });
  };
  auto touch = [&](Value tensor, AffineMap map, size_t number) {
    lives.try_emplace({tensor, map}, number, number).first->second.second = number;
  };
  for (size_t number = 0; number < along.size(); ++number) {
    linalg::GenericOp op = along[number];
    for (OpOperand *input : op.getDpsInputOperands())
      touch(input->get(), op.getMatchingIndexingMap(input), number);
    for (OpResult result : op->getResults())
      touch(result, op.getIndexingMapMatchingResult(result), number);
  }
  int64_t most = 0;
  for (size_t number = 0; number < along.size(); ++number) {
    int64_t bytes = 0;
    for (const auto &[what, life] : lives)
      if (life.first <= number && number < life.second)
        bytes += (isOfRow(what.second) ? count : 1) * std::max<int64_t>(elementBytes(what.first), 4);
    most = std::max(most, bytes);
  }
  return most;
}

bool Rows::isKept(OpResult result) const {
  auto maker = dyn_cast<linalg::GenericOp>(result.getOwner());
  if (count == 0 || !maker || maker.getNumReductionLoops() > 0 || !isAlong(maker))
    return false;
  const AffineMap made = maker.getIndexingMapMatchingResult(result);
  return llvm::all_of(result.getUses(), [&](OpOperand &use) {
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    return reader && isAlong(reader) && reader.isDpsInput(&use) &&
           reader.getMatchingIndexingMap(&use) == made;
  });
}

} // namespace dlc::gpu
