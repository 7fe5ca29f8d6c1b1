//===- Schedule.cpp - the stage schedule, for CPUs -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/Passes.h"
#include "compiler/schedule/cpu/Stages.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace dlc::schedule {

#define GEN_PASS_DEF_SCHEDULECPUPASS
#define GEN_PASS_DEF_VERIFYSCHEDULEPASS
#include "compiler/schedule/cpu/Passes.h.inc"

namespace {

struct ScheduleCpu : impl::ScheduleCpuPassBase<ScheduleCpu> {
  using ScheduleCpuPassBase::ScheduleCpuPassBase;

  void runOnOperation() final {
    auto target = CpuTarget::get(triple, cpu);
    if (!target) {
      getOperation().emitError() << llvm::toString(target.takeError());
      return signalPassFailure();
    }
    for (auto program : getOperation().getOps<train::ProgramOp>()) {
      // Forms first: they decide which operands still need a transpose.
      Kernels kernels(program);
      choosePhysicalForms(program, kernels, *target);
      packOperands(program, kernels);
      mergeEqualKernels(program);
      for (auto kernel : program.getBody().getOps<train::KernelOp>())
        kernel.setScheduleAttr(scheduleOf(kernel, *target));
    }
  }
};

struct VerifySchedule : impl::VerifySchedulePassBase<VerifySchedule> {
  void runOnOperation() final {
    bool failed = false;
    getOperation().walk([&](train::KernelOp kernel) {
      auto schedule = kernel.getSchedule();
      if (!schedule) {
        kernel.emitError("expected a schedule");
        failed = true;
        return;
      }
      int64_t most = 0;
      for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>())
        most = std::max<int64_t>(most, op.getNumLoops());
      if (schedule->getLaneDim() >= most || schedule->getSplitDim() >= most) {
        kernel.emitError("expected a schedule over ")
            << most << " loops, got lane_dim " << schedule->getLaneDim() << " and split_dim "
            << schedule->getSplitDim();
        failed = true;
      }
      if (schedule->getChunks() > 1 && (schedule->getSplitDim() < 0 || schedule->getSplit() <= 0)) {
        kernel.emitError("expected a loop to split into ") << schedule->getChunks() << " chunks";
        failed = true;
      }
    });
    if (failed)
      signalPassFailure();
  }
};

} // namespace
} // namespace dlc::schedule
