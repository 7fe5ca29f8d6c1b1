//===- Tiles.cpp - tiles, vectors and the split of work of one kernel ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/Stages.h"
#include "dialects/train/Rows.h"
#include <algorithm>

using namespace mlir;

namespace dlc::schedule {
namespace {

// Below this many multiply-adds (or elements) waking a second thread costs more than it saves: a barrier
// takes about 0.2 us, in which one core does some ten thousand multiply-adds.
constexpr int64_t parallelWork = 1 << 18;
constexpr int64_t parallelElements = 1 << 14;
// More chunks than this balance nothing better.
constexpr int64_t mostChunks = 64;
// Rows that one operation of a kernel passes to another lie on the stack if they have at most this many
// bytes, else in the arena.
constexpr int64_t stackBytes = 64 << 10;
// Columns are copied to the stack if at least this many tiles read them, and if they have at most this many
// bytes.
constexpr int64_t packedTiles = 16, packedBytes = 16 << 10;
// Rows of a matrix are fetched ahead if the matrix has at least this many bytes.
constexpr int64_t fetchedBytes = 128 << 10;
// Rows no longer than this are worked on side by side, a row in each lane.
constexpr int64_t shortRow = 16;

struct Shape {
  train::Emitter emitter;
  int64_t lanes = 1, laneDim = -1, rows = 1, vectors = 1;
  int64_t splitDim = -1, split = 0, chunks = 1, shared = 0, pipeline = 0;
  bool pack = false, ahead = false;
};

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Cuts `loop` of `size` iterations into chunks of a multiple of `unit`.
void splitLoop(Shape &shape, int64_t loop, int64_t size, int64_t unit) {
  int64_t units = ceilDiv(size, unit);
  int64_t perChunk = ceilDiv(units, mostChunks);
  shape.splitDim = loop;
  shape.split = perChunk * unit;
  shape.chunks = ceilDiv(size, shape.split);
  if (shape.chunks <= 1) {
    shape.splitDim = -1;
    shape.split = 0;
    shape.chunks = 1;
  }
}

bool drawsRandomBits(train::KernelOp kernel) {
  return kernel.walk([](train::RandomBitsOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// The register tile. A row's broadcast element, a row of vectors of the other operand and the
/// accumulators must fit the registers; eight or more accumulators hide the latency of a multiply-add.
void tileContraction(Shape &shape, train::KernelOp kernel, const CpuTarget &target, int64_t rowSize,
                     int64_t laneSize) {
  shape.vectors = laneSize > target.lanes ? 2 : 1;
  int64_t accumulators = target.registers - shape.vectors - 1;
  int64_t rows = target.registers >= 32 ? 8 : (accumulators / shape.vectors) / 2 * 2;
  // Eight rows share the words of their random bits.
  if (drawsRandomBits(kernel)) {
    rows = 8;
    if (rows * shape.vectors > accumulators)
      shape.vectors = 1;
  }
  shape.rows = std::max<int64_t>(1, std::min(rows, rowSize));
}

/// Steps of the reduction for each vector of the epilogue, where that is best run inside the next tile's
/// reduction: it updates tensors in place, so it waits for memory, and the reduction is long enough to
/// take it in.
int64_t pipelineOf(train::KernelOp kernel, const Shape &shape, ArrayRef<int64_t> bounds, int64_t rowLoop) {
  linalg::GenericOp root = rootOf(kernel);
  Operation *terminator = kernel.getBody().front().getTerminator();
  if (rowLoop < 0 || rowLoop == shape.splitDim || shape.lanes == 1 || root.getNumReductionLoops() != 1 ||
      terminator->getNumOperands() < 2 || inplacePairs(kernel).empty() || drawsRandomBits(kernel))
    return 0;
  SmallVector<unsigned> reductions;
  root.getReductionDims(reductions);
  bool isStatic =
      llvm::all_of(root.getOperandTypes(), [](Type type) { return cast<ShapedType>(type).hasStaticShape(); });
  int64_t vectors = shape.rows * shape.vectors;
  if (!isStatic || bounds[rowLoop] < 2 * shape.rows)
    return 0;
  // One or two steps, over half of the reduction where it is long: more spread did not help.
  int64_t length = bounds[reductions.front()];
  return length < vectors ? 0 : std::clamp<int64_t>(length / (2 * vectors), 1, 2);
}

/// How the two operands of a matrix product come into the first-level cache.
void feedTiles(Shape &shape, train::KernelOp kernel, ArrayRef<int64_t> bounds, int64_t rowLoop) {
  linalg::GenericOp root = rootOf(kernel);
  if (rowLoop < 0 || shape.lanes == 1 || root.getNumReductionLoops() != 1 || root.getNumParallelLoops() != 2)
    return;
  SmallVector<unsigned> reductions;
  root.getReductionDims(reductions);
  int64_t length = bounds[reductions.front()], width = shape.vectors * shape.lanes;
  auto stride = [&](OpOperand *operand, int64_t loop) {
    return strideAlong(root.getMatchingIndexingMap(operand), cast<RankedTensorType>(operand->get().getType()),
                       loop);
  };
  auto bytes = [](OpOperand *operand) {
    return std::max<int64_t>(1, getElementTypeOrSelf(operand->get().getType()).getIntOrFloatBitWidth() / 8);
  };
  OpOperand *columns = root.getDpsInputOperand(0), *rows = root.getDpsInputOperand(1);
  if (stride(columns, shape.laneDim) == 0)
    std::swap(columns, rows);
  if (stride(columns, shape.laneDim) != 1 || stride(columns, rowLoop) != 0 ||
      stride(rows, shape.laneDim) != 0)
    return;
  // Columns of a row-major matrix share few sets of the first-level cache. Where many tiles read them and
  // they fit it, they are worth a copy.
  bool isStatic = cast<ShapedType>(columns->get().getType()).hasStaticShape();
  int64_t tiles = (rowLoop == shape.splitDim ? shape.split : bounds[rowLoop]) / shape.rows;
  shape.pack = isStatic && stride(columns, reductions.front()) != width && tiles >= packedTiles &&
               length * width * bytes(columns) <= packedBytes;
  // Rows are a new piece of memory for each tile. Those of a small matrix are in the cache from before.
  shape.ahead = shape.pipeline == 0 && stride(rows, reductions.front()) == 1 &&
                stride(rows, rowLoop) == length && bounds[rowLoop] * length * bytes(rows) >= fetchedBytes;
}

Shape contraction(train::KernelOp kernel, const CpuTarget &target) {
  Shape shape{train::Emitter::Contraction};
  linalg::GenericOp root = rootOf(kernel);
  SmallVector<int64_t> bounds = loopBounds(kernel, root);
  int64_t work = 1, rowLoop = -1, products = 1;
  shape.laneDim = laneLoopOf(kernel);
  shape.lanes = target.lanes;
  shape.shared = root.getNumParallelLoops();
  for (auto [loop, type] : llvm::enumerate(root.getIteratorTypesArray())) {
    work *= bounds[loop];
    if (type == utils::IteratorType::parallel && int64_t(loop) != shape.laneDim)
      rowLoop = loop;
    if (type == utils::IteratorType::reduction)
      products *= bounds[loop];
  }
  // A product with a vector, or down to one number, runs its vectors along the reduction.
  bool strided = llvm::any_of(root.getDpsInputOperands(), [&](OpOperand *operand) {
    auto stride = strideAlong(root.getMatchingIndexingMap(operand),
                              cast<RankedTensorType>(operand->get().getType()), shape.laneDim);
    return stride != 0 && stride != 1;
  });
  if (shape.laneDim < 0 || (strided && products > shortReduction)) {
    shape.emitter = train::Emitter::Rows;
    shape.laneDim = root.getNumLoops() - 1;
    if (shape.shared > 0 && work > parallelWork)
      splitLoop(shape, 0, bounds[0], 1);
    return shape;
  }
  int64_t rowSize = rowLoop >= 0 ? bounds[rowLoop] : 1, laneSize = bounds[shape.laneDim];
  tileContraction(shape, kernel, target, rowSize, laneSize);
  // Columns of the result belong to one thread from kernel to kernel; rows where there are few columns.
  int64_t width = shape.vectors * shape.lanes;
  if (work <= parallelWork)
    ;
  else if (laneSize >= 4 * width || rowLoop < 0)
    splitLoop(shape, shape.laneDim, laneSize, width);
  else
    splitLoop(shape, rowLoop, rowSize, std::max<int64_t>(8, shape.rows));
  shape.pipeline = pipelineOf(kernel, shape, bounds, rowLoop);
  feedTiles(shape, kernel, bounds, rowLoop);
  return shape;
}

/// Whether vectors along rows would be mostly empty, while there are enough rows to fill them.
bool hasShortRows(train::KernelOp kernel, int64_t shared, const CpuTarget &target) {
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>()) {
    SmallVector<int64_t> bounds = loopBounds(kernel, op);
    int64_t row = 1;
    for (int64_t bound : ArrayRef<int64_t>(bounds).drop_front(shared))
      row *= bound;
    if (row > shortRow || bounds[shared - 1] < 2 * target.lanes)
      return false;
  }
  return true;
}

Shape loops(train::KernelOp kernel, const CpuTarget &target) {
  Shape shape{*kernel.getEmitter()};
  shape.shared = kernel.getShared().value_or(0);
  bool sideBySide =
      shape.emitter == train::Emitter::Rows && shape.shared > 0 && hasShortRows(kernel, shape.shared, target);
  if (sideBySide)
    shape.emitter = train::Emitter::Columns;
  SmallVector<int64_t> widest;
  int64_t work = 0;
  bool reduces = false;
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>()) {
    SmallVector<int64_t> bounds = loopBounds(kernel, op);
    int64_t size = 1;
    for (int64_t bound : bounds)
      size *= bound;
    work += size;
    reduces |= op.getNumReductionLoops() > 0;
    if (bounds.size() > widest.size())
      widest = bounds;
  }
  shape.lanes = widest.empty() ? 1 : target.lanes;
  if (shape.emitter == train::Emitter::Columns) {
    shape.laneDim = shape.shared - 1;
    shape.vectors = sideBySide ? 1 : std::clamp<int64_t>(ceilDiv(widest[shape.laneDim], shape.lanes), 1, 4);
  } else {
    shape.laneDim = int64_t(widest.size()) - 1;
  }
  if (shape.shared == 0 || work <= parallelElements)
    return shape;
  if (shape.emitter == train::Emitter::Columns && (shape.shared == 1 || reduces))
    splitLoop(shape, shape.laneDim, widest[shape.laneDim], shape.vectors * shape.lanes);
  else
    // Whole squares, where the kernel is a transpose of a matrix.
    splitLoop(shape, 0, widest[0],
              shape.emitter == train::Emitter::Columns && shape.shared == 2 ? target.lanes : 1);
  return shape;
}

/// Bytes in the arena for the rows of one chunk; 0 where they fit the stack.
int64_t scratchOf(train::KernelOp kernel, const Shape &shape) {
  if (shape.emitter == train::Emitter::Contraction)
    return 0;
  int64_t width = shape.emitter == train::Emitter::Columns ? shape.lanes * shape.vectors : 1, bytes = 0;
  for (const train::Row &row : train::rowsOf(kernel))
    bytes += row.bytes(width, shape.lanes);
  return bytes > stackBytes ? bytes : 0;
}

} // namespace

train::ScheduleAttr scheduleOf(train::KernelOp kernel, const CpuTarget &target) {
  Shape s = kernel.getEmitter() == train::Emitter::Contraction ? contraction(kernel, target)
                                                               : loops(kernel, target);
  return train::ScheduleAttr::get(kernel.getContext(), s.emitter, s.lanes, s.laneDim, s.rows, s.vectors,
                                  s.pipeline, s.splitDim, s.split, s.chunks, s.shared, scratchOf(kernel, s),
                                  s.pack, s.ahead, inplacePairs(kernel));
}

} // namespace dlc::schedule
