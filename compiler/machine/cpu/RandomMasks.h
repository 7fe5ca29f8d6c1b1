//===- RandomMasks.h - what is decided at random before a tile's sums ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_MACHINE_CPU_RANDOMMASKS_H
#define DLC_COMPILER_MACHINE_CPU_RANDOMMASKS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <optional>

namespace dlc::cpu {

/// So many rows of a matrix share their random words (train.random_bits).
constexpr int64_t rowsOfWords = 8;

/// The part of an elementwise operation that decides at random, and the rest.
struct RandomMasks {
  llvm::SmallVector<mlir::Value> masks;      ///< comparisons of random bits with constants
  llvm::SmallVector<mlir::Operation *> rest; ///< what the body computes with them, in order

  /// The bytes that all masks of one row take in a column of tiles that is `vectors` wide.
  static int64_t bytesOfRow(int64_t lanes, int64_t vectors) { return vectors * ((lanes + 7) / 8); }
};

/// nullopt where the body draws no random bits, or uses them otherwise.
std::optional<RandomMasks> randomMasks(mlir::linalg::GenericOp op);

} // namespace dlc::cpu

#endif // DLC_COMPILER_MACHINE_CPU_RANDOMMASKS_H
