//===- Contraction.cpp - tiles of contractions on GPUs ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tile follows from the sizes of the product and the type of its elements, never from what comes after
// it.
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/analysis/Reductions.h"
#include "compiler/schedule/gpu/Forms.h"
#include "compiler/schedule/gpu/Stages.h"
#include "compiler/support/Elements.h"
#include <limits>

using namespace mlir;

namespace dlc::schedule {
namespace {

struct Tile {
  int64_t rows, columns, steps, threadRows, threadColumns;
};

// Tiles of a block of 256 threads. Larger tiles read operands less often, smaller ones keep more of a GPU
// busy.
constexpr Tile large{128, 128, 8, 8, 8}, tall{128, 64, 8, 8, 4}, wide{64, 128, 8, 4, 8},
    medium{64, 64, 16, 4, 4}, small{32, 32, 16, 2, 2}, narrow{64, 16, 16, 2, 2}, flat{16, 64, 16, 2, 2};
// The number of blocks that keeps the multiprocessors of a GPU busy.
constexpr int64_t enoughBlocks = 96;
constexpr int64_t fewRows = 16;

template <typename T> int64_t blocksOf(const T &tile, int64_t m, int64_t n) {
  return llvm::divideCeil(m, tile.rows) * llvm::divideCeil(n, tile.columns);
}

/// The first of these tiles, which become smaller and smaller, that makes enough blocks and does not compute
/// much outside of the result (as a tile of 128 columns does for a result of 64). Else the last.
template <typename T>
T firstThatFits(std::initializer_list<T> tiles, int64_t m, int64_t n, int64_t products) {
  auto computed = [&](const T &tile) { return blocksOf(tile, m, n) * tile.rows * tile.columns; };
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const T &tile : tiles)
    least = std::min(least, computed(tile));
  for (const T &tile : tiles)
    if (2 * computed(tile) <= 3 * least && blocksOf(tile, m, n) * products >= enoughBlocks)
      return tile;
  return *std::prev(tiles.end());
}

Tile tileFor(int64_t m, int64_t n, int64_t products, int64_t bytes) {
  if (n <= fewRows)
    return narrow;
  if (m <= fewRows)
    return flat;
  return bytes <= 4 ? firstThatFits({large, tall, wide, medium, small}, m, n, products)
                    : firstThatFits({medium, small}, m, n, products);
}

/// Whether elements are copied one by one, and the operand ends inside of a tile in both directions: the
/// conditions of the copies then take registers, of which 64 sums leave too few.
bool isRagged(gpu::CopyAttr left, gpu::CopyAttr right, int64_t m, int64_t n, int64_t steps) {
  auto isSingle = [](gpu::CopyAttr copy) { return copy.getBytes() <= GpuTarget::leastCopyBytes; };
  return isSingle(left) && isSingle(right) && steps % large.steps && (m % large.rows || n % large.columns);
}

// Tiles of tensor cores. Larger ones read operands less often from memory, larger parts of a warp less often
// from shared memory: with 64 by 64, a product takes half the reads that 32 by 32 would, which is what lets
// tensor cores be the limit. Such a part fills a thread's registers, so the block has four warps, and a
// multiprocessor two blocks, which cover each other's waits.
struct WarpTile {
  int64_t rows, columns, warpRows, warpColumns;
  int64_t threads() const { return rows * columns / (warpRows * warpColumns) * GpuTarget::warp; }
};
constexpr WarpTile largeWarps{128, 128, 64, 64}, tallWarps{128, 64, 64, 32}, wideWarps{64, 128, 32, 64},
    mediumWarps{64, 64, 32, 16}, smallWarps{32, 32, 16, 8}, narrowWarps{64, 16, 16, 8},
    flatWarps{16, 64, 16, 8};
// The steps of k in a round, in words of 32 bits. Where threads load an operand through registers, these hold
// the elements and the address of each, and have no room for more elements of 16 bits, two of which are a
// word. A warp group that has a multiprocessor to itself waits at barriers while nobody multiplies, so its
// rounds are twice as long.
constexpr int64_t wordsOfRound = 16, wordsThroughRegisters = 8, wordsAlone = 32;

int64_t stepsOfRound(FloatType low, gpu::CopyAttr left, gpu::CopyAttr right, int64_t words) {
  if (!isHalfWord(low))
    return wordsOfRound;
  return 2 * (left.getBytes() && right.getBytes() ? words : wordsThroughRegisters);
}

WarpTile warpTileFor(int64_t m, int64_t n, int64_t products) {
  if (n <= fewRows)
    return narrowWarps;
  if (m <= fewRows)
    return flatWarps;
  return firstThatFits({largeWarps, tallWarps, wideWarps, mediumWarps, smallWarps}, m, n, products);
}

// Rounds that are loaded through registers are one round ahead of the one that is multiplied.
constexpr int64_t stagesOfRegisters = 2;

/// The number of rounds of these tiles, for both operands, that fit `shared` bytes and are of use.
int64_t stagesFor(linalg::GenericOp root, gpu::CopyAttr left, gpu::CopyAttr right, int64_t rows,
                  int64_t columns, int64_t steps, int64_t allSteps, int64_t shared) {
  int64_t most = left.getBytes() || right.getBytes() ? GpuTarget::mostStages : stagesOfRegisters;
  int64_t bytes =
      steps * (rows * elementBytes(root.getDpsInputs()[0]) + columns * elementBytes(root.getDpsInputs()[1]));
  int64_t rounds = std::max<int64_t>(llvm::divideCeil(allSteps, steps), 1);
  return std::min({most, shared / bytes, rounds});
}

} // namespace

static gpu::ScheduleAttr tiledSchedule(train::KernelOp kernel, bool warpGroups) {
  linalg::GenericOp root = analysis::contractionOf(kernel);
  auto maps = root.getIndexingMapsArray();
  int64_t m = 1, n = 1, products = 1, steps = 1;
  for (auto [loop, size] : llvm::enumerate(analysis::loopBounds(kernel, root))) {
    if (loop >= root.getNumParallelLoops()) {
      steps *= size;
      continue;
    }
    bool inLeft = maps[0].isFunctionOfDim(loop), inRight = maps[1].isFunctionOfDim(loop);
    (inLeft == inRight ? products : inLeft ? m : n) *= size;
  }
  gpu::CopyAttr left = copyOf(kernel, root, 0), right = copyOf(kernel, root, 1);
  auto schedule = [&](Attribute form, int64_t blocks, int64_t threads) {
    return gpu::ScheduleAttr::get(kernel.getContext(), form, threads, std::max<int64_t>(blocks * products, 1),
                                  /*scratch=*/0, inplacePairs(kernel));
  };
  if (FloatType low = analysis::lowTypeOf(root)) {
    WarpTile tile = warpTileFor(m, n, products);
    const bool isGroup = warpGroups && gpu::isOfWarpGroup(tile.rows, tile.threads(), low);
    const bool isAlone = isGroup && blocksOf(tile, m, n) * products <= GpuTarget::multiprocessors;
    int64_t round = stepsOfRound(low, left, right, isAlone ? wordsAlone : wordsOfRound);
    int64_t stages = stagesFor(root, left, right, tile.rows, tile.columns, round, steps,
                               isGroup ? GpuTarget::askedSharedBytes : GpuTarget::sharedBytes);
    auto form = gpu::MmaAttr::get(kernel.getContext(), tile.rows, tile.columns, round, tile.warpRows,
                                  tile.warpColumns, stages, left, right);
    return schedule(form, blocksOf(tile, m, n), tile.threads());
  }
  Tile tile = tileFor(m, n, products, elementBytes(root.getResult(0)));
  if (tile.rows == large.rows && tile.columns == large.columns && isRagged(left, right, m, n, steps))
    tile = tall;
  int64_t stages =
      stagesFor(root, left, right, tile.rows, tile.columns, tile.steps, steps, GpuTarget::sharedBytes);
  auto form = gpu::ContractionAttr::get(kernel.getContext(), tile.rows, tile.columns, tile.steps,
                                        tile.threadRows, tile.threadColumns, stages, left, right);
  return schedule(form, blocksOf(tile, m, n), GpuTarget::blockThreads);
}

/// The shared memory of a block that multiplies tiles of both operands.
template <typename Tiles> static int64_t tileBytes(linalg::GenericOp root, Tiles form) {
  return form.getStages() * form.getSteps() *
         (form.getRows() * elementBytes(root.getDpsInputs()[0]) +
          form.getColumns() * elementBytes(root.getDpsInputs()[1]));
}

/// What a form that multiplies tiles says of its operands.
template <typename Tiles> static LogicalResult verifyCopies(train::KernelOp kernel, Tiles form) {
  linalg::GenericOp root = analysis::contractionOf(kernel);
  int64_t steps = 1;
  for (int64_t size : llvm::drop_begin(analysis::loopBounds(kernel, root), root.getNumParallelLoops()))
    steps *= size;
  if (form.getStages() == 1 && steps > form.getSteps())
    return kernel.emitError("expected at least 2 stages for ")
           << steps << " steps in rounds of " << form.getSteps();
  const gpu::CopyAttr copies[] = {form.getLeft(), form.getRight()};
  for (auto [operand, copy] : llvm::enumerate(copies)) {
    int64_t widest = widestCopy(kernel, root, operand, copy.getAlongSteps());
    if (copy.getBytes() != 0 &&
        (copy.getBytes() > widest || copy.getBytes() < elementBytes(root.getDpsInputs()[operand])))
      return kernel.emitError("expected copies of operand ")
             << operand << " of whole elements and at most " << widest << " bytes, got " << copy;
  }
  return success();
}

static LogicalResult verifyTiled(train::KernelOp kernel, gpu::ScheduleAttr schedule) {
  if (!analysis::contractionOf(kernel))
    return kernel.emitError("expected a contraction with at most an elementwise operation after it");
  if (schedule.mma() && !analysis::lowTypeOf(analysis::contractionOf(kernel)))
    return kernel.emitError("expected operands of bf16, f16 or tf32, which tensor cores multiply");
  return schedule.mma() ? verifyCopies(kernel, schedule.mma()) : verifyCopies(kernel, schedule.contraction());
}

const GpuForm tiledForm{
    [](train::KernelOp kernel) { return bool(analysis::contractionOf(kernel)); }, tiledSchedule,
    [](gpu::ScheduleAttr schedule) { return schedule.contraction() || schedule.mma(); }, verifyTiled,
    [](train::KernelOp kernel, gpu::ScheduleAttr schedule) {
      return schedule.mma() ? tileBytes(rootOf(kernel), schedule.mma())
                            : tileBytes(rootOf(kernel), schedule.contraction());
    }};

} // namespace dlc::schedule
