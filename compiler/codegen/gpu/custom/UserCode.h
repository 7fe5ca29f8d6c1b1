//===- UserCode.h - users' functions in the modules of kernels -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_CUSTOM_USERCODE_H
#define DLC_COMPILER_CODEGEN_GPU_CUSTOM_USERCODE_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace dlc::codegen::gpu {

/// Brings the user's function that a kernel calls into the kernel's module, and there into the kernel itself:
/// of `source`, a module in bitcode, what the function needs, and of `maths` what that calls.
llvm::Error addUserCode(llvm::Module &kernel, llvm::StringRef source, llvm::StringRef maths);

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_CUSTOM_USERCODE_H
