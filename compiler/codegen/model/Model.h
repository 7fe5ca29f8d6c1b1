//===- Model.h - what the runtime knows of a program -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_MODEL_MODEL_H
#define DLC_COMPILER_CODEGEN_MODEL_MODEL_H

#include "dialects/train/Train.h"
#include "llvm/IR/Module.h"

namespace dlc::codegen {

struct ModelOptions {
  uint64_t fingerprint = 0;  ///< of the C interface; the header carries the same
  bool embedWeights = false; ///< initial values go into the library
  std::string weightsFile;   ///< default weights path; empty where there is none
  bool functions = true;     ///< with the C functions of the header, which call the runtime
};

/// The symbol of a kernel in object files: hidden, and unique when libraries of several models are linked.
std::string kernelSymbol(train::KernelOp kernel);

/// Adds to `module` the constant `dlc_model` (dlc/abi.h), which describes the planned program and its CPU
/// target, and the C functions of the model's header. `features`: instruction sets that the kernels use. The
/// kernels themselves are in other modules.
void emitModel(train::ProgramOp program, llvm::Module &module, uint32_t features,
               const ModelOptions &options);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_MODEL_MODEL_H
