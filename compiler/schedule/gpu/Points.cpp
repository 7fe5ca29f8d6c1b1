//===- Points.cpp - kernels whose threads share points of loops ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbouring threads should read neighbouring elements: those of one row where the operations of a point go
// along rows, neighbouring points elsewhere. The number of partial results of a sum is chosen for each
// operation by itself, because the same sum must have the same bits in all kernels: in train_step, where an
// update follows it, and in grad_step, where none does.
//===----------------------------------------------------------------------===//
#include "compiler/schedule/gpu/Stages.h"
#include "dialects/train/KernelSizes.h"
#include <algorithm>

using namespace mlir;

namespace dlc::schedule {
namespace {

// A thread that sums up fewer terms than these is not worth a partial result.
constexpr int64_t leastTerms = 16;
// So many results keep a GPU busy with a thread each.
constexpr int64_t manyResults = 1 << 14;
// Rows this short are one thread's, where there are many.
constexpr int64_t shortRow = 16;

/// Whether the last reduction loop goes along neighbours of some input.
bool reducesAlongRows(train::KernelOp kernel, linalg::GenericOp op) {
  int64_t last = int64_t(op.getNumLoops()) - 1;
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return strideAlong(kernel, op.getMatchingIndexingMap(input), input->get(), last) == 1;
  });
}

int64_t partialsOf(train::KernelOp kernel, linalg::GenericOp op) {
  SmallVector<int64_t> bounds = train::loopBounds(kernel, op);
  int64_t results = productOf(ArrayRef(bounds).take_front(op.getNumParallelLoops()));
  int64_t terms = productOf(ArrayRef(bounds).drop_front(op.getNumParallelLoops()));
  for (unsigned result = 0; result < op.getNumResults(); ++result)
    if (op.getNumReductionLoops() == 0 || !train::combinerOf(op, result))
      return 1;
  int64_t most = powerOfTwo(terms / leastTerms, GpuTarget::blockThreads);
  if (reducesAlongRows(kernel, op) && terms >= GpuTarget::warp)
    return std::max(GpuTarget::warp, most);
  return std::min(most, powerOfTwo(llvm::divideCeil(manyResults, std::max<int64_t>(results, 1)), most));
}

/// What the operations of a kernel are together.
struct Work {
  explicit Work(train::KernelOp kernel) : shared(kernel.getShared().value_or(0)) {
    operations = llvm::to_vector(kernel.getBody().front().getOps<linalg::GenericOp>());
    for (linalg::GenericOp op : operations) {
      SmallVector<int64_t> bounds = train::loopBounds(kernel, op);
      points = productOf(ArrayRef(bounds).take_front(shared));
      longest =
          std::max(longest, productOf(ArrayRef(bounds).slice(shared, op.getNumParallelLoops() - shared)));
      partials.push_back(partialsOf(kernel, op));
      if (partials.back() > mostPartials) {
        mostPartials = partials.back();
        alongRows = reducesAlongRows(kernel, op);
      }
    }
    for (const train::Temporary &temporary : train::temporariesOf(kernel, operations, shared))
      temporaries += temporary.bytes(1, 0);
  }

  int64_t shared;
  SmallVector<linalg::GenericOp> operations;
  int64_t points = 1;            ///< of the shared loops
  int64_t longest = 1;           ///< elements that an operation has at a point
  int64_t temporaries = 0;       ///< bytes that operations hand to each other at a point
  SmallVector<int64_t> partials; ///< of each operation
  int64_t mostPartials = 1;
  bool alongRows = false; ///< whether the terms of a point are neighbours
};

} // namespace

gpu::ScheduleAttr pointsSchedule(train::KernelOp kernel) {
  Work work(kernel);
  int64_t members = work.mostPartials;
  bool rowsAreShort = work.longest <= shortRow && work.points >= manyResults;
  if (work.longest > 1 && !rowsAreShort)
    members = std::max(members, powerOfTwo(work.longest, GpuTarget::blockThreads));
  if (work.temporaries > GpuTarget::localBytes)
    members = std::max(members, GpuTarget::warp);
  bool across = members > 1 && work.longest == 1 && !work.alongRows;

  int64_t perBlock =
      std::min(GpuTarget::blockThreads / members, powerOfTwo(work.points, GpuTarget::blockThreads));
  perBlock = std::max<int64_t>(perBlock, llvm::divideCeil(GpuTarget::warp, members));
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
  auto form =
      gpu::PointsAttr::get(kernel.getContext(), members, across, partials, inShared ? work.temporaries : 0);
  return gpu::ScheduleAttr::get(kernel.getContext(), form, members * perBlock,
                                std::max<int64_t>(llvm::divideCeil(work.points, perBlock), 1),
                                inScratch ? work.temporaries * perBlock : 0, inplacePairs(kernel));
}

} // namespace dlc::schedule
