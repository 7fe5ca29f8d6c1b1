//===- Machine.cpp - the GPUs of this machine --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions of programs that have no instance yet.
//===----------------------------------------------------------------------===//
#include "dlc/gpu.h"

#include "runtime/cuda/Gpu.h"

#include <cstdio>

using namespace dlc::runtime;
using namespace dlc::runtime::cuda;

namespace {

constexpr uint32_t oldest = 80; ///< that dlc makes code for; compiler/machine/GpuTarget.cpp lists all
constexpr char asker[] = "dlc"; ///< what messages begin with, in place of a model's name

/// The driver's GPUs; 0 and a sentence where there is none.
int countOf(Gpu &gpu, Error &error) {
  int count = 0;
  if (gpu.start(asker, count, error) != DLC_OK)
    return 0;
  if (count < 1)
    error.fail(DLC_UNSUPPORTED_DEVICE, "%s: the NVIDIA driver has no GPU", asker);
  return count > 0 ? count : 0;
}

dlc_status select(Gpu &gpu, int32_t number, Error &error) {
  int count = 0;
  if (dlc_status status = gpu.start(asker, count, error))
    return status;
  return gpu.select(number, count, asker, error);
}

/// What cuMemGetInfo says of the device whose context is the current one while it is asked.
Status askMemory(const Gpu &gpu, size_t &total, size_t &free) {
  const Api &api = gpu.api;
  Context context = nullptr;
  if (Status status = api.cuDevicePrimaryCtxRetain(&context, gpu.ordinal))
    return status;
  Status status = api.cuCtxPushCurrent_v2(context);
  if (status == success) {
    status = api.cuMemGetInfo_v2(&free, &total);
    api.cuCtxPopCurrent_v2(&context);
  }
  api.cuDevicePrimaryCtxRelease_v2(gpu.ordinal);
  return status;
}

} // namespace

int32_t dlc_gpu_count(char *why, size_t why_bytes) {
  Gpu gpu;
  Error error;
  const int count = countOf(gpu, error);
  error.copyTo(why, why_bytes);
  return count;
}

int32_t dlc_gpu_best(char *why, size_t why_bytes) {
  Gpu gpu;
  Error error;
  const int count = countOf(gpu, error);
  for (int number = 0; number < count; ++number) {
    if (gpu.select(number, count, asker, error) != DLC_OK)
      continue;
    if (gpu.sm >= oldest) {
      if (why && why_bytes)
        snprintf(why, why_bytes, "%s", gpu.name);
      return number;
    }
    error.fail(DLC_UNSUPPORTED_DEVICE,
               "%s: the GPU %s has compute capability %u.%u, and the oldest that there is code for is %u.%u",
               asker, gpu.name, gpu.sm / 10, gpu.sm % 10, oldest / 10, oldest % 10);
  }
  error.copyTo(why, why_bytes);
  return -1;
}

dlc_status dlc_gpu_describe(int32_t number, char *name, size_t name_bytes, int32_t *capability, char *error,
                            size_t error_bytes) {
  Gpu gpu;
  Error reason;
  if (name && name_bytes)
    name[0] = '\0';
  if (capability)
    *capability = 0;
  const dlc_status status = select(gpu, number, reason);
  reason.copyTo(error, error_bytes);
  if (status != DLC_OK)
    return status;
  if (name && name_bytes)
    snprintf(name, name_bytes, "%s", gpu.name);
  if (capability)
    *capability = static_cast<int32_t>(gpu.sm);
  return DLC_OK;
}

dlc_status dlc_gpu_memory(int32_t number, uint64_t *total_bytes, uint64_t *free_bytes, char *error,
                          size_t error_bytes) {
  Gpu gpu;
  Error reason;
  size_t all = 0, left = 0;
  dlc_status status = select(gpu, number, reason);
  if (status == DLC_OK)
    if (Status answer = askMemory(gpu, all, left)) {
      status = reason.fail(DLC_DEVICE_FAILED, "%s: the memory of the GPU %s cannot be asked for: %s", asker,
                           gpu.name, Gpu::Answer(gpu, answer).text);
      all = left = 0;
    }
  if (total_bytes)
    *total_bytes = all;
  if (free_bytes)
    *free_bytes = left;
  reason.copyTo(error, error_bytes);
  return status;
}
