//===- Describe.h - models that are described as C++ programs ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_DESCRIBE_H
#define DLC_TOOLS_DLC_DESCRIBE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tools/dlc/Commands.h"

namespace dlc::tool {

/// Compiles the C++ file with the host's compiler, runs it in a process of its own and reads what it
/// describes, with the sizes and the training that the command line says. Null after errors, which were
/// reported.
mlir::OwningOpRef<mlir::ModuleOp> describeModel(Invocation &invocation, mlir::MLIRContext &context);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_DESCRIBE_H
