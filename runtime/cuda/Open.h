//===- Open.h -------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a model's description to a device that can run it, and back.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CUDA_OPEN_H
#define DLC_RUNTIME_CUDA_OPEN_H

#include "runtime/cuda/CudaDevice.h"

namespace dlc::runtime::cuda {

/// Whether kernels and images fit the tables of launches.
bool isSound(const dlc_model &model, const dlc_target &target);
dlc_status check(const dlc_model &model, const dlc_target &target, const dlc_create_options &options,
                 Error &error);
dlc_status open(const dlc_model &model, const dlc_target &target, const dlc_create_options &options,
                Device *&result, Error &error);
void close(Device *device);

} // namespace dlc::runtime::cuda

#endif
