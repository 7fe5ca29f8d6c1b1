//===- Passes.h - passes of the stage layout -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LAYOUT_PASSES_H
#define DLC_COMPILER_LAYOUT_PASSES_H

#include "compiler/machine/CpuTarget.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dlc::layout {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/layout/Passes.h.inc"

/// Makes the pass of the stage for a target that is known already.
std::unique_ptr<mlir::Pass> createLayoutFor(CpuTarget target);

} // namespace dlc::layout

#endif // DLC_COMPILER_LAYOUT_PASSES_H
