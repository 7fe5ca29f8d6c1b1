//===- Images.h -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of a target's kernels: which of its images a GPU runs best, and loading it.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CUDA_IMAGES_H
#define DLC_RUNTIME_CUDA_IMAGES_H

#include "dlc/abi.h"
#include "runtime/cuda/Gpu.h"

namespace dlc::runtime::cuda {

/// Whether there is an image that this GPU can run.
bool hasImageFor(const dlc_target &target, const Gpu &gpu);

/// Loads machine code for this GPU if there is some and the driver takes it, else text that the driver
/// translates. The GPU's context is the current one.
dlc_status loadImage(const dlc_model &model, const dlc_target &target, const Gpu &gpu, Module &module,
                     Error &error);

} // namespace dlc::runtime::cuda

#endif
