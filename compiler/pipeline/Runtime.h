//===- Runtime.h - which runtime goes with a compiled model ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PIPELINE_RUNTIME_H
#define DLC_COMPILER_PIPELINE_RUNTIME_H

#include "compiler/machine/CpuTarget.h"
#include "llvm/Support/Error.h"
#include <string>

namespace dlc::pipeline {

/// The runtime for a machine, in a folder as dlc is installed with: dlc/<machine>/libdlc-runtime.a, where <machine>
/// is one of x86_64-linux-gnu, x86_64-linux-musl, aarch64-linux-gnu and aarch64-linux-musl; for the machine that
/// compiles libdlc-runtime.a itself. The error says which file is not there.
llvm::Expected<std::string> findRuntime(llvm::StringRef libraryFolder, const CpuTarget &cpu);

} // namespace dlc::pipeline

#endif // DLC_COMPILER_PIPELINE_RUNTIME_H
