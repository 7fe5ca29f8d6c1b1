//===- Loops.cpp - vectors and scratch of kernels that are loop nests ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/schedule/cpu/Chunks.h"
#include "compiler/schedule/cpu/Stages.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <algorithm>

using namespace mlir;

namespace dlc::schedule {

bool isTranspose(train::KernelOp kernel) {
  auto ops = llvm::to_vector(kernel.getBody().front().getOps<linalg::GenericOp>());
  if (ops.size() != 1)
    return false;
  linalg::GenericOp op = ops.front();
  unsigned loops = op.getNumLoops();
  if (loops < 2 || loops > 3 || op.getNumParallelLoops() != loops || op.getNumDpsInputs() != 1 ||
      op.getNumResults() != 1)
    return false;
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(loops)); // the last two dims exchanged
  std::swap(order[loops - 2], order[loops - 1]);
  AffineMap swapped = AffineMap::getPermutationMap(order, op.getContext());
  return yielded == op.getBlock()->getArgument(0) && type.hasStaticShape() &&
         type.getElementTypeBitWidth() == 32 && op.getIndexingMapsArray()[0] == swapped &&
         op.getIndexingMapsArray()[1].isIdentity();
}

namespace {

// Rows up to this length are worked on side by side, a row in each lane; longer ones would need more
// registers than there are.
constexpr int64_t shortRow = 16;
// A row of at most so many vectors is unrolled completely.
constexpr int64_t unrolledVectors = 8;
// The number of vectors of columns that are worked on at a time, where nothing asks for more.
constexpr int64_t usualVectors = 4;
// Bodies of at most so many operations, with at most so many bytes of temporaries, have more vectors at a
// time.
constexpr int64_t lightBody = 8, fewTemporaries = 4 << 10;
// A few threads use all of the memory's bandwidth, so that fewer chunks are enough than for other work.
constexpr int64_t enoughSteps = 8;

/// The properties of all operations of a kernel together.
struct Work {
  SmallVector<int64_t> widest; ///< the loops of the operation that has most
  int64_t elements = 0;
  bool reduces = false;
};

Work workOf(train::KernelOp kernel) {
  Work work;
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>()) {
    SmallVector<int64_t> bounds = analysis::loopBounds(kernel, op);
    int64_t size = 1;
    for (int64_t bound : bounds)
      size *= bound;
    work.elements += size;
    work.reduces |= op.getNumReductionLoops() > 0;
    if (bounds.size() > work.widest.size())
      work.widest = bounds;
  }
  return work;
}

/// Whether neighbours along a loop that is not shared are neighbours in memory, and those along a shared one
/// are not.
bool runsInsideRow(AffineMap map, int64_t shared) {
  auto last = map.getNumResults() ? dyn_cast<AffineDimExpr>(map.getResults().back()) : nullptr;
  if (!last || last.getPosition() < shared)
    return false;
  for (int64_t loop = 0; loop < shared; ++loop)
    if (map.isFunctionOfDim(loop))
      return true;
  return false;
}

/// Whether vectors better run along the last shared loop than inside rows.
bool runsAcrossRows(train::KernelOp kernel, int64_t shared) {
  bool across = shared > 0;
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>()) {
    across &= int64_t(op.getNumParallelLoops()) == shared;
    for (OpOperand *input : op.getDpsInputOperands())
      across &= !runsInsideRow(op.getMatchingIndexingMap(input), shared);
  }
  return across;
}

/// The most iterations that an operation has inside the shared loops.
int64_t longestRow(train::KernelOp kernel, int64_t shared) {
  int64_t longest = 1;
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>()) {
    int64_t row = 1;
    const SmallVector<int64_t> bounds = analysis::loopBounds(kernel, op); // which the loop below refers to
    for (int64_t bound : ArrayRef(bounds).drop_front(shared))
      row *= bound;
    longest = std::max(longest, row);
  }
  return longest;
}

/// Whether vectors along rows would be mostly empty, while there are enough rows to fill them.
bool hasShortRows(train::KernelOp kernel, int64_t shared, const CpuTarget &target) {
  return shared > 0 && longestRow(kernel, shared) <= shortRow &&
         llvm::all_of(kernel.getBody().front().getOps<linalg::GenericOp>(), [&](linalg::GenericOp op) {
           return analysis::loopBounds(kernel, op)[shared - 1] >= 2 * target.lanes;
         });
}

/// The number of groups of rows that run together, with a row in each lane of a vector: two groups hide each
/// other's latencies, if the rows of both fit half of the registers.
int64_t vectorsSideBySide(train::KernelOp kernel, int64_t shared, int64_t rows, const CpuTarget &target) {
  bool areMany = rows >= 4 * target.lanes;
  return areMany && 2 * longestRow(kernel, shared) <= target.registers / 2 ? 2 : 1;
}

/// The loop that the vectors of a rows kernel's operation run along: its last, unless that is a reduction
/// whose lanes cannot be combined afterwards.
int64_t ownLane(linalg::GenericOp op, int64_t shared, int64_t lanes) {
  int64_t last = int64_t(op.getNumLoops()) - 1;
  if (lanes <= 1 || last < shared)
    return -1;
  bool isReduction = op.getIteratorTypesArray()[last] == utils::IteratorType::reduction;
  for (unsigned result = 0; isReduction && result < op.getNumResults(); ++result)
    if (!analysis::combinerOf(op, result))
      return -1;
  return last;
}

/// Bytes of the temporaries of one chunk, each `width` elements wide.
int64_t temporaryBytes(train::KernelOp kernel, int64_t width, int64_t lanes) {
  int64_t bytes = 0;
  auto all = llvm::to_vector(kernel.getBody().front().getOps<linalg::GenericOp>());
  for (const analysis::Temporary &temporary :
       analysis::temporariesOf(kernel, all, kernel.getShared().value_or(0)))
    bytes += temporary.bytes(width, lanes);
  return bytes;
}

/// Bytes of the temporaries that go to the arena, because they do not fit the stack.
int64_t scratchOf(train::KernelOp kernel, int64_t width, int64_t lanes) {
  int64_t bytes = temporaryBytes(kernel, width, lanes);
  return bytes > stackBytes ? bytes : 0;
}

/// The number of sums that one vector of columns keeps in registers; 0 where the body is too large to be
/// emitted several times.
int64_t sumsOfColumn(train::KernelOp kernel, int64_t lane) {
  int64_t sums = 0;
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>()) {
    if (op.getNumReductionLoops() == 0)
      continue;
    if (int64_t(op.getBody()->getOperations().size()) > lightBody ||
        llvm::any_of(*op.getBody(),
                     [](Operation &inner) { return isa<math::MathDialect>(inner.getDialect()); }))
      return 0;
    sums = std::max(sums, int64_t(op.getNumResults()) * accumulatorsOf(op, lane));
  }
  return sums;
}

/// The number of vectors of columns that run together. Sums down columns read so many neighbours of each row
/// and then go on to the next row; from pieces of rows, a core gets less than half of the memory's rate. So
/// sums have as many vectors as there are registers for, and, where threads share the columns, as leave
/// enough steps to share.
int64_t vectorsOfColumns(train::KernelOp kernel, int64_t lane, int64_t columns, int64_t lanes, bool areShared,
                         const CpuTarget &target) {
  const int64_t all = std::max<int64_t>(llvm::divideCeil(columns, lanes), 1),
                usual = std::min(all, usualVectors);
  const int64_t sums = sumsOfColumn(kernel, lane);
  if (sums == 0)
    return usual;
  int64_t most = std::min(target.registers / 2, target.registers / sums);
  if (areShared)
    most = std::min(most, all / enoughSteps);
  if (most <= usual)
    return usual;
  const int64_t vectors = llvm::divideCeil(all, llvm::divideCeil(all, most)); // steps of nearly one size
  return temporaryBytes(kernel, vectors * lanes, lanes) <= fewTemporaries ? vectors : usual;
}

/// The first `number` loops as loops that may be cut into chunks; loop `squares` in whole squares.
SmallVector<Cuttable> outerLoops(const Work &work, int64_t number, int64_t squares = -1, int64_t lanes = 1) {
  SmallVector<Cuttable> loops;
  for (int64_t loop = 0; loop < number; ++loop)
    loops.push_back({loop, work.widest[loop], loop == squares ? lanes : 1});
  return loops;
}

cpu::ScheduleAttr columnsSchedule(train::KernelOp kernel, const CpuTarget &target, const Work &work,
                                  bool sideBySide) {
  int64_t shared = *kernel.getShared(), lane = shared - 1;
  int64_t lanes = isTranspose(kernel) ? target.lanes : target.lanesFor(work.widest[lane]);
  SmallVector<cpu::SplitAttr> split;
  const int64_t most = mostChunksOfElements(work.elements);
  // Columns that fit one step of the vectors cannot be split, and where there are few, the outer loop has
  // more chunks.
  int64_t columns = llvm::divideCeil(work.widest[lane], usualVectors * lanes);
  bool splitsColumns =
      shared == 1 || (work.reduces && columns > 1 && (columns >= enoughChunks || columns >= work.widest[0]));
  int64_t vectors = sideBySide ? vectorsSideBySide(kernel, shared, work.widest[lane], target)
                               : vectorsOfColumns(kernel, lane, work.widest[lane], lanes,
                                                  splitsColumns && work.elements > parallelElements, target);
  // A transpose is cut in whole squares.
  int64_t squares = isTranspose(kernel) ? lane - 1 : -1;
  if (work.elements > parallelElements && splitsColumns)
    split = gridOf(kernel, {{lane, work.widest[lane], vectors * lanes}}, most, most);
  else if (work.elements > parallelElements)
    split = gridOf(kernel, outerLoops(work, lane, squares, lanes), enoughChunks, most);
  SmallVector<int64_t> accumulators;
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>())
    accumulators.push_back(accumulatorsOf(op, lane));
  if (llvm::all_of(accumulators, [](int64_t number) { return number == 1; }))
    accumulators.clear();
  Attribute form = cpu::ColumnsAttr::get(
      kernel.getContext(), vectors,
      lanes > 1 ? shortMatrices(kernel, shared, shortRow) : SmallVector<int64_t>(), accumulators);
  if (lanes > 1 && isTranspose(kernel))
    form = cpu::TransposeAttr::get(kernel.getContext());
  return cpu::ScheduleAttr::get(kernel.getContext(), form, lanes, split,
                                scratchOf(kernel, lanes * vectors, lanes), inplacePairs(kernel));
}

} // namespace

cpu::ScheduleAttr rowsSchedule(train::KernelOp kernel, const CpuTarget &target, bool isLarge) {
  int64_t shared = kernel.getShared().value_or(0);
  Work work = workOf(kernel);
  int64_t lanes = work.widest.empty() ? 1 : target.lanes;
  SmallVector<int64_t> along;
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>())
    along.push_back(ownLane(op, shared, lanes));
  SmallVector<cpu::SplitAttr> split;
  if (shared > 0 && isLarge)
    split = gridOf(kernel, outerLoops(work, shared), enoughChunks, mostChunksOfElements(work.elements));
  auto form = cpu::RowsAttr::get(kernel.getContext(), along, unrolledVectors);
  return cpu::ScheduleAttr::get(kernel.getContext(), form, lanes, split, scratchOf(kernel, 1, lanes),
                                inplacePairs(kernel));
}

cpu::ScheduleAttr loopSchedule(train::KernelOp kernel, const CpuTarget &target) {
  int64_t shared = kernel.getShared().value_or(0);
  Work work = workOf(kernel);
  bool across = runsAcrossRows(kernel, shared);
  bool sideBySide = !across && hasShortRows(kernel, shared, target);
  if (across || sideBySide)
    return columnsSchedule(kernel, target, work, sideBySide);
  return rowsSchedule(kernel, target, work.elements > parallelElements);
}

} // namespace dlc::schedule
