//===- Products.h - products of warp groups, as calls of the emulator -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_SIMT_PRODUCTS_H
#define DLC_COMPILER_CODEGEN_GPU_SIMT_PRODUCTS_H

#include "compiler/codegen/gpu/simt/Emulator.h"

namespace dlc::codegen::gpu {

/// Replaces one of WarpGroupCalls, whose number is `site`.
void replaceProductCall(llvm::CallInst &call, uint32_t site, llvm::IRBuilder<> &b, Emulator &emulator);

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_SIMT_PRODUCTS_H
