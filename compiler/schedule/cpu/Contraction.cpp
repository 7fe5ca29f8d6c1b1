//===- Contraction.cpp - the schedule of a product in register tiles -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/Contraction.h"
#include "compiler/machine/cpu/RandomMasks.h"
#include "compiler/machine/cpu/Scratch.h"
#include "compiler/schedule/cpu/Chunks.h"
#include <algorithm>

using namespace mlir;

namespace dlc::schedule {

// Shorter reduction loops gain nothing from unrolling.
static constexpr int64_t longLoop = 32;

/// Chooses the register tile. The broadcast element of a row, a row of vectors of the other operand and all
/// accumulators must fit the registers; eight or more accumulators hide the latency of a multiply-add.
cpu::TileAttr chooseTile(const Product &product) {
  const CpuTarget &target = product.target;
  const int64_t all = llvm::divideCeil(product.bounds[product.lane], target.lanes);
  int64_t vectors = std::min<int64_t>(all, target.costs.tileVectors);
  int64_t rows = vectors == target.costs.tileVectors ? target.costs.tileRows : target.costs.narrowTileRows;
  // Eight rows share the words of their random bits, so that tiles of eight rows draw each word once.
  if (drawsRandomBits(product.kernel) && !makesMasks(product))
    rows = cpu::rowsOfWords;
  while (rows * vectors > target.registers - vectors - 1)
    vectors /= 2;
  rows = std::max<int64_t>(1, std::min(rows, product.row >= 0 ? product.bounds[product.row] : 1));
  // The weight gradient of a depthwise convolution reads both operands once for each column of tiles: whole
  // rows of channels come from memory at its full rate, pieces of them do not.
  if (analysis::isDepthwise(product.root) && product.steps() > CpuCosts::smallSteps) {
    const int64_t most = std::max<int64_t>(vectors, (target.registers - 1) / (rows + 1));
    vectors = llvm::divideCeil(all, llvm::divideCeil(all, most));
  }
  return cpu::TileAttr::get(product.kernel.getContext(), product.lane, product.row, rows, vectors);
}

/// The gradient by an image meets the window's elements from the last one on. The caches fetch ahead what
/// lies behind, so the loops over them run backwards: from one element to the next, rows then go on where
/// they are.
static SmallVector<int64_t> descendingLoops(const Product &product) {
  SmallVector<int64_t> descending;
  if (!product.rows || product.root.getNumReductionLoops() == 1)
    return descending;
  for (int64_t loop = product.parallelLoops(); loop < int64_t(product.bounds.size()); ++loop)
    if (product.stride(product.rows, loop).value_or(0) < 0)
      descending.push_back(loop);
  return descending;
}

cpu::ReductionAttr chooseReduction(const Product &product) {
  MLIRContext *context = product.kernel.getContext();
  if (product.amx)
    return cpu::ReductionAttr::get(context, product.pairs, true, 1, {}, 1);
  const int64_t unroll = product.bounds.back() >= longLoop ? product.target.costs.unrolledSteps : 1;
  return cpu::ReductionAttr::get(context, product.pairs, false, accumulatorsOf(product.root, product.lane),
                                 descendingLoops(product), unroll);
}

/// The schedule that all choices make, with the scratch memory that packed operands and sums need. Packed
/// columns of one column of tiles may lie on the stack.
static cpu::ScheduleAttr withScratch(const Product &product, cpu::ContractionAttr form, SplitRef split) {
  auto with = [&](int64_t scratch) {
    return cpu::ScheduleAttr::get(product.kernel.getContext(), form, product.target.lanes, split, scratch,
                                  sharedPlaces(product.kernel, form.getEpilogue()));
  };
  const int64_t bytes = cpu::ContractionScratch(product.root, with(0), product.bounds).bytes();
  const bool onStack = form.packsColumnsInTurn() && !form.getPacking().packsRows();
  return with(onStack && bytes <= stackBytes ? 0 : bytes);
}

/// Chooses how a product runs in tiles of this shape.
static cpu::ScheduleAttr scheduleInTiles(const Product &product, cpu::TileAttr tile) {
  const cpu::ReductionAttr reduction = chooseReduction(product);
  Split split = product.amx ? chooseUnitSplit(product, tile) : chooseSplit(product, tile);
  Blocking blocking =
      product.amx ? chooseUnitBlocking(product, tile, split) : chooseBlocking(product, tile, split);
  const cpu::EpilogueAttr epilogue = chooseEpilogue(product, tile, split, blocking.nest);
  const SharedRows shared = shareRows(product, tile, std::move(split), std::move(blocking));
  const cpu::PrefetchAttr prefetch = choosePrefetch(product, tile, reduction, shared.split, shared.blocking);
  auto form = cpu::ContractionAttr::get(product.kernel.getContext(), tile, reduction, shared.blocking.nest,
                                        shared.blocking.packing, prefetch, epilogue);
  return withScratch(product, form, shared.split);
}

cpu::ScheduleAttr contractionSchedule(train::KernelOp kernel, const CpuTarget &target) {
  const Product product(kernel, target);
  auto alongReduction = [&] { return rowsSchedule(kernel, target, product.products() > parallelProducts); };
  if (product.lane < 0)
    return alongReduction();
  if (product.readsAcross() && analysis::isDepthwise(product.root))
    return loopSchedule(kernel, target);
  if (product.amx)
    return scheduleInTiles(product, chooseUnitTile(product));
  const cpu::TileAttr tile = chooseTile(product);
  // A product with a vector runs its vectors along the reduction, if neighbours do not lie along the lanes.
  if (product.readsAcross() && product.steps() > shortReduction && !isLarge(product, tile))
    return alongReduction();
  return scheduleInTiles(product, tile);
}

} // namespace dlc::schedule
