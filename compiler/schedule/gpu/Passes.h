//===- Passes.h - passes of the stage schedule, for GPUs -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SCHEDULE_GPU_PASSES_H
#define DLC_COMPILER_SCHEDULE_GPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace dlc::schedule {

#define GEN_PASS_DECL
#include "compiler/schedule/gpu/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/schedule/gpu/Passes.h.inc"

} // namespace dlc::schedule

#endif // DLC_COMPILER_SCHEDULE_GPU_PASSES_H
