//===- Contraction.cpp - register tiles of a contraction ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/Stages.h"
#include <algorithm>

using namespace mlir;

namespace dlc::schedule {
namespace {

// Below this many multiply-adds waking a second thread costs more than it saves: a barrier takes about 0.2
// us, in which one core does some ten thousand of them.
constexpr int64_t parallelWork = 1 << 18;
// Columns are copied to the stack if at least this many tiles read them, and if they have at most this many
// bytes.
constexpr int64_t packedTiles = 16, packedBytes = 16 << 10;
// Rows of a matrix are fetched ahead if the matrix has at least this many bytes.
constexpr int64_t fetchedBytes = 128 << 10;

/// What is decided of a contraction, step by step.
struct Choice {
  int64_t lane = -1, row = -1, lanes = 1, rows = 1, vectors = 1, pipeline = 0;
  bool pack = false, ahead = false;
  cpu::SplitAttr split;

  int64_t width() const { return vectors * lanes; }
  /// Iterations of the row loop that one chunk has.
  int64_t rowsOfChunk(ArrayRef<int64_t> bounds) const {
    return split && split.getLoop() == row ? split.getSize() : bounds[row];
  }
};

bool drawsRandomBits(train::KernelOp kernel) {
  return kernel.walk([](train::RandomBitsOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// The register tile. A row's broadcast element, a row of vectors of the other operand and the
/// accumulators must fit the registers; eight or more accumulators hide the latency of a multiply-add.
void tileContraction(Choice &choice, train::KernelOp kernel, const CpuTarget &target, int64_t rowSize,
                     int64_t laneSize) {
  choice.vectors = laneSize > target.lanes ? 2 : 1;
  int64_t accumulators = target.registers - choice.vectors - 1;
  int64_t rows = target.registers >= 32 ? 8 : (accumulators / choice.vectors) / 2 * 2;
  // Eight rows share the words of their random bits.
  if (drawsRandomBits(kernel)) {
    rows = 8;
    if (rows * choice.vectors > accumulators)
      choice.vectors = 1;
  }
  choice.rows = std::max<int64_t>(1, std::min(rows, rowSize));
}

/// Steps of the reduction for each vector of the epilogue, where that is best run inside the next tile's
/// reduction: it updates tensors in place, so it waits for memory, and the reduction is long enough to
/// take it in.
int64_t pipelineOf(train::KernelOp kernel, const Choice &choice, ArrayRef<int64_t> bounds) {
  linalg::GenericOp root = rootOf(kernel);
  Operation *terminator = kernel.getBody().front().getTerminator();
  if (choice.row < 0 || (choice.split && choice.split.getLoop() == choice.row) || choice.lanes == 1 ||
      root.getNumReductionLoops() != 1 || terminator->getNumOperands() < 2 || inplacePairs(kernel).empty() ||
      drawsRandomBits(kernel))
    return 0;
  SmallVector<unsigned> reductions;
  root.getReductionDims(reductions);
  bool isStatic =
      llvm::all_of(root.getOperandTypes(), [](Type type) { return cast<ShapedType>(type).hasStaticShape(); });
  int64_t vectors = choice.rows * choice.vectors;
  if (!isStatic || bounds[choice.row] < 2 * choice.rows)
    return 0;
  // One or two steps, over half of the reduction where it is long: more spread did not help.
  int64_t length = bounds[reductions.front()];
  return length < vectors ? 0 : std::clamp<int64_t>(length / (2 * vectors), 1, 2);
}

/// How the two operands of a matrix product come into the first-level cache.
void feedTiles(Choice &choice, train::KernelOp kernel, ArrayRef<int64_t> bounds) {
  linalg::GenericOp root = rootOf(kernel);
  if (choice.row < 0 || choice.lanes == 1 || root.getNumReductionLoops() != 1 ||
      root.getNumParallelLoops() != 2)
    return;
  SmallVector<unsigned> reductions;
  root.getReductionDims(reductions);
  int64_t length = bounds[reductions.front()], width = choice.width();
  auto stride = [&](OpOperand *operand, int64_t loop) {
    return strideAlong(root.getMatchingIndexingMap(operand), cast<RankedTensorType>(operand->get().getType()),
                       loop);
  };
  auto bytes = [](OpOperand *operand) {
    return std::max<int64_t>(1, getElementTypeOrSelf(operand->get().getType()).getIntOrFloatBitWidth() / 8);
  };
  OpOperand *columns = root.getDpsInputOperand(0), *rows = root.getDpsInputOperand(1);
  if (stride(columns, choice.lane) == 0)
    std::swap(columns, rows);
  if (stride(columns, choice.lane) != 1 || stride(columns, choice.row) != 0 || stride(rows, choice.lane) != 0)
    return;
  // Columns of a row-major matrix share few sets of the first-level cache. Where many tiles read them and
  // they fit it, they are worth a copy.
  bool isStatic = cast<ShapedType>(columns->get().getType()).hasStaticShape();
  int64_t tiles = choice.rowsOfChunk(bounds) / choice.rows;
  choice.pack = isStatic && stride(columns, reductions.front()) != width && tiles >= packedTiles &&
                length * width * bytes(columns) <= packedBytes;
  // Rows are a new piece of memory for each tile. Those of a small matrix are in the cache from before.
  choice.ahead = choice.pipeline == 0 && stride(rows, reductions.front()) == 1 &&
                 stride(rows, choice.row) == length &&
                 bounds[choice.row] * length * bytes(rows) >= fetchedBytes;
}

} // namespace

cpu::ScheduleAttr contractionSchedule(train::KernelOp kernel, const CpuTarget &target) {
  linalg::GenericOp root = train::contractionOf(kernel);
  SmallVector<int64_t> bounds = loopBounds(kernel, root);
  int64_t work = 1, products = 1;
  Choice choice;
  choice.lane = laneLoopOf(kernel);
  choice.lanes = target.lanes;
  for (auto [loop, type] : llvm::enumerate(root.getIteratorTypesArray())) {
    work *= bounds[loop];
    if (type == utils::IteratorType::parallel && int64_t(loop) != choice.lane)
      choice.row = loop;
    if (type == utils::IteratorType::reduction)
      products *= bounds[loop];
  }
  // A product with a vector, or down to one number, runs its vectors along the reduction.
  bool strided = llvm::any_of(root.getDpsInputOperands(), [&](OpOperand *operand) {
    auto stride = strideAlong(root.getMatchingIndexingMap(operand),
                              cast<RankedTensorType>(operand->get().getType()), choice.lane);
    return stride != 0 && stride != 1;
  });
  if (choice.lane < 0 || (strided && products > shortReduction))
    return rowsSchedule(kernel, target, work > parallelWork);

  int64_t rowSize = choice.row >= 0 ? bounds[choice.row] : 1, laneSize = bounds[choice.lane];
  tileContraction(choice, kernel, target, rowSize, laneSize);
  // Columns of the result belong to one thread from kernel to kernel; rows where there are few columns.
  if (work <= parallelWork)
    ;
  else if (laneSize >= 4 * choice.width() || choice.row < 0)
    choice.split = splitOf(kernel, choice.lane, laneSize, choice.width());
  else
    choice.split = splitOf(kernel, choice.row, rowSize, std::max<int64_t>(8, choice.rows));
  choice.pipeline = pipelineOf(kernel, choice, bounds);
  feedTiles(choice, kernel, bounds);
  auto form = cpu::ContractionAttr::get(kernel.getContext(), choice.lane, choice.row, choice.rows,
                                        choice.vectors, choice.pipeline, choice.pack, choice.ahead);
  return cpu::ScheduleAttr::get(kernel.getContext(), form, choice.lanes, choice.split, /*scratch=*/0,
                                inplacePairs(kernel));
}

} // namespace dlc::schedule
