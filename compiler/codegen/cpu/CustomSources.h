//===- CustomSources.h - users' functions as object code -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_CUSTOMSOURCES_H
#define DLC_COMPILER_CODEGEN_CPU_CUSTOMSOURCES_H

#include "compiler/codegen/cpu/Object.h"
#include "dialects/train/Custom.h"

namespace dlc::codegen {

/// The symbol of a user's function, which no function of another model has.
std::string customSymbol(train::CustomFunctionOp function);

/// Compiles each source file of the program's custom functions with clang, which is `clang` or on PATH. Gives
/// names and contents; an error has what clang says.
llvm::Expected<std::vector<std::pair<std::string, std::string>>>
compileCustomSources(train::ProgramOp program, const CpuTarget &target, const ObjectOptions &options,
                     llvm::StringRef clang);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_CUSTOMSOURCES_H
