//===- Random.h - counter-based random bits on vectors ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_KERNEL_RANDOM_H
#define DLC_COMPILER_CODEGEN_KERNEL_RANDOM_H

#include "compiler/codegen/kernel/Access.h"
#include "dialects/train/Train.h"
#include "mlir/IR/IRMapping.h"

namespace dlc::codegen {

/// Random words shared by the eight rows of a tile that use them (see RandomOps.td).
using RandomWords = llvm::DenseMap<std::pair<mlir::Operation *, int64_t>, llvm::SmallVector<mlir::Value, 4>>;

/// The 16 random bits of nn.dropout's definition at a point, as i32. With `words`, points of a tile
/// whose first row is a multiple of eight share the words that their rows use.
mlir::Value emitRandomBits(Builder &b, train::RandomBitsOp op, mlir::IRMapping &values, const Point &point,
                           RandomWords *words);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_KERNEL_RANDOM_H
