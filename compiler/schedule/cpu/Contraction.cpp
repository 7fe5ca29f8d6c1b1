//===- Contraction.cpp - register tiles of a contraction -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/ContractionChoice.h"
#include "compiler/support/Elements.h"
#include "compiler/target/cpu/EpilogueStages.h"
#include "compiler/target/cpu/RandomMasks.h"
#include "compiler/target/cpu/Scratch.h"
#include "dialects/train/KernelSizes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <algorithm>

using namespace mlir;

namespace dlc::schedule {

// Below this many multiply-adds waking a second thread costs more than it saves: a barrier takes about 0.2
// us, in which one core does some ten thousand of them.
static constexpr int64_t parallelWork = 1 << 18;
// More chunks balance nothing better; where each needs memory of its own, fewer are enough.
static constexpr int64_t mostChunks = 64, mostLargeChunks = 16, mostChunksOfPanels = 8;
// So many columns of tiles are enough to be shared if there are less than so many images, or so many columns.
static constexpr int64_t fewColumns = 4, manyColumns = 16, fewOutside = 8;
// From so many chunks on, one thread has at most an eighth more to do than another.
static constexpr int64_t evenChunks = 16;
// A chunk that copies columns has them read by at least so many tiles.
static constexpr int64_t leastTiles = 8;
// A chunk that copies the rows for itself has at least so many columns of tiles.
static constexpr int64_t columnsForCopies = 4;
// Copies of columns lie on the stack if they have at most this many bytes.
static constexpr int64_t stackBytes = 64 << 10;
// Masks of a column of tiles leave the first-level cache to its operands.
static constexpr int64_t mostMaskBytes = 8 << 10;

std::optional<int64_t> ContractionChoice::stride(OpOperand *operand, int64_t loop) const {
  return strideAlong(kernel, root.getMatchingIndexingMap(operand), operand->get(), loop);
}

int64_t ContractionChoice::steps() const {
  int64_t steps = 1;
  for (int64_t loop = root.getNumParallelLoops(); loop < int64_t(bounds.size()); ++loop)
    steps *= bounds[loop];
  return steps;
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
    : kernel(kernel), root(train::contractionOf(kernel)), target(target),
      bounds(train::loopBounds(kernel, root)), lane(laneLoopOf(kernel)) {
  if (lane >= 0)
    row = rowLoopOf(*this);
}

static bool drawsRandomBits(train::KernelOp kernel) {
  return kernel.walk([](train::RandomBitsOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// The operation after the contraction.
static linalg::GenericOp epilogueOf(train::KernelOp kernel) {
  auto operations = kernel.getBody().getOps<linalg::GenericOp>();
  return llvm::hasNItems(operations, 2) ? *std::next(operations.begin()) : linalg::GenericOp();
}

/// Whether what a product of matrices decides at random can be decided before, and kept on the stack.
static bool hasMasks(const ContractionChoice &choice) {
  linalg::GenericOp epilogue = epilogueOf(choice.kernel);
  if (!epilogue || choice.row < 0 || choice.target.lanes == 1 || choice.root.getNumParallelLoops() != 2 ||
      llvm::any_of(
          epilogue->getResultTypes(), [](Type type) { return !cast<ShapedType>(type).hasStaticShape(); }))
    return false;
  std::optional<cpu::RandomMasks> masks = cpu::randomMasks(epilogue);
  return masks && int64_t(masks->masks.size()) * choice.bounds[choice.row] *
                          cpu::RandomMasks::bytesOfRow(choice.target.lanes, choice.vectors) <=
                      mostMaskBytes;
}

/// The register tile. A row's broadcast element, a row of vectors of the other operand and the
/// accumulators must fit the registers; eight or more accumulators hide the latency of a multiply-add.
static void chooseTile(ContractionChoice &choice) {
  const CpuTarget &target = choice.target;
  choice.vectors =
      std::min<int64_t>(llvm::divideCeil(choice.bounds[choice.lane], target.lanes), target.costs.tileVectors);
  auto accumulators = [&] { return target.registers - choice.vectors - 1; };
  int64_t rows =
      choice.vectors == target.costs.tileVectors ? target.costs.tileRows : target.costs.narrowTileRows;
  choice.masks = choice.target.costs.masksFirst && hasMasks(choice);
  // Eight rows share the words of their random bits.
  if (drawsRandomBits(choice.kernel) && !choice.masks)
    rows = cpu::rowsOfWords;
  while (rows * choice.vectors > accumulators())
    choice.vectors /= 2;
  choice.rows = std::max<int64_t>(1, std::min(rows, choice.row >= 0 ? choice.bounds[choice.row] : 1));
}

/// The loop outside of all tiles, such as that over images, that has the most iterations; -1 where there is
/// none.
static int64_t outerLoopOf(const ContractionChoice &choice) {
  int64_t best = -1;
  for (int64_t loop = 0; loop < int64_t(choice.root.getNumParallelLoops()); ++loop)
    if (loop != choice.lane && loop != choice.row && (best < 0 || choice.bounds[loop] > choice.bounds[best]))
      best = loop;
  return best;
}

/// Whether two threads share so many chunks evenly, which all take as long, or nearly so. More chunks would
/// be shared evenly by more threads, but each has copies of its own.
static bool areEven(int64_t chunks) { return chunks % 2 == 0 || chunks >= evenChunks; }

/// Where columns are cut into chunks that threads cannot share evenly, such as three, images or rows are cut
/// too. Each part copies its columns for itself: they have to be read by some tiles.
static void shareRows(ContractionChoice &choice) {
  if (choice.split.size() != 1 || choice.split.front().getLoop() != choice.lane ||
      !choice.columnsAndRows().first)
    return;
  int64_t columns = choice.split.front().getChunks(), parts = 1;
  while (!areEven(columns * parts))
    ++parts;
  if (parts == 1 || parts > tilesOfColumns(choice) / leastTiles)
    return;
  SmallVector<Cuttable> loops;
  AffineMap map = choice.root.getMatchingIndexingMap(choice.columnsAndRows().first);
  for (int64_t loop = 0; loop < int64_t(choice.root.getNumParallelLoops()); ++loop)
    if (loop != choice.row && !map.isFunctionOfDim(loop))
      loops.push_back({loop, choice.bounds[loop], 1});
  loops.push_back({choice.row, choice.bounds[choice.row], choice.rows});
  // Blocks of rows end where parts do.
  int64_t part = llvm::divideCeil(choice.bounds[choice.row], parts);
  for (cpu::BlockAttr &block : choice.nest)
    if (block.getLoop() == choice.row) {
      int64_t size = llvm::divideCeil(part, llvm::divideCeil(part, block.getSize()));
      loops.back().unit = llvm::alignTo(size, choice.rows);
      block = cpu::BlockAttr::get(choice.kernel.getContext(), choice.row, loops.back().unit);
    }
  SmallVector<cpu::SplitAttr> grid = gridOf(choice.kernel, loops, parts, parts);
  choice.split.insert(choice.split.begin(), grid.begin(), grid.end());
}

/// Whether the epilogue updates tensors in place.
static bool updates(train::KernelOp kernel) {
  return kernel.getBody().front().getTerminator()->getNumOperands() >= 2 && !inplacePairs(kernel).empty();
}

/// Of how many rows chunks of them are multiples.
static int64_t unitOfRows(const ContractionChoice &choice) {
  return choice.rows * (updates(choice.kernel) ? choice.target.costs.updateTiles : 1);
}

/// Where all rows are copied first, rows are what chunks share: each copies its own, and one column of tiles
/// after the other. Chunks of columns would each copy all rows, which takes as many times the memory. The
/// columns' copies, one for each chunk, take half of what the rows' take at most.
static void splitCopiedRows(ContractionChoice &choice) {
  int64_t column = choice.steps() * choice.width() * elementBytes(choice.columnsAndRows().first->get());
  int64_t most = std::clamp<int64_t>(rowsBytes(choice) / (2 * column), 2, mostLargeChunks) / 2 * 2;
  choice.split =
      gridOf(choice.kernel, {{choice.row, choice.bounds[choice.row], unitOfRows(choice)}}, most, most);
}

/// Whether rows lie in panels as they are, and need no copies.
static bool hasRowsInPanels(const ContractionChoice &choice) {
  OpOperand *rows = choice.columnsAndRows().second;
  return isLarge(choice) &&
         llvm::any_of(choice.root.getMatchingIndexingMap(rows).getResults(), [&](AffineExpr expr) {
           return expr.getKind() == AffineExprKind::Mod && expr.isFunctionOfDim(choice.row);
         });
}

/// Columns of the result belong to one thread from kernel to kernel; images or rows where there are few
/// columns.
static void chooseSplit(ContractionChoice &choice) {
  int64_t work = 1, most = isLarge(choice) ? mostLargeChunks : mostChunks;
  for (int64_t bound : choice.bounds)
    work *= bound;
  if (work <= parallelWork)
    return;
  if (copiesRowsOnce(choice))
    return splitCopiedRows(choice);
  if (hasRowsInPanels(choice)) // each chunk copies columns, and memory is full there (fuse/InPanels.cpp)
    most = mostChunksOfPanels;
  int64_t laneSize = choice.bounds[choice.lane], outer = outerLoopOf(choice);
  int64_t columns = copiesRows(choice) ? columnsForCopies * choice.width() : choice.width();
  int64_t outside = outer >= 0 ? choice.bounds[outer] : 0, columnChunks = llvm::divideCeil(laneSize, columns);
  // A chunk of images copies all columns; one of columns, its own.
  bool hasManyOutside =
      !copiesColumns(choice) && outside >= fewOutside && outside > columnChunks && columnChunks < manyColumns;
  if ((laneSize >= fewColumns * choice.width() && !hasManyOutside) || choice.row < 0) {
    choice.split = gridOf(choice.kernel, {{choice.lane, laneSize, columns}}, most, most);
    return;
  }
  if (copiesColumns(choice)) // each chunk of rows copies them all
    most = std::min(most, tilesOfColumns(choice) / CpuCosts::copiedForTiles);
  if (outside > choice.bounds[choice.row] / choice.rows)
    choice.split = gridOf(choice.kernel, {{outer, outside, 1}}, most, most);
  else
    choice.split =
        gridOf(choice.kernel, {{choice.row, choice.bounds[choice.row], unitOfRows(choice)}}, most, most);
}

/// Whether the epilogue computes functions that are long chains of instructions.
static bool computesFunctions(train::KernelOp kernel) {
  auto isLong = [](Operation *op) {
    return isa<math::MathDialect>(op->getDialect()) && !isa<math::FmaOp, math::SqrtOp, math::AbsFOp>(op);
  };
  return kernel
      .walk([&](Operation *op) { return isLong(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

/// Whether the epilogue reads a tensor which no near cache holds, and the reduction covers the way from
/// memory.
static bool readsFar(ContractionChoice &choice) {
  constexpr int64_t leastSteps = 64;
  if (choice.row < 0 || choice.target.lanes == 1 || choice.steps() < leastSteps)
    return false;
  return llvm::any_of(choice.kernel.getBody().getArguments(), [&](BlockArgument argument) {
    auto type = cast<RankedTensorType>(argument.getType());
    bool isOfRoot = llvm::is_contained(choice.root->getOperands(), argument);
    return !isOfRoot && type.hasStaticShape() &&
           type.getNumElements() * elementBytes(type) >= choice.target.costs.l2Bytes;
  });
}

// Shorter reduction loops gain nothing from several steps between two jumps.
constexpr int64_t longLoop = 32;

static std::optional<cpu::EpilogueStages> stagesOf(train::KernelOp kernel) {
  linalg::GenericOp epilogue = epilogueOf(kernel);
  // What the first stage makes, the second reads from memory.
  auto isWritten = [](Value result) {
    return llvm::any_of(result.getUsers(), [](Operation *user) { return isa<train::YieldOp>(user); });
  };
  return epilogue && llvm::all_of(epilogue->getResults(), isWritten)
             ? cpu::epilogueStages(epilogue, train::contractionOf(kernel)->getResult(0))
             : std::nullopt;
}

/// Whether the epilogue, which computes functions, runs on all vectors of a row at once, behind the tile. All
/// that it reads and writes then lies side by side in memory.
static bool runsSideBySide(ContractionChoice &choice) {
  if (!choice.target.costs.sideBySide || choice.row < 0 || choice.vectors == 1 || choice.target.lanes == 1 ||
      updates(choice.kernel) || drawsRandomBits(choice.kernel) || !computesFunctions(choice.kernel) ||
      (isLarge(choice) && readsFar(choice)))
    return false;
  linalg::GenericOp epilogue = epilogueOf(choice.kernel);
  return epilogue && llvm::all_of(epilogue->getOpOperands(), [&](OpOperand &operand) {
           // Parallel loops come first: the epilogue's loops are these.
           AffineMap map = epilogue.getMatchingIndexingMap(&operand);
           std::optional<int64_t> stride = strideAlong(choice.kernel, map, operand.get(), choice.lane);
           return stride == 0 || stride == 1;
         });
}

/// Steps of the reduction for each vector of the epilogue, where that is best run inside the next tile's
/// reduction: it updates tensors in place or reads what is far, so it waits for memory, or it computes
/// functions, so it waits for their results; and the reduction is long enough to take it in.
static void choosePipeline(ContractionChoice &choice) {
  bool isFar = isLarge(choice) && readsFar(choice);
  bool isUpdate = updates(choice.kernel);
  if (choice.sideBySide || choice.row < 0 || choice.rowsOfChunk() < 2 * choice.rows ||
      choice.target.lanes == 1 || choice.root.getNumReductionLoops() != 1 || drawsRandomBits(choice.kernel) ||
      (!isUpdate && !isFar && !computesFunctions(choice.kernel)))
    return;
  bool isStatic = llvm::all_of(choice.root.getOperandTypes(),
                               [](Type type) { return cast<ShapedType>(type).hasStaticShape(); });
  int64_t vectors = choice.rows * choice.vectors, length = choice.steps();
  if (!isStatic || choice.bounds[choice.row] < 2 * choice.rows || length < vectors)
    return;
  // A part of the reduction takes part. Where memory is what it waits for, it is spread, so that what
  // it asks of memory comes and goes evenly; elsewhere that gains nothing.
  int64_t most = isFar ? 16 : 2;
  choice.pipeline = std::clamp<int64_t>(length / (choice.target.costs.updateShare * vectors), 1, most);
  if (choice.target.costs.updateStages == 2 && isUpdate && stagesOf(choice.kernel))
    choice.stages = 2;
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

/// Pairs that may share storage. In two stages, the first one writes results while the second still has to
/// read its arguments.
static SmallVector<int64_t> sharedPlaces(train::KernelOp kernel, cpu::ContractionAttr form) {
  SmallVector<int64_t> all = inplacePairs(kernel), pairs;
  if (form.getStages() == 1)
    return all;
  cpu::EpilogueStages stages = *stagesOf(kernel);
  linalg::GenericOp epilogue = epilogueOf(kernel);
  Block &body = kernel.getBody().front();
  auto isReadLate = [&](Value argument) {
    return llvm::any_of(epilogue.getDpsInputOperands(), [&](OpOperand *operand) {
      return operand->get() == argument && stages.readsLate(epilogue.getMatchingBlockArgument(operand));
    });
  };
  auto isWrittenLate = [&](Value yielded) {
    auto result = cast<OpResult>(yielded);
    return result.getOwner() == epilogue &&
           stages.isLate(epilogue.getBlock()->getTerminator()->getOperand(result.getResultNumber()));
  };
  for (size_t i = 0; i < all.size(); i += 2)
    if (!isReadLate(body.getArgument(all[i])) || isWrittenLate(body.getTerminator()->getOperand(all[i + 1])))
      pairs.append({all[i], all[i + 1]});
  return pairs;
}

cpu::ScheduleAttr contractionSchedule(train::KernelOp kernel, const CpuTarget &target) {
  ContractionChoice choice(kernel, target);
  // A product with a vector, or down to one number, runs its vectors along the reduction.
  bool strided = llvm::any_of(choice.root.getDpsInputOperands(), [&](OpOperand *operand) {
    auto stride = choice.stride(operand, choice.lane);
    return stride != 0 && stride != 1;
  });
  if (choice.lane >= 0)
    chooseTile(choice);
  if (choice.lane < 0 || (strided && choice.steps() > shortReduction && !isLarge(choice))) {
    int64_t work = 1;
    for (int64_t bound : choice.bounds)
      work *= bound;
    return rowsSchedule(kernel, target, work > parallelWork);
  }
  chooseSplit(choice);
  choice.sideBySide = runsSideBySide(choice);
  choosePipeline(choice);
  chooseBlocks(choice);
  chooseDirections(choice);
  choice.fetch = readsFar(choice);
  if (choice.bounds.back() >= longLoop)
    choice.unroll = target.costs.unrolledSteps;
  auto formed = [&] {
    return cpu::ContractionAttr::get(kernel.getContext(), choice.lane, choice.row, choice.rows,
                                     choice.vectors, choice.nest, choice.columns, choice.rowsCopied,
                                     choice.descending, choice.pipeline, choice.stages, choice.sideBySide,
                                     choice.unroll, choice.ahead, choice.fetch, choice.next, choice.nextLines,
                                     choice.masks, accumulatorsOf(choice.root, choice.lane));
  };
  if (!cpu::keepsSumsInScratch(choice.root, formed())) // one loop must be the outermost there
    shareRows(choice);
  chooseNext(choice);
  cpu::ContractionAttr form = formed();
  auto with = [&](int64_t scratch) {
    return cpu::ScheduleAttr::get(kernel.getContext(), form, target.lanes, choice.split, scratch,
                                  sharedPlaces(kernel, form));
  };
  int64_t bytes = cpu::ContractionScratch(choice.root, with(0), choice.bounds).bytes();
  bool onStack = form.getColumns() == form.perColumnOfTiles() && form.getRowsCopied() < 0;
  return with(onStack && bytes <= stackBytes ? 0 : bytes);
}

} // namespace dlc::schedule
