//===- Optimise.h - LLVM's passes on a module of kernels -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_KERNEL_OPTIMISE_H
#define DLC_COMPILER_CODEGEN_KERNEL_OPTIMISE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace dlc::codegen {

/// Runs LLVM's passes, written as for LLVM's `opt -passes=`, on a module that LLVM has found valid; otherwise
/// says what it found.
llvm::Error optimise(llvm::Module &module, llvm::TargetMachine &machine, llvm::StringRef passes);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_KERNEL_OPTIMISE_H
