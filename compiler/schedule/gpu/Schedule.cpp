//===- Schedule.cpp - the stage schedule, for GPUs -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/analysis/Reductions.h"
#include "compiler/machine/gpu/Rows.h"
#include "compiler/schedule/cpu/Call.h"
#include "compiler/schedule/gpu/Forms.h"
#include "compiler/schedule/gpu/Passes.h"
#include "compiler/schedule/gpu/Stages.h"
#include "compiler/support/Elements.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace dlc::schedule {

#define GEN_PASS_DEF_SCHEDULEGPUPASS
#define GEN_PASS_DEF_VERIFYSCHEDULEGPUPASS
#include "compiler/schedule/gpu/Passes.h.inc"

// The last one is for any kernel.
static const GpuForm *const forms[] = {&attentionForm, &transientForm, &callForm,  &tiledForm,
                                       &scatterForm,   &transposeForm, &pointsForm};

const GpuForm &formOf(gpu::ScheduleAttr schedule) {
  return **llvm::find_if(forms, [&](const GpuForm *form) { return form->is(schedule); });
}

namespace {

struct ScheduleGpu : impl::ScheduleGpuPassBase<ScheduleGpu> {
  using ScheduleGpuPassBase::ScheduleGpuPassBase;

  void runOnOperation() final {
    for (auto program : getOperation().getOps<train::ProgramOp>())
      for (auto kernel : program.getBody().getOps<train::KernelOp>()) {
        const GpuForm &form = **llvm::find_if(forms, [&](const GpuForm *form) { return form->fits(kernel); });
        gpu::ScheduleAttr schedule = form.schedule(kernel, warpGroups);
        if (!schedule)
          return signalPassFailure();
        kernel.setScheduleAttr(schedule);
        explainOnGpu(kernel, warpGroups);
      }
  }
};

LogicalResult verify(train::KernelOp kernel, bool warpGroups) {
  auto schedule = dyn_cast_or_null<gpu::ScheduleAttr>(kernel.getScheduleAttr());
  if (!schedule)
    return kernel.emitError("expected a schedule for GPUs (#cuda.schedule)");
  if (schedule.getGrid() > GpuTarget::mostBlocks)
    return kernel.emitError("needs ") << schedule.getGrid() << " blocks of threads, a launch has at most "
                                      << GpuTarget::mostBlocks << ": make the sizes smaller";
  if (bool(schedule.call()) != bool(callIn(kernel)))
    return kernel.emitError("expected the form call for a call of a user's function, and only there");
  const GpuForm &form = formOf(schedule);
  if (failed(form.verify(kernel, schedule)))
    return failure();
  gpu::MmaAttr mma = schedule.mma();
  const bool asks = warpGroups && mma &&
                    gpu::isOfWarpGroup(mma.getRows(), schedule.getThreads(),
                                       analysis::lowTypeOf(analysis::contractionOf(kernel)));
  const int64_t most = asks ? GpuTarget::askedSharedBytes : GpuTarget::sharedBytes;
  if (int64_t bytes = form.sharedBytes(kernel, schedule); bytes > most)
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
