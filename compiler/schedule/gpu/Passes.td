//===- Passes.td - passes of the stage schedule, for GPUs ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_SCHEDULE_GPU_PASSES
#define DLC_SCHEDULE_GPU_PASSES

include "mlir/Pass/PassBase.td"

def ScheduleGpuPass : Pass<"dlc-schedule-gpu", "::mlir::ModuleOp"> {
  let summary = "choose tiles and the mapping of loops to threads for a GPU";
  let description = [{
    Each kernel gets its `#cuda.schedule`. Later passes only carry these decisions out. Nothing in it depends on
    which GPU it is, as long as that is one that dlc knows, but where all GPUs of a library multiply in groups of warps
    (sm_90a). No result depends on that.
  }];
  let options = [Option<"warpGroups", "warp-groups", "bool", "false",
                        "all GPUs multiply in groups of four warps, and give blocks more shared memory">];
  let dependentDialects = ["::train::TrainDialect", "::dlc::gpu::GpuDialect"];
}

def VerifyScheduleGpuPass : Pass<"dlc-verify-schedule-gpu", "::mlir::ModuleOp"> {
  let summary = "check what the stage schedule promises for GPUs";
  let description = [{
    Every kernel has a schedule, whose form fits what the kernel computes, within the limits of a launch.
  }];
  let options = [Option<"warpGroups", "warp-groups", "bool", "false",
                        "all GPUs multiply in groups of four warps, and give blocks more shared memory">];
}

#endif
