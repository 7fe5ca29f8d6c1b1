//===- Gpu.cpp ------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "runtime/cuda/Gpu.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace dlc::runtime::cuda {

namespace {

constexpr char library[] = "libcuda.so.1";

/// Finds all functions; the name of one that is missing, or NULL.
const char *findFunctions(void *handle, Api &api) {
#define DLC_CUDA_FIND(name, parameters)                                                                      \
  if (!(api.name = reinterpret_cast<decltype(api.name)>(dlsym(handle, #name))))                              \
    return #name;
  DLC_CUDA_DRIVER(DLC_CUDA_FIND)
#undef DLC_CUDA_FIND
  return nullptr;
}

/// The number in "gpu:3"; 0 in "gpu" and NULL, -1 where it is none.
int numberIn(const char *device) {
  const char *digits = device ? strchr(device, ':') : nullptr;
  if (!digits)
    return 0;
  int number = 0;
  if (!*++digits)
    return -1;
  for (; *digits; ++digits) {
    if (*digits < '0' || *digits > '9' || number > 9999)
      return -1;
    number = number * 10 + (*digits - '0');
  }
  return number;
}

} // namespace

Gpu::Answer::Answer(const Gpu &gpu, Status status) {
  const char *symbol = nullptr, *sentence = nullptr;
  gpu.api.cuGetErrorName(status, &symbol);
  gpu.api.cuGetErrorString(status, &sentence);
  snprintf(text, sizeof text, "%s %d (%s)", symbol ? symbol : "error", static_cast<int>(status),
           sentence ? sentence : "unknown to this driver");
}

dlc_status Gpu::load(const char *model, Error &error) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *why = dlerror();
    return error.fail(DLC_UNSUPPORTED_DEVICE,
                      "%s: there is no NVIDIA driver, which runs its code for GPUs: %s cannot be loaded (%s)",
                      model, library, why ? why : "no reason given");
  }
  if (const char *missing = findFunctions(handle, api))
    return error.fail(
        DLC_UNSUPPORTED_DEVICE,
        "%s: the NVIDIA driver is too old: %s has no function %s; version 470 or newer is needed", model,
        library, missing);
  standIn = dlsym(handle, standInSymbol) != nullptr;
  return DLC_OK;
}

dlc_status Gpu::refuse(const char *model, const char *function, Status status, Error &error) const {
  return error.fail(DLC_UNSUPPORTED_DEVICE, "%s: no GPU can be used: %s: %s", model, function,
                    Answer(*this, status).text);
}

dlc_status Gpu::start(const char *model, int &count, Error &error) {
  if (dlc_status status = load(model, error))
    return status;
  if (Status status = api.cuInit(0))
    return refuse(model, "cuInit", status, error);
  if (Status status = api.cuDriverGetVersion(&driverVersion))
    return refuse(model, "cuDriverGetVersion", status, error);
  if (Status status = api.cuDeviceGetCount(&count))
    return refuse(model, "cuDeviceGetCount", status, error);
  return DLC_OK;
}

dlc_status Gpu::select(int number, int count, const char *model, Error &error) {
  if (number < 0 || number >= count)
    return error.fail(DLC_UNSUPPORTED_DEVICE, "%s: there is no GPU number %d: the driver has %d", model,
                      number, count);
  int major = 0, minor = 0;
  if (Status status = api.cuDeviceGet(&ordinal, number))
    return refuse(model, "cuDeviceGet", status, error);
  if (Status status = api.cuDeviceGetName(name, sizeof name, ordinal))
    return refuse(model, "cuDeviceGetName", status, error);
  name[sizeof name - 1] = '\0';
  if (Status status = api.cuDeviceGetAttribute(&major, capabilityMajor, ordinal))
    return refuse(model, "cuDeviceGetAttribute", status, error);
  if (Status status = api.cuDeviceGetAttribute(&minor, capabilityMinor, ordinal))
    return refuse(model, "cuDeviceGetAttribute", status, error);
  sm = static_cast<uint32_t>(10 * major + minor);
  return DLC_OK;
}

dlc_status Gpu::open(const char *device, const char *model, Error &error) {
  int count = 0;
  if (dlc_status status = start(model, count, error))
    return status;
  const int number = numberIn(device);
  if (number < 0)
    return error.fail(DLC_UNSUPPORTED_DEVICE,
                      "%s: '%s' is no device: expected \"gpu\" or \"gpu:\" and a number", model,
                      Printable(device).text);
  return select(number, count, model, error);
}

} // namespace dlc::runtime::cuda
