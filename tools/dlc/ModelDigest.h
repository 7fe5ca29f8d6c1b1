//===- ModelDigest.h - which model a training began with -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_MODELDIGEST_H
#define DLC_TOOLS_DLC_MODELDIGEST_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace dlc::tool {

/// The digest of a program as it was imported: of its operations, the names, types and shapes of its inputs,
/// parameters and buffers, its constants, and the files of a user's operations. The values of parameters and
/// buffers do not count, as checkpoints have them, nor does the recipe, which says how the model is trained.
std::string digestOf(mlir::ModuleOp module);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_MODELDIGEST_H
