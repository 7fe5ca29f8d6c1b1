//===- Points.cpp - kernels whose threads share points of loops ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbouring threads should read neighbouring elements: those of one row where the operations of a point go
// along rows, neighbouring points elsewhere. The number of partial results of a sum is chosen for each
// operation by itself, because the same sum must have the same bits in all kernels: in train_step, where an
// update follows it, and in grad_step, where none does.
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/machine/gpu/Rows.h"
#include "compiler/schedule/gpu/Forms.h"
#include "compiler/schedule/gpu/Stages.h"
#include <algorithm>

using namespace mlir;

namespace dlc::schedule {
namespace {

// A thread that sums up fewer terms than these is not worth a partial result.
constexpr int64_t leastTerms = 16;
// The number of results that keeps a GPU busy with one thread each.
constexpr int64_t manyResults = 1 << 14;
// A thread takes so many neighbouring points: 16 bytes of float32. Where there are fewer points, more threads
// are better than wider ones.
constexpr int64_t neighbours = 4, manyPoints = 1 << 17;
// The number of threads that, with a few loads in flight each, use all of a GPU's bandwidth.
constexpr int64_t manyThreads = 1 << 17;
// A block sums up at least so many neighbouring columns: 32 bytes of float32, the least that memory
// transfers.
constexpr int64_t columnsOfBlock = 8;
// Rows up to this length are computed by one thread each, where there are many.
constexpr int64_t shortRow = 16;

/// Whether the last reduction loop goes along neighbours of the largest input: a number for each row, which
/// is read beside a matrix, says nothing of how the matrix lies.
bool reducesAlongRows(train::KernelOp kernel, linalg::GenericOp op) {
  const int64_t last = int64_t(op.getNumLoops()) - 1;
  SmallVector<int64_t> bounds = analysis::loopBounds(kernel, op);
  int64_t largest = 0;
  bool alongRows = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    int64_t elements = 1;
    for (auto [loop, size] : llvm::enumerate(bounds))
      if (map.isFunctionOfDim(loop))
        elements *= size;
    if (elements >= largest) {
      const bool isAlong = strideAlong(kernel, map, input->get(), last) == 1;
      alongRows = isAlong || (alongRows && elements == largest);
      largest = elements;
    }
  }
  return alongRows;
}

int64_t partialsOf(train::KernelOp kernel, linalg::GenericOp op) {
  SmallVector<int64_t> bounds = analysis::loopBounds(kernel, op);
  int64_t results = productOf(ArrayRef(bounds).take_front(op.getNumParallelLoops()));
  int64_t terms = productOf(ArrayRef(bounds).drop_front(op.getNumParallelLoops()));
  for (unsigned result = 0; result < op.getNumResults(); ++result)
    if (op.getNumReductionLoops() == 0 || !analysis::combinerOf(op, result))
      return 1;
  results = std::max<int64_t>(results, 1);
  if (reducesAlongRows(kernel, op) && terms >= GpuTarget::warp) {
    bool areFew = results * GpuTarget::blockThreads < manyThreads;
    int64_t most =
        powerOfTwo(terms / leastTerms, areFew ? GpuTarget::mostBlockThreads : GpuTarget::blockThreads);
    return std::max(GpuTarget::warp, most);
  }
  int64_t most = powerOfTwo(terms / leastTerms, GpuTarget::mostBlockThreads / columnsOfBlock);
  return std::min(most, powerOfTwo(llvm::divideCeil(manyThreads, results), most));
}

/// The properties of all operations of a kernel together.
struct Work {
  explicit Work(train::KernelOp kernel) : shared(kernel.getShared().value_or(0)) {
    operations = llvm::to_vector(kernel.getBody().front().getOps<linalg::GenericOp>());
    for (linalg::GenericOp op : operations) {
      SmallVector<int64_t> bounds = analysis::loopBounds(kernel, op);
      points = productOf(ArrayRef(bounds).take_front(shared));
      longest =
          std::max(longest, productOf(ArrayRef(bounds).slice(shared, op.getNumParallelLoops() - shared)));
      partials.push_back(partialsOf(kernel, op));
      if (partials.back() > mostPartials) {
        mostPartials = partials.back();
        alongRows = reducesAlongRows(kernel, op);
      }
    }
    handedOn = analysis::temporariesOf(kernel, operations, shared);
    for (const analysis::Temporary &temporary : handedOn)
      temporaries += temporary.bytes(1, 0);
  }
  /// Leaves out the tensors that threads keep in registers.
  void keep(const gpu::Rows &rows) {
    for (const analysis::Temporary &temporary : handedOn)
      if (rows.isKept(temporary.result))
        temporaries -= temporary.bytes(1, 0);
  }

  int64_t shared;
  SmallVector<linalg::GenericOp> operations;
  int64_t points = 1;  ///< of the shared loops
  int64_t longest = 1; ///< elements that an operation has at a point
  SmallVector<analysis::Temporary> handedOn;
  int64_t temporaries = 0;       ///< bytes that operations hand to each other in memory, at a point
  SmallVector<int64_t> partials; ///< of each operation
  int64_t mostPartials = 1;
  bool alongRows = false; ///< whether the terms of a point are neighbours
};

} // namespace

/// Whether a thread may have so many neighbouring points of the last shared loop: the loop ends at a multiple
/// of that, operands lie along it, and operations have one element at a point, which no other one needs from
/// memory.
static bool canTakeNeighbours(train::KernelOp kernel, int64_t elements) {
  const int64_t shared = kernel.getShared().value_or(0), last = shared - 1;
  auto operations = llvm::to_vector(kernel.getBody().front().getOps<linalg::GenericOp>());
  if (shared == 0 || !analysis::temporariesOf(kernel, operations, shared).empty())
    return false;
  for (linalg::GenericOp op : operations) {
    if (int64_t(op.getNumLoops()) != shared || analysis::loopBounds(kernel, op)[last] % elements)
      return false;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      // Along an open size, the last group of points may be incomplete.
      for (auto [axis, position] : llvm::enumerate(map.getResults()))
        if (position == getAffineDimExpr(last, map.getContext()) &&
            cast<RankedTensorType>(operand.get().getType()).isDynamicDim(axis))
          return false;
      std::optional<int64_t> stride = strideAlong(kernel, map, operand.get(), last);
      if (stride != 0 && stride != 1)
        return false;
    }
  }
  return true;
}

static gpu::ScheduleAttr pointsSchedule(train::KernelOp kernel, bool) {
  Work work(kernel);
  int64_t members = work.mostPartials;
  // The threads that sum up a row keep it in registers, if it is short enough; more threads would have
  // nothing to add.
  const gpu::Rows rows(kernel, members, work.partials);
  const int64_t turns = work.alongRows && work.points > 0 ? rows.turns() : 0;
  if (turns > 0)
    work.keep(rows);
  bool rowsAreShort = work.longest <= shortRow && work.points >= manyResults;
  if (work.longest > 1 && !rowsAreShort && turns == 0) {
    // Where rows are many, threads that sums leave idle are better at another row.
    int64_t wanted = powerOfTwo(work.longest, GpuTarget::blockThreads);
    while (wanted * leastTerms > work.longest && wanted > GpuTarget::warp &&
           work.points * wanted > 2 * manyThreads)
      wanted /= 2;
    members = std::max(members, wanted);
  }
  if (work.temporaries > GpuTarget::localBytes)
    members = std::max(members, GpuTarget::warp);
  bool across = members > 1 && work.longest == 1 && !work.alongRows;

  int64_t elements = 1;
  if (members == 1 && work.points >= manyPoints && canTakeNeighbours(kernel, neighbours))
    elements = neighbours;

  const int64_t threads =
      across ? std::clamp(columnsOfBlock * members, GpuTarget::blockThreads, GpuTarget::mostBlockThreads)
             : GpuTarget::blockThreads;
  int64_t perBlock = std::min(threads / members, powerOfTwo(work.points, threads));
  perBlock = std::max<int64_t>(perBlock, llvm::divideCeil(GpuTarget::warp, members));
  // A thread without a point would have no row to keep. Blocks of few rows are small, for all
  // multiprocessors.
  while (turns > 0 && perBlock > 1 &&
         (work.points % perBlock || work.points < GpuTarget::multiprocessors * perBlock))
    perBlock /= 2;
  // What is handed on should lie in shared memory, beside the partial results.
  int64_t ofThread = gpu::partialBytes(kernel, work.partials);
  auto bytesAt = [&](int64_t points) { return points * (work.temporaries + members * ofThread); };
  bool inShared = members > 1 && work.temporaries > 0;
  while (inShared && perBlock > 1 && perBlock / 2 * members >= GpuTarget::warp &&
         bytesAt(perBlock) > GpuTarget::sharedBytes)
    perBlock /= 2;
  inShared &= bytesAt(perBlock) <= GpuTarget::sharedBytes;
  bool inScratch = members > 1 && !inShared;

  SmallVector<int64_t> partials = work.mostPartials > 1 ? work.partials : SmallVector<int64_t>();
  auto form = gpu::PointsAttr::get(kernel.getContext(), members, across, partials,
                                   inShared ? work.temporaries : 0, elements, turns);
  return gpu::ScheduleAttr::get(kernel.getContext(), form, members * perBlock,
                                std::max<int64_t>(llvm::divideCeil(work.points, perBlock * elements), 1),
                                inScratch ? work.temporaries * perBlock : 0, inplacePairs(kernel));
}

static LogicalResult verifyPoints(train::KernelOp kernel, gpu::ScheduleAttr schedule) {
  gpu::PointsAttr form = schedule.points();
  size_t operations = llvm::range_size(kernel.getBody().front().getOps<linalg::GenericOp>());
  if (!form.getPartials().empty() && form.getPartials().size() != operations)
    return kernel.emitError("expected the partial results of ")
           << operations << " operations, got those of " << form.getPartials().size();
  if (form.getElements() > 1 && (form.getMembers() > 1 || !canTakeNeighbours(kernel, form.getElements())))
    return kernel.emitError("expected operations that have ")
           << form.getElements() << " neighbouring elements along the last shared loop";
  if (form.getTurns() > 0) {
    auto first = *kernel.getBody().front().getOps<linalg::GenericOp>().begin();
    const int64_t points =
        productOf(ArrayRef(analysis::loopBounds(kernel, first)).take_front(kernel.getShared().value_or(0)));
    if (form.getAcross() ||
        gpu::Rows(kernel, form.getMembers(), form.getPartials()).turns() != form.getTurns() ||
        schedule.getGrid() * schedule.getThreads() != points * form.getMembers())
      return kernel.emitError("expected a row of which each thread has ")
             << form.getTurns() << " elements, and no thread without a row";
  }
  return success();
}

const GpuForm pointsForm{[](train::KernelOp) { return true; }, pointsSchedule,
                         [](gpu::ScheduleAttr schedule) { return bool(schedule.points()); }, verifyPoints,
                         [](train::KernelOp kernel, gpu::ScheduleAttr schedule) {
                           gpu::PointsAttr form = schedule.points();
                           return schedule.getThreads() * gpu::partialBytes(kernel, form.getPartials()) +
                                  schedule.getThreads() / form.getMembers() * form.getShared();
                         }};

} // namespace dlc::schedule
