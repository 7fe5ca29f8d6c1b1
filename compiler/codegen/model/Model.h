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
    std::string entry;       ///< its name in the images
    int64_t threads;         ///< of a block; the schedule's chunks are blocks
    int64_t askedBytes = 0;  ///< of shared memory, by each launch
    int64_t sharedBytes = 0; ///< all that it uses; of code of this machine only
  };
  struct Image {
    uint32_t capability; ///< as a dlc_image has it
    bool isText;         ///< PTX, or a cubin
    std::string code;
  };
  std::vector<Kernel> kernels;
  std::vector<Image> images;
  bool simt = false; ///< kernels are functions of this machine in other modules, named as their entries are
};

/// A program that was planned for a GPU with `device`'s code, or, where that is null, for a CPU.
struct ModelTarget {
  train::ProgramOp program;
  const DeviceCode *device = nullptr;
};

/// The symbol of a kernel in object files: hidden, and unique when libraries of several models are linked.
std::string kernelSymbol(train::KernelOp kernel);
/// The symbol of a GPU's kernel compiled for this machine, for the check without a GPU.
std::string deviceSymbol(train::KernelOp kernel);

/// Adds to `module` the constant `dlc_model` (dlc/abi.h), which describes the program and its targets, in
/// their order, and the C functions of the model's header. What users see is taken from the first target's
/// program. `features` are the instruction sets that a CPU's kernels use, which are in other modules.
void emitModel(llvm::ArrayRef<ModelTarget> targets, llvm::Module &module, uint32_t features,
               const ModelOptions &options);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_MODEL_MODEL_H
