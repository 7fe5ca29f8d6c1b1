//===- BatchParts.h - training steps that go over a batch in parts ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between the stages backward and plan, such a program has functions that work on one part of a batch, and
// the functions that train name those that come before their own operations. How it comes about, and why:
// docs/rationale/memory.md.
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_TRAIN_BATCHPARTS_H
#define DLC_DIALECTS_TRAIN_BATCHPARTS_H

#include "compiler/support/Attributes.h"
#include "dialects/train/Train.h"

namespace train {

/// Of a program: in how many parts its training functions go over a batch, if not in one. After the stage
/// plan also of these functions.
inline constexpr llvm::StringLiteral batchPartsName = "batch_parts";
/// Marks a function that works on one part.
inline constexpr llvm::StringLiteral onePartName = "one_part";
/// Of a function: what it does before its own operations, pairs of such a function and the part's number.
inline constexpr llvm::StringLiteral phasesName = "phases";
/// Marks the state to which each part adds its share of the loss.
inline constexpr llvm::StringLiteral partLossName = "part_loss";

inline int64_t batchPartsOf(mlir::Operation *op) { return dlc::numberOf(op, batchPartsName, 1); }

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
