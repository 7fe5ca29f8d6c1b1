//===- Scratch.cpp - memory of a contraction beside its tensors ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/target/cpu/Scratch.h"
#include "compiler/support/Elements.h"

using namespace mlir;

namespace dlc::cpu {
namespace {

/// Trip counts inside the first `depth` loops of the nest, of one chunk.
SmallVector<int64_t> sizesInside(ScheduleAttr schedule, ArrayRef<int64_t> bounds, int64_t depth) {
  SmallVector<int64_t> sizes(bounds);
  if (SplitAttr split = schedule.getSplit())
    sizes[split.getLoop()] = std::min(sizes[split.getLoop()], split.getSize());
  ArrayRef<BlockAttr> nest = schedule.contraction().getNest();
  for (BlockAttr block : nest.take_front(std::min<int64_t>(depth, nest.size())))
    sizes[block.getLoop()] = std::min(sizes[block.getLoop()], block.getSize());
  return sizes;
}

PanelShape panelShape(linalg::GenericOp root, ScheduleAttr schedule, ArrayRef<int64_t> bounds, int64_t depth,
                      int64_t loop, int64_t unit) {
  PanelShape shape;
  if (depth < 0)
    return shape;
  SmallVector<int64_t> sizes = sizesInside(schedule, bounds, depth);
  bool isOne = depth == schedule.contraction().perColumnOfTiles();
  shape.panels = isOne ? 1 : llvm::divideCeil(sizes[loop], unit);
  shape.unit = shape.stride = unit;
  SmallVector<unsigned> reductions;
  root.getReductionDims(reductions);
  for (unsigned reduction : llvm::reverse(reductions)) {
    shape.steps.insert(shape.steps.begin(), shape.stride);
    shape.stride *= sizes[reduction];
  }
  // Panels a power of two apart would share few sets of a cache.
  constexpr int64_t lineElements = 16;
  if (!isOne)
    shape.stride = llvm::alignTo(shape.stride, lineElements) + 2 * lineElements;
  return shape;
}

} // namespace

bool keepsSumsInScratch(linalg::GenericOp root, ContractionAttr form) {
  auto isReduction = [&](BlockAttr block) {
    return root.getIteratorTypesArray()[block.getLoop()] == utils::IteratorType::reduction;
  };
  return llvm::any_of(form.getNest(), isReduction) &&
         llvm::none_of(root->getUsers(), llvm::IsaPred<train::YieldOp>);
}

ContractionScratch::ContractionScratch(linalg::GenericOp root, ScheduleAttr schedule,
                                       ArrayRef<int64_t> bounds) {
  ContractionAttr form = schedule.contraction();
  int64_t width = form.getVectors() * schedule.getLanes();
  elementBytes = dlc::elementBytes(root.getDpsInputs()[0]);
  resultBytes = dlc::elementBytes(root.getResult(0));
  columns = panelShape(root, schedule, bounds, form.getColumns(), form.getLane(), width);
  rows = panelShape(root, schedule, bounds, form.getRowsCopied(), form.getRow(), form.getRows());
  if (!keepsSumsInScratch(root, form))
    return;

  // The loop that is split is the outermost, so that each chunk has a piece of its own.
  int64_t depth =
      llvm::find_if(form.getNest(),
                    [&](BlockAttr block) {
                      return root.getIteratorTypesArray()[block.getLoop()] == utils::IteratorType::reduction;
                    }) -
      form.getNest().begin();
  SmallVector<int64_t> sizes = sizesInside(schedule, bounds, depth);
  sizes[form.getLane()] = llvm::divideCeil(sizes[form.getLane()], width);
  int64_t first = schedule.getSplit() ? schedule.getSplit().getLoop() : form.getLane();
  sums.loops.push_back(first);
  for (int64_t loop = 0; loop < int64_t(root.getNumParallelLoops()); ++loop)
    if (loop != first)
      sums.loops.push_back(loop);
  sums.elements = width;
  for (int64_t loop : llvm::reverse(sums.loops)) {
    sums.steps.insert(sums.steps.begin(), sums.elements);
    sums.elements *= sizes[loop];
  }
}

} // namespace dlc::cpu
