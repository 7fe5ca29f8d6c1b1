//===- WarpGroupCalls.h - calls that stand for instructions of warp groups ---===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM has no intrinsics for PTX's wgmma.mma_async. A kernel calls functions of these names instead, which
// are defined nowhere: PTX gets an instruction in the place of each (WarpGroupCalls.cpp), the check without a
// GPU a call of its emulator (simt/Products.cpp). For LLVM, such a call may read and write any memory.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_WARPGROUPCALLS_H
#define DLC_COMPILER_CODEGEN_GPU_WARPGROUPCALLS_H

#include "llvm/IR/Instructions.h"

namespace dlc::codegen::gpu {

struct WarpGroupCalls {
  /// void(): before products, of what this thread has written to shared memory; fence.proxy.async.
  static constexpr llvm::StringLiteral show = "dlc_wgmma_show";
  /// void(): before products, of what this thread has in registers; wgmma.fence.
  static constexpr llvm::StringLiteral begin = "dlc_wgmma_begin";
  /// {sums}(sums..., i64 left, i64 right, i1 left by steps, i1 right by steps): a product is begun, whose
  /// operands' descriptors these are; wgmma.mma_async, of bf16 and of f16. Followed by the number of sums.
  static constexpr llvm::StringLiteral multiply = "dlc_wgmma_multiply_";
  static constexpr llvm::StringLiteral multiplyHalves = "dlc_wgmma_halves_";
  /// void(): what was begun is a group; wgmma.commit_group.
  static constexpr llvm::StringLiteral end = "dlc_wgmma_end";
  /// void(): waits for all groups; wgmma.wait_group.
  static constexpr llvm::StringLiteral wait = "dlc_wgmma_wait";
  /// {sums}(sums...): the same, after which sums are in registers. Followed by their number.
  static constexpr llvm::StringLiteral results = "dlc_wgmma_results_";

  /// What is behind "dlc_wgmma_" is one of these.
  static bool isOne(const llvm::Function *callee) {
    return callee && callee->isDeclaration() && callee->getName().starts_with("dlc_wgmma_");
  }
};

/// Writes each call in a kernel as the instruction that it stands for.
void writeWarpGroupCalls(llvm::Function &kernel);

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_WARPGROUPCALLS_H
