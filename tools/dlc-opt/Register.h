//===- Register.h - what dlc-opt knows
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_OPT_REGISTER_H
#define DLC_TOOLS_DLC_OPT_REGISTER_H

namespace mlir {
class DialectRegistry;
}

/// All of MLIR's dialects and ours.
void registerDialects(mlir::DialectRegistry &registry);
/// All of MLIR's passes and ours.
void registerPasses();

#endif // DLC_TOOLS_DLC_OPT_REGISTER_H
