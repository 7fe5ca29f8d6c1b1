//===- WarpGroup.h - products of four warps together -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On GPUs that have it (GpuArchitecture::hasWarpGroups), four warps, a group, multiply matrices that lie in
// shared memory: PTX's wgmma. The products run beside the threads, as copies do. All threads of the group
// must come to each of these functions.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_DEVICE_WARPGROUP_H
#define DLC_COMPILER_CODEGEN_GPU_DEVICE_WARPGROUP_H

#include "compiler/codegen/gpu/WarpGroupCalls.h"
#include "compiler/codegen/kernel/KernelFunction.h"

namespace dlc::codegen::gpu {

/// A matrix of bf16 or f16 in shared memory, in rows of 32, 64 or 128 bytes whose pieces of 16 bytes change
/// places as those of a Tile do. Rows are positions, of which each has its steps side by side, or steps; then
/// 64 positions are a panel, and the next ones begin `panelBytes` further.
struct GroupOperand {
  mlir::Value address; ///< of the row and step where the product begins, were pieces in their own places
  int64_t rowBytes;
  int64_t panelBytes;
  bool isAlongSteps;
};

class WarpGroup {
public:
  /// `low`: the operands' type.
  WarpGroup(KernelFunction &kernel, mlir::FloatType low);

  /// What the threads have written to shared memory, or copied there, products see after this and a barrier.
  void show() { call(WarpGroupCalls::show); }
  /// Before the first product, and after sums were in registers.
  void begin() { call(WarpGroupCalls::begin); }
  /// Begins a product of 64 rows by some columns in 16 steps, which is added to the sums: of those of 16
  /// rows, each of the four warps has as many as mma.sync would give it, side by side. Nobody may look at the
  /// results but the next product of the same sums, until `results`.
  Values multiplyAdd(const GroupOperand &left, const GroupOperand &right, llvm::ArrayRef<mlir::Value> sums);
  /// All that were begun since the last time are a group.
  void end() { call(WarpGroupCalls::end); }
  /// Waits for all groups. This thread's part of the operands has been read then.
  void wait() { call(WarpGroupCalls::wait); }
  /// Waits for all groups, and has their sums.
  Values results(llvm::ArrayRef<mlir::Value> sums) { return call(WarpGroupCalls::results, sums); }

private:
  Values call(llvm::StringRef name, llvm::ArrayRef<mlir::Value> sums = {},
              llvm::ArrayRef<mlir::Value> rest = {});
  mlir::Value descriptorOf(const GroupOperand &operand);

  Builder &b;
  mlir::FloatType low;
  mlir::ModuleOp module; ///< where the calls are declared
};

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_DEVICE_WARPGROUP_H
