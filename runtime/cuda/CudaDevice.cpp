//===- CudaDevice.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "runtime/cuda/CudaDevice.h"

#include "runtime/core/Target.h"

#include <cstdio>

namespace dlc::runtime::cuda {

Address CudaDevice::slotAddress(uint32_t slot) const {
  const uint64_t arena = (target->arena_bytes + alignment - 1) / alignment * alignment;
  return memory + arena + slot * slotBytes;
}

Address CudaDevice::addressOf(dlc_place place, uint32_t slot) const {
  const uint32_t number = placeNumber(place);
  const uint64_t offset = placeOffset(place);
  switch (placeKind(place)) {
  case DLC_PLACE_STATE:
    return memory + target->placements[number].offset + offset;
  case DLC_PLACE_INPUT:
    return slotAddress(slot) + inputAt[number] + offset;
  case DLC_PLACE_OUTPUT:
    return outputAddress() + outputAt[number] + offset;
  default:
    return memory + offset;
  }
}

KernelNodeParams CudaDevice::launchOf(uint32_t kernel, void **arguments) const {
  const dlc_device_kernel &described = target->device_kernels[kernel];
  KernelNodeParams params = {};
  params.function = kernels[kernel];
  params.grid[0] = described.grid;
  params.block[0] = described.block;
  params.grid[1] = params.grid[2] = params.block[1] = params.block[2] = 1;
  params.sharedBytes = described.shared_bytes;
  params.arguments = arguments;
  return params;
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
