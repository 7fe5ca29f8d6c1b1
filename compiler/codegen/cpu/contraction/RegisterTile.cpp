//===- RegisterTile.cpp - a register tile, and the loops around it ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/contraction/RegisterTile.h"

using namespace mlir;

namespace dlc::codegen {

TileLoops::TileLoops(KernelFunction &kernel)
    : b(kernel.builder()), schedule(scheduleOf(kernel).contraction()),
      extents(kernel.loopExtents(kernel.operations().front())) {
  linalg::GenericOp root = kernel.operations().front();
  for (auto [loop, type] : llvm::enumerate(root.getIteratorTypesArray()))
    (type == utils::IteratorType::reduction ? reductionLoops : parallelLoops).push_back(loop);
}

Range TileLoops::stepsOf(int64_t loop, const Range &range) const {
  const int64_t perStep = reduction().perStep(loop);
  return {divide(b, range.low, perStep),
          divide(b, reduction().getAmx() ? range.high + (perStep - 1) : range.high, perStep)};
}

Point TileLoops::epiloguePoint(const Point &point) const {
  Point result = point;
  result.loops.clear();
  for (auto [position, loop] : llvm::enumerate(parallelLoops)) {
    if (loop == point.laneDim)
      result.laneDim = position;
    result.loops.push_back(point.loops[loop]);
  }
  return result;
}

} // namespace dlc::codegen
