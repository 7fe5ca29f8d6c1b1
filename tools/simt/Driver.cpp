//===- Driver.cpp - the stand-in's state, devices and contexts ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/simt/Control.h"
#include "tools/simt/Findings.h"
#include "tools/simt/Objects.h"

#include <cstdio>

namespace dlc::simt {

Driver &Driver::get() {
  static Driver *driver = new Driver; // programs may call it while they end
  return *driver;
}

std::vector<Context> &Driver::stack() {
  static thread_local std::vector<Context> contexts;
  return contexts;
}

void Driver::endLastContext() {
  const bool mayBeLeft = failedCall == "cuCtxPushCurrent_v2"; // then nobody could give it back
  if (std::string left = dlcStandInDriver()->leaks(); !left.empty() && !mayBeLeft)
    addFinding("the last context ends, and these were not given back:\n" + left);
  for (Module module : modules)
    delete module;
  for (Stream stream : streams)
    delete stream;
  for (Event event : events)
    delete event;
  for (Graph graph : graphs)
    delete graph;
  for (GraphExec executable : executables)
    delete executable;
  for (auto [address, bytes] : pinned)
    free(reinterpret_cast<void *>(address));
  modules.clear();
  streams.clear();
  events.clear();
  graphs.clear();
  executables.clear();
  pinned.clear();
  memory.releaseAll();
}

Status refuse(Status status, const std::string &why) {
  addFinding(why);
  return status;
}

Status refuseHandle(const char *what) {
  return refuse(invalidHandle, std::string("a handle is given that is no ") + what + ", or none any more");
}

} // namespace dlc::simt

using namespace dlc::simt;

extern "C" {

Status cuInit(unsigned flags) {
  return call("cuInit", Needs::nothing, Gives::results, [&](Driver &driver) {
    driver.initialised = true;
    return flags ? invalidValue : driver.deviceCount ? success : noDevice;
  });
}

Status cuDriverGetVersion(int *version) {
  return call("cuDriverGetVersion", Needs::nothing, Gives::results, [&](Driver &) {
    *version = 12040;
    return success;
  });
}

Status cuGetErrorName(Status status, const char **text) {
  switch (status) {
#define DLC_NAME(value, symbol)                                                                              \
  case value:                                                                                                \
    *text = symbol;                                                                                          \
    return success;
    DLC_NAME(success, "CUDA_SUCCESS")
    DLC_NAME(invalidValue, "CUDA_ERROR_INVALID_VALUE")
    DLC_NAME(outOfMemory, "CUDA_ERROR_OUT_OF_MEMORY")
    DLC_NAME(notInitialized, "CUDA_ERROR_NOT_INITIALIZED")
    DLC_NAME(noDevice, "CUDA_ERROR_NO_DEVICE")
    DLC_NAME(invalidDevice, "CUDA_ERROR_INVALID_DEVICE")
    DLC_NAME(invalidImage, "CUDA_ERROR_INVALID_IMAGE")
    DLC_NAME(invalidContext, "CUDA_ERROR_INVALID_CONTEXT")
    DLC_NAME(noBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU")
    DLC_NAME(invalidPtx, "CUDA_ERROR_INVALID_PTX")
    DLC_NAME(unsupportedPtxVersion, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION")
    DLC_NAME(invalidHandle, "CUDA_ERROR_INVALID_HANDLE")
    DLC_NAME(notFound, "CUDA_ERROR_NOT_FOUND")
    DLC_NAME(notReady, "CUDA_ERROR_NOT_READY")
    DLC_NAME(illegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS")
    DLC_NAME(launchFailed, "CUDA_ERROR_LAUNCH_FAILED")
    DLC_NAME(unknown, "CUDA_ERROR_UNKNOWN")
#undef DLC_NAME
  }
  *text = nullptr;
  return invalidValue;
}

Status cuGetErrorString(Status status, const char **text) {
  const char *symbol;
  const Status known = cuGetErrorName(status, &symbol);
  *text = known == success ? "the stand-in's answer" : nullptr;
  return known;
}

Status cuDeviceGetCount(int *count) {
  return call("cuDeviceGetCount", Needs::initialisation, Gives::results, [&](Driver &driver) {
    *count = driver.deviceCount;
    return success;
  });
}

Status cuDeviceGet(Ordinal *device, int number) {
  return call("cuDeviceGet", Needs::initialisation, Gives::results, [&](Driver &driver) {
    *device = number;
    return number >= 0 && number < driver.deviceCount ? success : invalidDevice;
  });
}

Status cuDeviceGetName(char *name, int bytes, Ordinal device) {
  return call("cuDeviceGetName", Needs::initialisation, Gives::results, [&](Driver &) {
    snprintf(name, static_cast<size_t>(bytes), "stand-in %d", device);
    return success;
  });
}

Status cuDeviceGetAttribute(int *value, DeviceAttribute attribute, Ordinal device) {
  return call("cuDeviceGetAttribute", Needs::initialisation, Gives::results, [&](Driver &driver) {
    switch (attribute) {
    case capabilityMajor:
      *value = driver.capabilityOf(device) / 10;
      return success;
    case capabilityMinor:
      *value = driver.capabilityOf(device) % 10;
      return success;
    case sharedBytesPerBlock:
      *value = 48 << 10;
      return success;
    case sharedBytesPerBlockOptIn:
      *value = 163 << 10; // of sm_80
      return success;
    }
    return invalidValue;
  });
}

Status cuDevicePrimaryCtxRetain(Context *context, Ordinal device) {
  return call("cuDevicePrimaryCtxRetain", Needs::initialisation, Gives::results, [&](Driver &driver) {
    if (device < 0 || device >= driver.deviceCount)
      return invalidDevice;
    ContextObject &made = driver.contexts[device];
    made.device = device;
    ++made.retained;
    *context = &made;
    return success;
  });
}

Status cuDevicePrimaryCtxRelease_v2(Ordinal device) {
  return call("cuDevicePrimaryCtxRelease_v2", Needs::initialisation, Gives::back, [&](Driver &driver) {
    auto found = driver.contexts.find(device);
    if (found == driver.contexts.end())
      return refuseHandle("context");
    if (--found->second.retained == 0) {
      driver.contexts.erase(found); // and with it the failure
      if (driver.contexts.empty())
        driver.endLastContext();
    }
    return success;
  });
}

Status cuCtxPushCurrent_v2(Context context) {
  return call("cuCtxPushCurrent_v2", Needs::initialisation, Gives::results, [&](Driver &driver) {
    for (auto &[device, known] : driver.contexts)
      if (&known == context) {
        Driver::stack().push_back(context);
        return success;
      }
    return refuseHandle("context");
  });
}

Status cuCtxPopCurrent_v2(Context *context) {
  return call("cuCtxPopCurrent_v2", Needs::initialisation, Gives::back, [&](Driver &) {
    if (Driver::stack().empty())
      return refuse(invalidContext, "a context is popped where none is");
    *context = Driver::stack().back();
    Driver::stack().pop_back();
    return success;
  });
}

} // extern "C"
