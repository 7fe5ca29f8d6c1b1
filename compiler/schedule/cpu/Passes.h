//===- Passes.h - passes of the stage schedule, for CPUs -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SCHEDULE_CPU_PASSES_H
#define DLC_COMPILER_SCHEDULE_CPU_PASSES_H

#include "compiler/machine/CpuTarget.h"
#include "mlir/Pass/Pass.h"

namespace dlc::schedule {

#define GEN_PASS_DECL
#include "compiler/schedule/cpu/Passes.h.inc"

/// Makes the pass of the stage for a target that is known already.
std::unique_ptr<mlir::Pass> createScheduleCpuFor(CpuTarget target);

#define GEN_PASS_REGISTRATION
#include "compiler/schedule/cpu/Passes.h.inc"

} // namespace dlc::schedule

#endif // DLC_COMPILER_SCHEDULE_CPU_PASSES_H
