//===- Passes.h - the stage backward ---------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the model and its loss to the functions that a training library exports.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_BACKWARD_PASSES_H
#define DLC_COMPILER_BACKWARD_PASSES_H

#include "dialects/train/Train.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dlc::backward {

#define GEN_PASS_DECL
#include "compiler/backward/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/backward/Passes.h.inc"

/// The passes that make the exported functions, in order: gradients, what processes gradients, updates, and
/// the functions that do not train. What they are to do, the program's recipe says.
void addBackwardPasses(mlir::OpPassManager &passes);

/// Makes them known to dlc-opt as one, `--dlc-backward`.
void registerBackwardPipeline();

} // namespace dlc::backward

#endif // DLC_COMPILER_BACKWARD_PASSES_H
