//===- Transpose.cpp - copies that exchange two dims, on GPUs --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block brings a square to shared memory, where neighbouring threads read neighbours, and writes it from
// there, where they write neighbours.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/Kernels.h"
#include "compiler/codegen/gpu/device/Operands.h"
#include "compiler/machine/gpu/Schedule.h"

using namespace mlir;

namespace dlc::codegen::gpu {

void emitTranspose(KernelFunction &kernel) {
  Builder &b = kernel.builder();
  linalg::GenericOp op = kernel.operations().front();
  auto schedule = cast<dlc::gpu::ScheduleAttr>(kernel.schedule());
  int64_t size = schedule.transpose().getSize(), rowsAtOnce = schedule.getThreads() / size;
  SmallVector<Index, 4> extents = kernel.loopExtents(op);
  if (llvm::any_of(extents, [](const Index &extent) { return extent.offset == 0; }))
    return; // nothing to copy
  int64_t rowLoop = op.getNumLoops() - 2, columnLoop = rowLoop + 1;
  auto squares = [&](int64_t loop) { return Index(llvm::divideCeil(extents[loop].offset, size)); };

  SmallVector<Index, 4> blocks(extents);
  blocks[rowLoop] = squares(rowLoop);
  blocks[columnLoop] = squares(columnLoop);
  SmallVector<Index, 4> square = positionsOf(b, blockIndex(b), blocks);
  Index thread = threadIndex(b), x = remainder(b, thread, size), y = divide(b, thread, size);
  Operands operands(kernel);
  // One more element in a row: the elements of a column are in different banks.
  Memory tile =
      sharedMemory(kernel, "square", getElementTypeOrSelf(op.getResult(0).getType()), {size, size + 1});

  /// The element `along` the fast loop and `across` the other one.
  auto forAll = [&](int64_t fast, llvm::function_ref<void(const Point &, Index, Index)> body) {
    int64_t slow = fast == rowLoop ? columnLoop : rowLoop;
    for (int64_t first = 0; first < size; first += rowsAtOnce) {
      Index along = x, across = y + first;
      Point point;
      point.loops = square;
      point.loops[fast] = add(b, mul(b, square[fast], size), along);
      point.loops[slow] = add(b, mul(b, square[slow], size), across);
      Value isInFast = isLess(b, point.loops[fast], extents[fast]);
      Value isInSlow = isLess(b, point.loops[slow], extents[slow]);
      where(b, both(b, isInFast, isInSlow), [&] { body(point, along, across); });
    }
  };
  forAll(rowLoop, [&](const Point &point, Index along, Index across) {
    storeAt(b, tile, {across, along}, operands.read(op, *op.getDpsInputOperand(0), point));
  });
  barrier(b);
  forAll(columnLoop, [&](const Point &point, Index along, Index across) {
    operands.write(cast<OpResult>(op.getResult(0)), point, loadAt(b, tile, {along, across}));
  });
}

} // namespace dlc::codegen::gpu
