//===- Loops.h - counted loops and conditions ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small helpers that all emitters build their nests from.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_KERNEL_LOOPS_H
#define DLC_COMPILER_CODEGEN_KERNEL_LOOPS_H

#include "compiler/codegen/kernel/Index.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace dlc::codegen {

using Values = llvm::SmallVector<mlir::Value, 8>;

/// Iterations [low, high) of a loop.
struct Range {
  Index low, high;
};

/// for (i = low; i < high; i += step) body(i). A loop of one known iteration is not made a loop.
void forLoop(Builder &b, Index low, Index high, int64_t step, llvm::function_ref<void(Index)> body);
/// Such a loop with values carried from one iteration to the next; returns the last ones.
Values forLoop(Builder &b, Index low, Index high, int64_t step, Values carried,
               llvm::function_ref<Values(Index, Values)> body);
/// Such a loop that LLVM does not unroll (where it runs more than once).
Values forRolled(Builder &b, Index low, Index high, int64_t step, Values carried,
                 llvm::function_ref<Values(Index, Values)> body);
/// Such a loop, unrolled by `count`; the iterations that are left over run one by one.
Values forUnrolled(Builder &b, Index low, Index high, int64_t count, Values carried,
                   llvm::function_ref<Values(Index, Values)> body);
/// Such a loop with several sets of carried values, which take the iterations in turn: the first begins with
/// `carried`, the others with `neutral`, and at the end `combine` makes one of two.
Values forTurns(Builder &b, Index low, Index high, int64_t sets, Values carried, const Values &neutral,
                llvm::function_ref<Values(Index, Values)> body,
                llvm::function_ref<Values(const Values &, const Values &)> combine);
/// if (a < b) body().
void ifLess(Builder &b, Index x, Index y, llvm::function_ref<void()> body);
/// The values of one of both.
Values ifElse(Builder &b, mlir::Value condition, llvm::function_ref<Values()> then,
              llvm::function_ref<Values()> otherwise);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_KERNEL_LOOPS_H
