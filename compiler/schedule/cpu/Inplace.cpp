//===- Inplace.cpp - which outputs may take the place of which inputs ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An output may overwrite an input if every element of the input is read for the last time at the point
// where the output's element of the same place is written: the input is read by the operation that makes
// the output, at the same place, or by earlier operations of the kernel, within the same point of the
// shared loops.
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/schedule/cpu/Stages.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace dlc::schedule {
namespace {

/// Whether both maps have the shared loops at the same axes, and only there. What is written has each of them
/// at an axis (verified by fuse), so neighbours do not read what this point overwrites.
bool samePlaceOfShared(AffineMap x, AffineMap y, int64_t shared) {
  if (x.getNumResults() != y.getNumResults())
    return false;
  for (auto [a, b] : llvm::zip(x.getResults(), y.getResults())) {
    bool sharedA = false, sharedB = false;
    for (int64_t loop = 0; loop < shared; ++loop) {
      sharedA |= a.isFunctionOfDim(loop);
      sharedB |= b.isFunctionOfDim(loop);
    }
    if (sharedA != sharedB || (sharedA && a != b))
      return false;
  }
  return true;
}

bool mayShare(train::KernelOp kernel, BlockArgument input, OpResult output, unsigned position) {
  auto maker = dyn_cast<linalg::GenericOp>(output.getOwner());
  if (!maker || input.getType() != output.getType())
    return false;
  // Parts of larger tensors have memory in those, which no other tensor may share.
  if (kernel.stridesOf(input.getArgNumber()) ||
      kernel.stridesOf(kernel.getBody().getNumArguments() + position))
    return false;
  AffineMap written = maker.getMatchingIndexingMap(maker.getDpsInitOperand(output.getResultNumber()));
  // A reader and its producer in one kernel step share more loops than the steps do, but in a contraction
  // they run tile by tile.
  SmallVector<analysis::Step> steps = analysis::stepsOf(kernel);
  auto makers =
      *llvm::find_if(steps, [&](const analysis::Step &step) { return llvm::is_contained(step, maker); });
  bool isContraction =
      steps.size() > 1 ? analysis::isContraction(makers.front()) : bool(analysis::productOf(kernel));
  for (OpOperand &use : input.getUses()) {
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!reader)
      return false; // read at computed places
    AffineMap read = reader.getMatchingIndexingMap(&use);
    if (reader == maker) {
      if (read != written || maker.getNumReductionLoops() != 0)
        return false;
      continue;
    }
    bool isSameStep = llvm::is_contained(makers, reader);
    int64_t shared =
        isSameStep && steps.size() > 1 ? analysis::sharedIn(makers) : kernel.getShared().value_or(0);
    if ((isContraction && isSameStep) || !reader->isBeforeInBlock(maker) ||
        !samePlaceOfShared(read, written, shared))
      return false;
  }
  return true;
}

} // namespace

SmallVector<int64_t> inplacePairs(train::KernelOp kernel) {
  SmallVector<int64_t> pairs;
  Block &body = kernel.getBody().front();
  for (auto [position, yielded] : llvm::enumerate(body.getTerminator()->getOperands()))
    for (BlockArgument input : body.getArguments())
      if (auto output = dyn_cast<OpResult>(yielded); output && mayShare(kernel, input, output, position)) {
        pairs.push_back(input.getArgNumber());
        pairs.push_back(position);
      }
  return pairs;
}

} // namespace dlc::schedule
