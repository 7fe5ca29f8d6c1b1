//===- Passes.h - the stage forward ----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the imported model to its training and evaluation form, with a loss.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FORWARD_PASSES_H
#define DLC_COMPILER_FORWARD_PASSES_H

#include "dialects/train/Train.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dlc::forward {

#define GEN_PASS_DECL
#include "compiler/forward/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/forward/Passes.h.inc"

} // namespace dlc::forward

#endif // DLC_COMPILER_FORWARD_PASSES_H
