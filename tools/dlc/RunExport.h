//===- RunExport.h - dlc export -----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_RUNEXPORT_H
#define DLC_TOOLS_DLC_RUNEXPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "tools/dlc/Commands.h"

namespace dlc::tool {

/// Writes an imported program as the invocation says. Errors were reported.
mlir::LogicalResult exportModel(mlir::ModuleOp module, Invocation &invocation);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_RUNEXPORT_H
