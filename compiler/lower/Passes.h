//===- Passes.h - passes from nn to linalg ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LOWER_PASSES_H
#define DLC_COMPILER_LOWER_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dlc::lower {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/lower/Passes.h.inc"

/// Whether an operation of the nn dialect is handled: by a decomposition, or by a lowering.
bool hasDecomposition(llvm::StringRef operation);
bool hasLowering(llvm::StringRef operation);

} // namespace dlc::lower

#endif // DLC_COMPILER_LOWER_PASSES_H
