//===- NoDriverTest.cpp ---------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program on a machine without an NVIDIA driver. Not part of the other tests, which find the stand-in.
//===----------------------------------------------------------------------===//
#include "dlc/gpu.h"
#include "tests/simt/TinyGpu.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace {

struct NoDriver : testing::Test {
  void SetUp() override {
    if (dlopen("libcuda.so.1", RTLD_NOW))
      GTEST_SKIP() << "there is a driver";
  }
  ~NoDriver() override { dlc_instance_destroy(instance); }

  dlc_status create(const dlc_model &model, const char *device) {
    dlc_create_options options = {};
    options.struct_size = sizeof options;
    options.device = device;
    options.error = error;
    options.error_bytes = sizeof error;
    dlc_instance_destroy(instance);
    return dlc_instance_create(&model, DLC_ABI_VERSION, tiny::fingerprint, &options, &instance);
  }
  void expectNoDriver() {
    EXPECT_EQ(instance, nullptr);
    const std::string begin =
        "tiny: there is no NVIDIA driver, which runs its code for GPUs: libcuda.so.1 cannot be loaded (";
    EXPECT_EQ(std::string(error).substr(0, begin.size()), begin) << error;
  }

  char error[512] = "";
  dlc_instance *instance = nullptr;
};

TEST_F(NoDriver, IsSaid) {
  tiny::GpuTables gpu;
  EXPECT_EQ(create(gpu.model, nullptr), DLC_UNSUPPORTED_DEVICE);
  expectNoDriver();
}

TEST_F(NoDriver, LeavesTheCpuOfALibraryForBoth) {
  for (bool gpuFirst : {false, true}) {
    tiny::BothTables both(gpuFirst);
    for (const char *device : {static_cast<const char *>(nullptr), "cpu"}) {
      ASSERT_EQ(create(both.model, device), DLC_OK) << error;
      EXPECT_STREQ(error, "");
      float loss = 0;
      EXPECT_EQ(dlc_instance_train_step(instance, tiny::Batch(0).pointers, &loss), DLC_OK);
      EXPECT_GT(loss, 0);
    }
    EXPECT_EQ(create(both.model, "gpu"), DLC_UNSUPPORTED_DEVICE);
    expectNoDriver();
    EXPECT_EQ(create(both.model, "tpu"), DLC_UNSUPPORTED_DEVICE);
    const std::string kinds = gpuFirst ? "gpu and cpu" : "cpu and gpu";
    EXPECT_EQ(error, "tiny: device 'tpu' is asked for, and the library has code for " + kinds + " only");
  }
}

TEST_F(NoDriver, HasNoGpuAndIsNoError) {
  const std::string begin = "dlc: there is no NVIDIA driver, which runs its code for GPUs: libcuda.so.1 ";
  char why[512] = "";
  EXPECT_EQ(dlc_gpu_count(why, sizeof why), 0);
  EXPECT_EQ(std::string(why).substr(0, begin.size()), begin) << why;
  EXPECT_EQ(dlc_gpu_count(nullptr, 0), 0);
  why[0] = '\0';
  EXPECT_EQ(dlc_gpu_best(why, sizeof why), -1);
  EXPECT_EQ(std::string(why).substr(0, begin.size()), begin) << why;
  EXPECT_EQ(dlc_gpu_describe(0, nullptr, 0, nullptr, error, sizeof error), DLC_UNSUPPORTED_DEVICE);
  EXPECT_EQ(std::string(error).substr(0, begin.size()), begin) << error;
  uint64_t total = 1, free = 1;
  EXPECT_EQ(dlc_gpu_memory(0, &total, &free, nullptr, 0), DLC_UNSUPPORTED_DEVICE);
  EXPECT_EQ(total, 0u);
  EXPECT_EQ(free, 0u);
}

} // namespace
