//===- NoDriverTest.cpp ---------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program on a machine without an NVIDIA driver. Not part of the other tests, which find the stand-in.
//===----------------------------------------------------------------------===//
#include "tests/simt/TinyGpu.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace {

TEST(NoDriver, IsSaid) {
  if (dlopen("libcuda.so.1", RTLD_NOW))
    GTEST_SKIP() << "there is a driver";
  tiny::GpuTables gpu;
  char error[512] = "";
  dlc_create_options options = {};
  options.struct_size = sizeof options;
  options.error = error;
  options.error_bytes = sizeof error;
  dlc_instance *instance = nullptr;
  EXPECT_EQ(dlc_instance_create(&gpu.model, DLC_ABI_VERSION, tiny::fingerprint, &options, &instance),
            DLC_UNSUPPORTED_DEVICE);
  EXPECT_EQ(instance, nullptr);
  const std::string begin =
      "tiny: there is no NVIDIA driver, which runs its code for GPUs: libcuda.so.1 cannot be loaded (";
  EXPECT_EQ(std::string(error).substr(0, begin.size()), begin) << error;
}

} // namespace
