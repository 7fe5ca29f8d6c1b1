//===- Recognized.h - which whole functions a program has ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FORWARD_RAISE_RECOGNIZED_H
#define DLC_COMPILER_FORWARD_RAISE_RECOGNIZED_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace dlc::forward {

/// What `dlc check` says of a program's functions: by which rules they are compiled.
struct Recognized {
  struct NearMiss {
    mlir::Location location; ///< of the node
    std::string reason;      ///< a sentence's rest: "node 'Erf_3': ..."
    mlir::Operation *op;     ///< as long as it lives
  };
  llvm::MapVector<llvm::StringRef, unsigned> counts; ///< "layer normalization" and how often
  llvm::SmallVector<std::pair<mlir::Operation *, llvm::StringRef>> places; ///< of those, as long as they live
  llvm::SmallVector<NearMiss> missed;
};

/// Looks at the function `forward` of a program that has gone through the stage of this name.
Recognized recognized(mlir::ModuleOp module);

} // namespace dlc::forward

#endif // DLC_COMPILER_FORWARD_RAISE_RECOGNIZED_H
