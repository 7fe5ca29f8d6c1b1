//===- Decisions.h - what a model's predictions decide ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_DECISIONS_H
#define DLC_TOOLS_DLC_DECISIONS_H

#include "mlir/IR/BuiltinOps.h"
#include <set>
#include <string>

namespace dlc::tool {

/// The loss of a program as it was imported, as --loss names it: `given`, which an option or the description
/// names, or the one of classes or of yes and no that the program computes itself; "output" for others of its
/// own, "" without a loss.
std::string lossOf(mlir::ModuleOp module, const std::string &given);

/// Whether predictions are right or wrong by that loss, so that evaluations count them.
bool decides(llvm::StringRef loss);

/// The outputs that are a sigmoid's: what they say yes to is above a half, not above 0.
std::set<std::string> sigmoidsOf(mlir::ModuleOp module);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_DECISIONS_H
