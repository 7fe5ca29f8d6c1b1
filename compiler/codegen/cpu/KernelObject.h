//===- KernelObject.h - a kernel's module to object code -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_KERNELOBJECT_H
#define DLC_COMPILER_CODEGEN_CPU_KERNELOBJECT_H

#include "compiler/codegen/cpu/Object.h"

namespace dlc::codegen {

/// As compileModule does, a module that defines one function of this name, or takes its object from the user's
/// cache (KernelCache.h). Objects are the same in every byte either way.
llvm::Expected<std::string> compileKernel(llvm::Module &module, llvm::StringRef symbol, const CpuTarget &target,
                                          const ObjectOptions &options);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_KERNELOBJECT_H
