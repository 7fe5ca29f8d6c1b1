//===- Programs.h ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of a model as graphs of the driver: a node for each launch, and an edge where a launch needs
// what another one has to finish first.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CUDA_PROGRAMS_H
#define DLC_RUNTIME_CUDA_PROGRAMS_H

#include "runtime/cuda/CudaDevice.h"

namespace dlc::runtime::cuda {

/// Makes and uploads the graphs of all functions; the context is the current one.
dlc_status makePrograms(CudaDevice &device, Error &error);
void destroyPrograms(CudaDevice &device);

} // namespace dlc::runtime::cuda

#endif
