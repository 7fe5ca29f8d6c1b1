//===- Model.h - what the runtime knows of a program -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_MODEL_MODEL_H
#define DLC_COMPILER_CODEGEN_MODEL_MODEL_H

#include "dialects/train/Train.h"
#include "llvm/IR/Module.h"
#include <vector>

namespace dlc::codegen {

struct ModelOptions {
  uint64_t fingerprint = 0;  ///< of the C interface; the header carries the same
  bool embedWeights = false; ///< initial values go into the library
  std::string weightsFile;   ///< default weights path; empty where there is none
  bool functions = true;     ///< with the C functions of the header, which call the runtime
};

/// The kernels of a GPU, in the program's order.
struct DeviceCode {
  struct Kernel {
    std::string entry; ///< its name in the images
    int64_t threads;   ///< of a block; the schedule's chunks are blocks
    int64_t sharedBytes = 0;
  };
  struct Image {
    unsigned architecture; ///< 80 of sm_80
    bool isText;           ///< PTX, or a cubin
    std::string code;
  };
  std::vector<Kernel> kernels;
  std::vector<Image> images;
  bool simt = false; ///< kernels are functions of this machine in other modules, named as their entries are
};

/// The symbol of a kernel in object files: hidden, and unique when libraries of several models are linked.
std::string kernelSymbol(train::KernelOp kernel);

/// Adds to `module` the constant `dlc_model` (dlc/abi.h), which describes the planned program and its target,
/// and the C functions of the model's header. The target is a GPU with `device`'s code, or, where that is
/// null, a CPU; then `features` are the instruction sets that the kernels use, which are in other modules.
void emitModel(train::ProgramOp program, llvm::Module &module, uint32_t features, const ModelOptions &options,
               const DeviceCode *device = nullptr);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_MODEL_MODEL_H
