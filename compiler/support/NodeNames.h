//===- NodeNames.h - which node of the model a location stands for ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SUPPORT_NODENAMES_H
#define DLC_COMPILER_SUPPORT_NODENAMES_H

#include "mlir/IR/Location.h"

namespace dlc {

/// What an operation at `location` does, by a name: a node of the model, "gradient of NODE", "update of
/// PARAMETER";
/// "" where it has none. Of a fused location the first part that has a name.
llvm::StringRef nodeName(mlir::Location location);

/// The names of all parts of a fused location, each once.
llvm::SmallVector<llvm::StringRef> nodeNames(mlir::Location location);

/// The node of the model itself, also for what was derived from it: NODE for "gradient of NODE".
llvm::StringRef originalNode(mlir::Location location);

} // namespace dlc

#endif // DLC_COMPILER_SUPPORT_NODENAMES_H
