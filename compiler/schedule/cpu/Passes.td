//===- Passes.td - passes of the stage schedule, for CPUs ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_SCHEDULE_CPU_PASSES
#define DLC_SCHEDULE_CPU_PASSES

include "mlir/Pass/PassBase.td"

def ScheduleCpuPass : Pass<"dlc-schedule-cpu", "::mlir::ModuleOp"> {
  let summary = "choose tiles, vectors and the split of work for a CPU";
  let description = [{
    Each kernel gets its `#cpu.schedule`. Later passes only carry these decisions out.
  }];
  let options = [
    Option<"triple", "triple", "std::string", /*default=*/"\"\"", "target triple; empty: this machine's">,
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"", "LLVM's name of the CPU; empty: native, or generic">
  ];
  let dependentDialects = ["::train::TrainDialect", "::dlc::cpu::CpuDialect"];
}

def VerifySchedulePass : Pass<"dlc-verify-schedule", "::mlir::ModuleOp"> {
  let summary = "check what the stage schedule promises";
  let description = [{
    Every kernel has a schedule, whose form fits what the kernel computes; the loops that it vectorises and
    splits exist.
  }];
}

#endif
