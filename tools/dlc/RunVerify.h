//===- RunVerify.h - dlc verify -----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_RUNVERIFY_H
#define DLC_TOOLS_DLC_RUNVERIFY_H

#include "mlir/IR/BuiltinOps.h"
#include "tools/dlc/Commands.h"

namespace dlc::tool {

/// Compares the imported program with the interpreter, and prints what came out; the exit status of dlc
/// verify.
int verifyModel(mlir::ModuleOp module, const Invocation &invocation);
/// The same for dlc compile, which prints nothing where all is equal.
int verifyBeforeWriting(mlir::ModuleOp module, const Invocation &invocation);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_RUNVERIFY_H
