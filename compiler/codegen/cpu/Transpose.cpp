//===- Transpose.cpp - copies that exchange two dims -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/Transpose.h"
#include "compiler/codegen/cpu/Interleave.h"
#include "compiler/codegen/cpu/VectorLoops.h"
#include "compiler/codegen/kernel/Access.h"

using namespace mlir;

namespace dlc::codegen {

void emitTranspose(KernelFunction &kernel) {
  Builder &b = kernel.builder();
  linalg::GenericOp op = kernel.operations().front();
  int64_t lanes = scheduleOf(kernel).getLanes();
  OpOperand &input = *op.getDpsInputOperand(0), &output = *op.getDpsInitOperand(0);
  Access source(b, *kernel.memoryOf(input.get()), op.getMatchingIndexingMap(&input));
  Access target(b, *kernel.memoryOf(op.getResult(0)), op.getMatchingIndexingMap(&output));
  auto extents = kernel.loopExtents(op);
  Type element = getElementTypeOrSelf(op.getResult(0).getType());

  int64_t rowLoop = op.getNumLoops() - 2, columnLoop = rowLoop + 1;
  auto block = [&](Index outer, Index row, Value rowMask, Index column, Value columnMask) {
    int64_t rows = rowMask ? extents[rowLoop].offset % lanes : lanes;
    int64_t columns = columnMask ? extents[columnLoop].offset % lanes : lanes;
    auto vectorAlong = [&](int64_t loop, int64_t r, int64_t c, Value mask) {
      Point point{{row + r, column + c}, loop, lanes, mask};
      if (rowLoop > 0)
        point.loops.insert(point.loops.begin(), outer);
      return point;
    };
    Values square;
    for (int64_t c = 0; c < columns; ++c)
      square.push_back(source.load(b, vectorAlong(rowLoop, 0, c, rowMask)));
    Value nothing;
    while (int64_t(square.size()) < lanes) {
      if (!nothing)
        nothing = arith::ConstantOp::create(b, b.getZeroAttr(VectorType::get({lanes}, element)));
      square.push_back(nothing);
    }
    transposeSquare(b, square);
    for (int64_t r = 0; r < rows; ++r)
      target.store(b, vectorAlong(columnLoop, r, 0, columnMask), square[r]);
  };
  forChunks(kernel, extents, [&](const Chunks &chunks) {
    const Range &rows = chunks.ranges[rowLoop];
    auto matrix = [&](Index outer) {
      forVectors(b, rows.low, rows.high, extents[rowLoop], lanes, 1, [&](Index row, int64_t, Value rowMask) {
        forVectors(
            b, Index(0), extents[columnLoop], extents[columnLoop], lanes, 1,
            [&](Index column, int64_t, Value columnMask) { block(outer, row, rowMask, column, columnMask); });
      });
    };
    if (rowLoop == 0)
      return matrix(Index(0));
    forLoop(b, chunks.ranges[0].low, chunks.ranges[0].high, 1, matrix);
  });
}

} // namespace dlc::codegen
