//===- Schedule.cpp - the stage schedule, for CPUs -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/machine/NamedTarget.h"
#include "compiler/machine/cpu/Scratch.h"
#include "compiler/schedule/cpu/Call.h"
#include "compiler/schedule/cpu/Passes.h"
#include "compiler/schedule/cpu/Stages.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace dlc::schedule {

#define GEN_PASS_DEF_SCHEDULECPUPASS
#define GEN_PASS_DEF_VERIFYSCHEDULEPASS
#include "compiler/schedule/cpu/Passes.h.inc"

namespace {

struct ScheduleCpu : impl::ScheduleCpuPassBase<ScheduleCpu> {
  using ScheduleCpuPassBase::ScheduleCpuPassBase;
  explicit ScheduleCpu(CpuTarget target) : target(std::move(target)) {}

  void runOnOperation() final {
    if (!target) { // run alone: the options say which
      FailureOr<CpuTarget> named = namedTarget(getOperation(), triple, cpu);
      if (failed(named))
        return signalPassFailure();
      target = std::move(*named);
    }
    for (auto program : getOperation().getOps<train::ProgramOp>())
      for (auto kernel : program.getBody().getOps<train::KernelOp>()) {
        if (train::CustomCallOp call = callIn(kernel); call && !call.definition().getFunction() && !call.definition().getCollective()) {
          call.emitError("the custom operation '") << call.getCallee() << "' has code for GPUs only, which "
                                                   << "--target=cpu cannot use";
          return signalPassFailure();
        }
        kernel.setScheduleAttr(kernel.getSteps()             ? stepsSchedule(kernel, *target)
                               : callIn(kernel)              ? callSchedule(kernel)
                               : analysis::productOf(kernel) ? contractionSchedule(kernel, *target)
                               : scatterIn(kernel)           ? scatterSchedule(kernel, *target)
                                                             : loopSchedule(kernel, *target));
        explain(kernel, *target);
      }
  }

  std::optional<CpuTarget> target;
};

/// The largest number of a loop that the schedule names.
int64_t lastLoopOf(cpu::ScheduleAttr schedule) {
  int64_t last = -1;
  for (cpu::SplitAttr split : schedule.getSplit())
    last = std::max(last, split.getLoop());
  if (cpu::ContractionAttr form = schedule.contraction())
    last = std::max({last, form.getTile().getLane(), form.getTile().getRow()});
  if (cpu::ScatterAttr form = schedule.scatter())
    last = std::max({last, form.getLoop(), form.getLane()});
  if (cpu::RowsAttr form = schedule.rows())
    for (int64_t loop : form.getAlong())
      last = std::max(last, loop);
  if (cpu::StepsAttr form = schedule.steps())
    for (cpu::ScheduleAttr step : form.getSteps())
      last = std::max(last, lastLoopOf(step));
  return last;
}

/// What must hold of a contraction beside the loops that are there (target/cpu/Contraction.cpp).
LogicalResult verifyProduct(train::KernelOp kernel, cpu::ContractionAttr form) {
  linalg::GenericOp root = analysis::productOf(kernel);
  if (!root)
    return kernel.emitError("expected a contraction with at most an elementwise operation after it");
  const size_t splits = cast<cpu::ScheduleAttr>(kernel.getScheduleAttr()).getSplit().size();
  if (splits > 1 && cpu::keepsSumsInScratch(root, form.getNest()))
    return kernel.emitError("expected one loop to split where sums are kept in scratch, got ") << splits;
  const bool isOneReduction = root.getNumReductionLoops() == 1 && !cpu::cutsReduction(root, form.getNest());
  if (!isOneReduction && (form.getEpilogue().isPipelined() || form.getPrefetch().ofSteps()))
    return kernel.emitError("expected one reduction loop, in one block, where epilogues run inside of it or ")
           << "its steps prefetch rows or columns, got " << root.getNumReductionLoops()
           << " loops in a nest of " << form.getNest().size();
  return success();
}

LogicalResult verify(train::KernelOp kernel) {
  auto schedule = dyn_cast_or_null<cpu::ScheduleAttr>(kernel.getScheduleAttr());
  if (!schedule)
    return kernel.emitError("expected a schedule for CPUs (#cpu.schedule)");
  if (train::CustomCallOp call = callIn(kernel); call || cpu::isCall(schedule)) {
    if (call && cpu::isCall(schedule) && lastLoopOf(schedule) < (call.rowCount() ? 1 : 0))
      return success();
    return kernel.emitError("expected a call of a user's function, of which nothing but rows is split");
  }
  auto ops = llvm::to_vector(kernel.getBody().front().getOps<linalg::GenericOp>());
  int64_t most = 0;
  for (linalg::GenericOp op : ops)
    most = std::max<int64_t>(most, op.getNumLoops());
  if (lastLoopOf(schedule) >= most)
    return kernel.emitError("expected a schedule over ")
           << most << " loops, got one with a loop " << lastLoopOf(schedule);
  if (cpu::ContractionAttr form = schedule.contraction(); form && failed(verifyProduct(kernel, form)))
    return failure();
  if (cpu::ScatterAttr form = schedule.scatter()) {
    linalg::GenericOp op = scatterIn(kernel);
    if (!op || analysis::scatterOf(op)->loop != form.getLoop())
      return kernel.emitError("expected an operation that adds where a position along loop ")
             << form.getLoop() << " equals one that it computes";
    if (form.getLane() >= 0 && analysis::dependsOnLoop(op, analysis::scatterOf(op)->index, form.getLane()))
      return kernel.emitError("expected the same positions in all lanes, along loop ") << form.getLane();
  }
  if (cpu::StepsAttr form = schedule.steps()) {
    size_t steps = analysis::stepsOf(kernel).size(),
           handed = analysis::handedBetweenSteps(kernel, form.getBlock()).size();
    if (form.getSteps().size() != steps || form.getPlaces().size() != handed)
      return kernel.emitError("expected schedules of ")
             << steps << " steps and " << handed << " places of what they hand to each other, got "
             << form.getSteps().size() << " and " << form.getPlaces().size();
    if (llvm::any_of(form.getSteps(),
                     [](cpu::ScheduleAttr step) { return !step.getSplit().empty() || step.steps(); }))
      return kernel.emitError("expected steps that are neither split nor made of steps");
  }
  if (cpu::RowsAttr form = schedule.rows(); form && form.getAlong().size() != ops.size())
    return kernel.emitError("expected the vectorised loop of ")
           << ops.size() << " operations, got that of " << form.getAlong().size();
  return success();
}

struct VerifySchedule : impl::VerifySchedulePassBase<VerifySchedule> {
  void runOnOperation() final {
    bool failed = false;
    getOperation().walk([&](train::KernelOp kernel) { failed |= mlir::failed(verify(kernel)); });
    if (failed)
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createScheduleCpuFor(CpuTarget target) {
  return std::make_unique<ScheduleCpu>(std::move(target));
}

} // namespace dlc::schedule
