//===- Object.h - LLVM modules to object code ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_OBJECT_H
#define DLC_COMPILER_CODEGEN_CPU_OBJECT_H

#include "compiler/machine/CpuTarget.h"
#include "llvm/IR/Module.h"
#include <string>

namespace dlc::codegen {

struct ObjectOptions {
  enum class Output { Object, Assembly, LLVMIR };
  Output output = Output::Object;
  unsigned optLevel = 3;
};

/// The attribute of functions that are kernels of several steps.
constexpr const char *functionOfSteps = "dlc-steps";

/// Optimises `module` for `target` and gives it in the form that `options` ask for.
llvm::Expected<std::string> compileModule(llvm::Module &module, const CpuTarget &target,
                                          const ObjectOptions &options);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_OBJECT_H
