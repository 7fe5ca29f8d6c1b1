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

} // namespace dlc::backward

#endif // DLC_COMPILER_BACKWARD_PASSES_H
