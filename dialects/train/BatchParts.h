//===- BatchParts.h - training steps that go over a batch in parts ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between the stages backward and plan, such a program has functions that work on one part of a batch, and
// the functions that train name those that come before their own operations. How it comes about, and why:
// docs/rationale/memory.md.
//
// One part is that of a rank, a process of several that have a batch together: the other parts are theirs
// (docs/rationale/ranks.md).
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_TRAIN_BATCHPARTS_H
#define DLC_DIALECTS_TRAIN_BATCHPARTS_H

#include "dialects/train/Train.h"

namespace train {

/// In how many parts the program's training functions go over a batch.
inline int64_t batchPartsOf(ProgramOp program) { return program.getBatchParts().value_or(1); }

/// Whether training functions go over the part of a batch that one of several processes has.
inline bool isOfRank(ProgramOp program) { return program.getBatchParts() == 1; }

/// The batch is the dim that is declared first; null where none is.
inline DimOp batchDim(ProgramOp program) {
  auto dims = program.getBody().getOps<DimOp>();
  return dims.empty() ? DimOp() : *dims.begin();
}

/// Whether a part of this input is a run of its elements: its first dim, and no other, is of the batch.
inline bool isCutByBatch(InputOp input) {
  DimOp batch = batchDim(input->getParentOfType<ProgramOp>());
  nn::Shape shape = nn::shapeOf(input.getType());
  auto isOfBatch = [&](const nn::Dim &dim) { return llvm::is_contained(dim.names, batch.getSymName()); };
  return batch && llvm::count_if(shape, isOfBatch) == 1 && isOfBatch(shape.front());
}

} // namespace train

#endif // DLC_DIALECTS_TRAIN_BATCHPARTS_H
