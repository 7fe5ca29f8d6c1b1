//===- Contraction.cpp - register tiles of a contraction -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/Chunks.h"
#include "compiler/schedule/cpu/ContractionChoice.h"
#include "compiler/support/Elements.h"
#include "compiler/target/cpu/RandomMasks.h"
#include "compiler/target/cpu/Scratch.h"
#include "dialects/train/KernelSizes.h"
#include <algorithm>

using namespace mlir;

namespace dlc::schedule {

// Shorter reduction loops gain nothing from unrolling.
static constexpr int64_t longLoop = 32;

std::optional<int64_t> ContractionChoice::stride(OpOperand *operand, int64_t loop) const {
  return strideAlong(kernel, root.getMatchingIndexingMap(operand), operand->get(), loop);
}

int64_t ContractionChoice::steps() const {
  int64_t steps = 1;
  for (int64_t loop = root.getNumParallelLoops(); loop < int64_t(bounds.size()); ++loop)
    steps *= bounds[loop];
  return steps;
}

int64_t ContractionChoice::products() const {
  int64_t products = 1;
  for (int64_t bound : bounds)
    products *= bound;
  return products;
}

int64_t ContractionChoice::sizeOfChunk(int64_t loop) const {
  for (cpu::SplitAttr cut : split)
    if (cut.getLoop() == loop)
      return cut.getSize();
  return bounds[loop];
}

int64_t ContractionChoice::sumsBytes() const {
  int64_t sums = 1;
  for (int64_t loop = 0; loop < int64_t(root.getNumParallelLoops()); ++loop)
    sums *= sizeOfChunk(loop);
  return sums * elementBytes(root.getResult(0));
}

std::pair<OpOperand *, OpOperand *> ContractionChoice::columnsAndRows() const {
  OpOperand *columns = root.getDpsInputOperand(0), *other = root.getDpsInputOperand(1);
  if (stride(columns, lane) == 0)
    std::swap(columns, other);
  bool areSuch =
      row >= 0 && stride(columns, lane) != 0 && stride(columns, row) == 0 && stride(other, lane) == 0;
  return areSuch ? std::pair(columns, other) : std::pair<OpOperand *, OpOperand *>();
}

ContractionChoice::ContractionChoice(train::KernelOp kernel, const CpuTarget &target)
    : kernel(kernel), root(train::productOf(kernel)), target(target), bounds(train::loopBounds(kernel, root)),
      lane(laneLoopOf(kernel)) {
  if (lane < 0)
    return;
  row = rowLoopOf(*this);
  this->target.lanes = target.lanesFor(bounds[lane]);
  pairs = pairedLoopOf(root, this->target);
}

/// Chooses the register tile. The broadcast element of a row, a row of vectors of the other operand and all
/// accumulators must fit the registers; eight or more accumulators hide the latency of a multiply-add.
static void chooseTile(ContractionChoice &choice) {
  const CpuTarget &target = choice.target;
  choice.vectors =
      std::min<int64_t>(llvm::divideCeil(choice.bounds[choice.lane], target.lanes), target.costs.tileVectors);
  auto accumulators = [&] { return target.registers - choice.vectors - 1; };
  int64_t rows =
      choice.vectors == target.costs.tileVectors ? target.costs.tileRows : target.costs.narrowTileRows;
  choice.masks = choice.target.costs.masksFirst && hasMasks(choice);
  // Eight rows share the words of their random bits, so that tiles of eight rows draw each word once.
  if (drawsRandomBits(choice.kernel) && !choice.masks)
    rows = cpu::rowsOfWords;
  while (rows * choice.vectors > accumulators())
    choice.vectors /= 2;
  choice.rows = std::max<int64_t>(1, std::min(rows, choice.row >= 0 ? choice.bounds[choice.row] : 1));
  // The weight gradient of a depthwise convolution reads both operands once for each column of tiles: whole
  // rows of channels come from memory at its full rate, pieces of them do not.
  if (train::isDepthwise(choice.root) && choice.steps() > CpuCosts::smallSteps) {
    const int64_t all = llvm::divideCeil(choice.bounds[choice.lane], target.lanes);
    const int64_t most = std::max<int64_t>(choice.vectors, (target.registers - 1) / (choice.rows + 1));
    choice.vectors = llvm::divideCeil(all, llvm::divideCeil(all, most));
  }
}

/// The gradient by an image meets the window's elements from the last one on. The caches fetch ahead what
/// lies behind, so the loops over them run backwards: from one element to the next, rows then go on where
/// they are.
static void chooseDirections(ContractionChoice &choice) {
  OpOperand *rows = choice.columnsAndRows().second;
  if (!rows || choice.root.getNumReductionLoops() == 1)
    return;
  for (int64_t loop = choice.root.getNumParallelLoops(); loop < int64_t(choice.bounds.size()); ++loop)
    if (choice.stride(rows, loop).value_or(0) < 0)
      choice.descending.push_back(loop);
}

static void chooseForVectors(ContractionChoice &choice) {
  chooseSplit(choice);
  choice.sideBySide = runsSideBySide(choice);
  choosePipeline(choice);
  chooseBlocks(choice);
  chooseDirections(choice);
  choice.fetch = fetchedAhead(choice);
  if (choice.bounds.back() >= longLoop)
    choice.unroll = choice.target.costs.unrolledSteps;
}

cpu::ScheduleAttr contractionSchedule(train::KernelOp kernel, const CpuTarget &target) {
  ContractionChoice choice(kernel, target);
  const bool usesUnit = choice.lane >= 0 && runsOnMatrixUnit(choice);
  // A product with a vector, or down to one number, runs its vectors along the reduction.
  bool strided = llvm::any_of(choice.root.getDpsInputOperands(), [&](OpOperand *operand) {
    auto stride = choice.stride(operand, choice.lane);
    return stride != 0 && stride != 1;
  });
  if (strided && train::isDepthwise(choice.root))
    return loopSchedule(kernel, target);
  if (usesUnit) {
    chooseForMatrixUnit(choice);
  } else {
    if (choice.lane >= 0)
      chooseTile(choice);
    if (choice.lane < 0 || (strided && choice.steps() > shortReduction && !isLarge(choice)))
      return rowsSchedule(kernel, target, choice.products() > parallelProducts);
    chooseForVectors(choice);
  }
  auto formed = [&] {
    return cpu::ContractionAttr::get(
        kernel.getContext(), choice.lane, choice.row, choice.rows, choice.vectors, choice.nest,
        choice.columns, choice.rowsCopied, choice.amx ? 0 : copyAheadOf(choice), choice.descending,
        choice.pipeline, choice.stages, choice.sideBySide, choice.unroll, choice.ahead, choice.columnsAhead,
        choice.fetch, choice.next, choice.nextLines, choice.masks,
        choice.amx ? 1 : accumulatorsOf(choice.root, choice.lane), choice.pairs, choice.amx);
  };
  if (!usesUnit) {
    if (!cpu::keepsSumsInScratch(choice.root, formed())) // one loop must be the outermost there
      shareRows(choice);
    chooseNext(choice);
  }
  cpu::ContractionAttr form = formed();
  auto with = [&](int64_t scratch) {
    return cpu::ScheduleAttr::get(kernel.getContext(), form, choice.target.lanes, choice.split, scratch,
                                  sharedPlaces(kernel, form));
  };
  int64_t bytes = cpu::ContractionScratch(choice.root, with(0), choice.bounds).bytes();
  bool onStack = form.getColumns() == form.perColumnOfTiles() && form.getRowsCopied() < 0;
  return with(onStack && bytes <= stackBytes ? 0 : bytes);
}

} // namespace dlc::schedule
