//===- Passes.h - passes of the stage plan ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PLAN_PASSES_H
#define DLC_COMPILER_PLAN_PASSES_H

#include "mlir/Pass/Pass.h"

namespace dlc::plan {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/plan/Passes.h.inc"

} // namespace dlc::plan

#endif // DLC_COMPILER_PLAN_PASSES_H
