//===- CudaDevice.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "runtime/cuda/CudaDevice.h"

#include <cstdio>

namespace dlc::runtime::cuda {

Address CudaDevice::slotAddress(uint32_t slot) const {
  const uint64_t arena = (target->arena_bytes + alignment - 1) / alignment * alignment;
  return memory + arena + slot * slotBytes;
}

bool CudaDevice::succeeded(Status status, const char *what) {
  if (status == success)
    return true;
  if (!failure) {
    snprintf(sentence, sizeof sentence,
             "the GPU %s or its driver has failed: %s: %s; the model's state is lost, destroy the instance",
             gpu.name, what, Gpu::Answer(gpu, status).text);
    failure = sentence;
  }
  return false;
}

} // namespace dlc::runtime::cuda
