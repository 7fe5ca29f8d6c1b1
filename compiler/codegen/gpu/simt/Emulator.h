//===- Emulator.h - calls of what stands in for a GPU -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_SIMT_EMULATOR_H
#define DLC_COMPILER_CODEGEN_GPU_SIMT_EMULATOR_H

#include "llvm/IR/IRBuilder.h"

namespace dlc::codegen::gpu {

/// The members of dlc_simt (Image.h) that are called, in order.
enum class SimtCall : unsigned {
  Sreg,
  Shared,
  Barrier,
  WarpBarrier,
  Shuffle,
  Load,
  Store,
  Copy,
  EndGroup,
  WaitForGroups,
  LoadMatrices,
  ShowToProducts,
  BeginProducts,
  Multiply,
  EndProducts,
  WaitForProducts,
  Results,
  MultiplyInWarp
};

/// Makes calls of the emulator where the builder is.
class Emulator {
public:
  /// `calls`: the address of the dlc_simt.
  Emulator(llvm::IRBuilder<> &b, llvm::Value *calls) : b(b), calls(calls) {}
  llvm::Value *call(SimtCall which, llvm::Type *result, llvm::ArrayRef<llvm::Value *> arguments);

private:
  llvm::IRBuilder<> &b;
  llvm::Value *calls;
};

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_SIMT_EMULATOR_H
