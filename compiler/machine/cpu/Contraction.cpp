//===- Contraction.cpp - how the register tiles of a contraction run -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must hold of each attribute, and between those that make up one contraction. Whether loops are there,
// and are reductions, is known to a kernel only (schedule/cpu/Schedule.cpp).
//===----------------------------------------------------------------------===//
#include "compiler/machine/cpu/Schedule.h"

using namespace mlir;

namespace dlc::cpu {

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

LogicalResult TileAttr::verify(EmitError emitError, int64_t lane, int64_t row, int64_t rows,
                               int64_t vectors) {
  if (lane < 0 || row < -1 || row == lane)
    return emitError() << "expects a tile along two loops, got lane = " << lane << ", row = " << row;
  if (rows < 1 || vectors < 1 || (row < 0 && rows != 1))
    return emitError()
           << "expects a tile of at least one row and vector, and of one without a loop for rows, "
           << "got " << rows << " rows of " << vectors << " vectors";
  return success();
}

LogicalResult ReductionAttr::verify(EmitError emitError, int64_t pairs, bool amx, int64_t accumulators,
                                    ArrayRef<int64_t>, int64_t unroll) {
  if (pairs < -1 || accumulators < 1 || unroll < 1)
    return emitError() << "expects at least one accumulator and one step between jumps, got accumulators = "
                       << accumulators << ", unroll = " << unroll << ", pairs = " << pairs;
  if (amx && (pairs < 0 || accumulators > 1))
    return emitError() << "expects the matrix unit's loop, and one accumulator in it, got pairs = " << pairs
                       << ", accumulators = " << accumulators;
  return success();
}

LogicalResult PackingAttr::verify(EmitError emitError, int64_t columns, int64_t rows, int64_t ahead) {
  if (columns < -1 || rows < -1 || ahead < 0 || (ahead > 0 && columns < 0 && rows < 0))
    return emitError() << "expects a depth of the nest for each operand that is packed, and one of them to "
                       << "prefetch for, got columns = " << columns << ", rows = " << rows
                       << ", ahead = " << ahead;
  return success();
}

LogicalResult PrefetchAttr::verify(EmitError emitError, bool, int64_t columns, int64_t epilogue, int64_t next,
                                   ArrayRef<int64_t> lines) {
  if (columns < 0 || epilogue < 0)
    return emitError() << "expects distances of at least 0, got columns = " << columns
                       << ", epilogue = " << epilogue;
  if (next < -1 || (next >= 0) != !lines.empty())
    return emitError() << "expects a loop and the cache lines of each operand, or neither, got next = "
                       << next << " and " << lines.size() << " lines";
  return success();
}

LogicalResult EpilogueAttr::verify(EmitError emitError, int64_t pipeline, int64_t stages, bool sideBySide,
                                   bool) {
  if (pipeline < 0 || stages < 1 || stages > 2)
    return emitError() << "expects one or two stages, got pipeline = " << pipeline << ", stages = " << stages;
  if (pipeline == 0 ? stages > 1 : sideBySide)
    return emitError() << "expects stages in a pipeline only, and no rows side by side there, got pipeline = "
                       << pipeline << ", stages = " << stages;
  return success();
}

LogicalResult ContractionAttr::verify(EmitError emitError, TileAttr tile, ReductionAttr reduction,
                                      ArrayRef<BlockAttr> nest, PackingAttr packing, PrefetchAttr prefetch,
                                      EpilogueAttr epilogue) {
  for (BlockAttr block : nest)
    if (block.getLoop() < 0 || block.getSize() < 1)
      return emitError() << "expects blocks of at least one iteration, got " << block.getSize() << " of loop "
                         << block.getLoop();
  const int64_t depth = nest.size();
  if (packing.getColumns() > depth + 1 || packing.getRows() > depth)
    return emitError() << "expects copies inside of at most " << depth
                       << " loops, got columns = " << packing.getColumns()
                       << ", rows = " << packing.getRows();
  auto isNext = [&](BlockAttr block) { return block.getLoop() == prefetch.getNext(); };
  if (prefetch.getNext() >= 0 && llvm::none_of(nest, isNext))
    return emitError() << "expects the next iteration of a loop of the nest, got loop " << prefetch.getNext();
  const bool needsRows = packing.packsRows() || prefetch.getRows() || prefetch.getEpilogue() > 0 ||
                         prefetch.getNext() >= 0 || epilogue.isPipelined() || epilogue.getSideBySide() ||
                         epilogue.getMasks() || reduction.getAmx();
  if (tile.getRow() < 0 && needsRows)
    return emitError() << "expects a loop for rows, which something of " << packing << ", " << prefetch
                       << ", " << epilogue << " and " << reduction << " is for";
  const bool isOfUnit = llvm::is_contained({tileSide, 2 * tileSide}, tile.getRows()) &&
                        tile.getVectors() <= 2 && packing.packsColumns();
  if (reduction.getAmx() && !isOfUnit)
    return emitError() << "expects " << tileSide << " or " << 2 * tileSide
                       << " rows of one or two vectors, and packed columns, for the matrix unit, got "
                       << tile;
  return success();
}

int64_t ContractionAttr::depthOf(int64_t loop) const {
  auto found = llvm::find_if(getNest(), [&](BlockAttr block) { return block.getLoop() == loop; });
  return found == getNest().end() ? -1 : found - getNest().begin();
}

} // namespace dlc::cpu
