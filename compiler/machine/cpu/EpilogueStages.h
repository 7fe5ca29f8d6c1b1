//===- EpilogueStages.h - an epilogue in two stages ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The update of one vector of a weight is a chain of dependent instructions: averages, a square root, a
// quotient. A core that looks only some sixty cycles ahead meets the quotient long before the square root is
// there, and stops. So the chain is cut behind the square roots: the first stage writes what it has, such as
// the averages, and the second stage runs some steps of a reduction later.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_MACHINE_CPU_EPILOGUESTAGES_H
#define DLC_COMPILER_MACHINE_CPU_EPILOGUESTAGES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"
#include <optional>

namespace dlc::cpu {

struct EpilogueStages {
  /// Operations of the body, in order. Constants are in both.
  llvm::SmallVector<mlir::Operation *> first, second;
  /// What the second stage gets of the first in registers. It reads its arguments again, and results of the
  /// first stage from where they were written.
  llvm::SetVector<mlir::Value> carried;

  /// Whether the second stage makes a value of the body.
  bool isLate(mlir::Value value) const;
  /// Whether the second stage reads a value of the body.
  bool readsLate(mlir::Value value) const;
};

/// The stages of an elementwise operation that follows a contraction; nullopt where it has no square root
/// with something behind it, or where the second stage would need much of the first. `sums` is the operand
/// that stays in registers: the contraction's result.
std::optional<EpilogueStages> epilogueStages(mlir::linalg::GenericOp epilogue, mlir::Value sums);

} // namespace dlc::cpu

#endif // DLC_COMPILER_MACHINE_CPU_EPILOGUESTAGES_H
