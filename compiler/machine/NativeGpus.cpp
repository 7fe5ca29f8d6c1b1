//===- NativeGpus.cpp - the GPUs of this machine ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/machine/NativeGpus.h"
#include "llvm/Support/DynamicLibrary.h"

using namespace llvm;

namespace dlc {

namespace {

/// What is asked of the driver, by its names and numbers (NVIDIA's CUDA Driver API). Functions answer 0 where
/// all is well.
class Driver {
public:
  static Expected<Driver> open() {
    std::string why;
    Driver driver;
    driver.library = sys::DynamicLibrary::getPermanentLibrary("libcuda.so.1", &why);
    if (!driver.library.isValid())
      return createStringError("there is no NVIDIA driver: " + why);
    return driver;
  }

  template <typename... Parameters> Error call(const char *name, Parameters... parameters) {
    auto *function = reinterpret_cast<int (*)(Parameters...)>(library.getAddressOfSymbol(name));
    if (!function)
      return createStringError("the NVIDIA driver has no function " + Twine(name));
    if (const int status = function(parameters...))
      return createStringError("the NVIDIA driver answers " + Twine(name) + " with error " + Twine(status) +
                               (status == noDevice ? " (no GPU is there)" : ""));
    return Error::success();
  }

private:
  static constexpr int noDevice = 100;
  sys::DynamicLibrary library;
};

} // namespace

Expected<NativeGpus> NativeGpus::find() {
  constexpr int capabilityMajor = 75, capabilityMinor = 76; // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*
  Expected<Driver> driver = Driver::open();
  if (!driver)
    return driver.takeError();
  NativeGpus gpus;
  int count = 0;
  if (Error error = driver->call("cuInit", 0u))
    return std::move(error);
  if (Error error = driver->call("cuDriverGetVersion", &gpus.driverVersion))
    return std::move(error);
  if (Error error = driver->call("cuDeviceGetCount", &count))
    return std::move(error);
  for (int number = 0; number < count; ++number) {
    int device = 0, major = 0, minor = 0;
    if (Error error = driver->call("cuDeviceGet", &device, number))
      return std::move(error);
    if (Error error = driver->call("cuDeviceGetAttribute", &major, capabilityMajor, device))
      return std::move(error);
    if (Error error = driver->call("cuDeviceGetAttribute", &minor, capabilityMinor, device))
      return std::move(error);
    gpus.capabilities.push_back(static_cast<unsigned>(10 * major + minor));
  }
  if (gpus.capabilities.empty())
    return createStringError("the NVIDIA driver has no GPU");
  return gpus;
}

} // namespace dlc
