//===- Schedule.cpp - the stage schedule, for GPUs -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/analysis/Reductions.h"
#include "compiler/machine/gpu/Rows.h"
#include "compiler/schedule/cpu/Call.h"
#include "compiler/schedule/gpu/Passes.h"
#include "compiler/schedule/gpu/Stages.h"
#include "compiler/support/Elements.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace dlc::schedule {

#define GEN_PASS_DEF_SCHEDULEGPUPASS
#define GEN_PASS_DEF_VERIFYSCHEDULEGPUPASS
#include "compiler/schedule/gpu/Passes.h.inc"

namespace {
/// The shared memory of a block that multiplies tiles of both operands.
template <typename Form> int64_t tileBytes(linalg::GenericOp root, Form form) {
  return form.getStages() * form.getSteps() *
         (form.getRows() * elementBytes(root.getDpsInputs()[0]) +
          form.getColumns() * elementBytes(root.getDpsInputs()[1]));
}
} // namespace

int64_t sharedBytes(train::KernelOp kernel, gpu::ScheduleAttr schedule) {
  if (gpu::ContractionAttr form = schedule.contraction())
    return tileBytes(rootOf(kernel), form);
  if (gpu::MmaAttr form = schedule.mma())
    return tileBytes(rootOf(kernel), form);
  if (gpu::AttentionAttr form = schedule.attention())
    return form.sharedBytes(elementsPerWord(analysis::attentionOf(kernel)->scores));
  if (gpu::TransientAttr form = schedule.transient())
    return form.sharedBytes(elementsPerWord(analysis::transientOf(kernel)->producers.front()));
  if (gpu::TransposeAttr form = schedule.transpose())
    return form.getSize() * (form.getSize() + 1) * elementBytes(rootOf(kernel).getResult(0));
  if (schedule.scatter())
    return gpu::ScatterAttr::sharedBytes(schedule.getThreads());
  if (gpu::PointsAttr form = schedule.points())
    return schedule.getThreads() * gpu::partialBytes(kernel, form.getPartials()) +
           schedule.getThreads() / form.getMembers() * form.getShared();
  return 0;
}

namespace {

struct ScheduleGpu : impl::ScheduleGpuPassBase<ScheduleGpu> {
  using ScheduleGpuPassBase::ScheduleGpuPassBase;

  void runOnOperation() final {
    for (auto program : getOperation().getOps<train::ProgramOp>())
      for (auto kernel : program.getBody().getOps<train::KernelOp>()) {
        gpu::ScheduleAttr schedule = scheduleOf(kernel);
        if (!schedule)
          return signalPassFailure();
        kernel.setScheduleAttr(schedule);
        explainOnGpu(kernel, warpGroups);
      }
  }

  gpu::ScheduleAttr scheduleOf(train::KernelOp kernel) {
    if (std::optional<analysis::Attention> attention = analysis::attentionOf(kernel))
      return attentionSchedule(kernel, *attention);
    if (std::optional<analysis::TransientKernel> transient = analysis::transientOf(kernel))
      return transientSchedule(kernel, *transient);
    return callIn(kernel)                    ? callOnGpu(kernel)
           : analysis::contractionOf(kernel) ? tiledSchedule(kernel, warpGroups)
           : scatterIn(kernel)               ? scatterOnGpu(kernel)
           : isTranspose(kernel)             ? transposeSchedule(kernel)
                                             : pointsSchedule(kernel);
  }
};

/// What a form that multiplies tiles says of its operands.
template <typename Form> LogicalResult verifyCopies(train::KernelOp kernel, Form form) {
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

LogicalResult verify(train::KernelOp kernel, bool warpGroups) {
  auto schedule = dyn_cast_or_null<gpu::ScheduleAttr>(kernel.getScheduleAttr());
  if (!schedule)
    return kernel.emitError("expected a schedule for GPUs (#cuda.schedule)");
  if (schedule.getGrid() > GpuTarget::mostBlocks)
    return kernel.emitError("needs ") << schedule.getGrid() << " blocks of threads, a launch has at most "
                                      << GpuTarget::mostBlocks << ": make the sizes smaller";
  if (bool(schedule.call()) != bool(callIn(kernel)))
    return kernel.emitError("expected the form call for a call of a user's function, and only there");
  if ((schedule.contraction() || schedule.mma()) && !analysis::contractionOf(kernel))
    return kernel.emitError("expected a contraction with at most an elementwise operation after it");
  if (schedule.mma() && !analysis::lowTypeOf(analysis::contractionOf(kernel)))
    return kernel.emitError("expected operands of bf16, f16 or tf32, which tensor cores multiply");
  if (gpu::ContractionAttr form = schedule.contraction(); form && failed(verifyCopies(kernel, form)))
    return failure();
  if (gpu::MmaAttr form = schedule.mma(); form && failed(verifyCopies(kernel, form)))
    return failure();
  if (schedule.attention() && !analysis::attentionOf(kernel))
    return kernel.emitError("expected two products with a softmax between them");
  if (gpu::TransientAttr form = schedule.transient()) {
    std::optional<analysis::TransientKernel> transient = analysis::transientOf(kernel);
    if (!transient)
      return kernel.emitError("expected products that make elements, and products or sums along one side of "
                              "their matrices");
    if (form.getKept() != ArrayRef(paddedElementsPerPosition(*transient, true)) ||
        form.getBrought() != ArrayRef(paddedElementsPerPosition(*transient, false)))
      return kernel.emitError("expected as many numbers of each position as the products' operands have");
  }
  if (schedule.transpose() && !isTranspose(kernel))
    return kernel.emitError("expected a copy that exchanges the last two dims");
  if (gpu::ScatterAttr form = schedule.scatter()) {
    linalg::GenericOp op = scatterIn(kernel);
    if (!op || analysis::scatterOf(op)->loop != form.getLoop())
      return kernel.emitError("expected an operation that adds where a position along loop ")
             << form.getLoop() << " equals one that it computes";
    if (form.getRows() < 1 || form.getColumns() < 1 || form.getColumns() > schedule.getThreads())
      return kernel.emitError("expected a thread for each of ") << form.getColumns() << " columns";
  }
  size_t operations = llvm::range_size(kernel.getBody().front().getOps<linalg::GenericOp>());
  if (gpu::PointsAttr form = schedule.points();
      form && !form.getPartials().empty() && form.getPartials().size() != operations)
    return kernel.emitError("expected the partial results of ")
           << operations << " operations, got those of " << form.getPartials().size();
  if (gpu::PointsAttr form = schedule.points();
      form && form.getElements() > 1 &&
      (form.getMembers() > 1 || !canTakeNeighbours(kernel, form.getElements())))
    return kernel.emitError("expected operations that have ")
           << form.getElements() << " neighbouring elements along the last shared loop";
  if (gpu::PointsAttr form = schedule.points(); form && form.getTurns() > 0) {
    auto first = *kernel.getBody().front().getOps<linalg::GenericOp>().begin();
    const int64_t points =
        productOf(ArrayRef(analysis::loopBounds(kernel, first)).take_front(kernel.getShared().value_or(0)));
    if (form.getAcross() ||
        gpu::Rows(kernel, form.getMembers(), form.getPartials()).turns() != form.getTurns() ||
        schedule.getGrid() * schedule.getThreads() != points * form.getMembers())
      return kernel.emitError("expected a row of which each thread has ")
             << form.getTurns() << " elements, and no thread without a row";
  }
  gpu::MmaAttr mma = schedule.mma();
  const bool asks = warpGroups && mma &&
                    gpu::isOfWarpGroup(mma.getRows(), schedule.getThreads(),
                                       analysis::lowTypeOf(analysis::contractionOf(kernel)));
  const int64_t most = asks ? GpuTarget::askedSharedBytes : GpuTarget::sharedBytes;
  if (int64_t bytes = sharedBytes(kernel, schedule); bytes > most)
    return kernel.emitError("needs ") << bytes << " bytes of shared memory, a block of threads has " << most;
  return success();
}

struct VerifyScheduleGpu : impl::VerifyScheduleGpuPassBase<VerifyScheduleGpu> {
  using VerifyScheduleGpuPassBase::VerifyScheduleGpuPassBase;

  void runOnOperation() final {
    bool failed = false;
    getOperation().walk([&](train::KernelOp kernel) { failed |= mlir::failed(verify(kernel, warpGroups)); });
    if (failed)
      signalPassFailure();
  }
};

} // namespace
} // namespace dlc::schedule
