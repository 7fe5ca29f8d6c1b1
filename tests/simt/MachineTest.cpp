//===- MachineTest.cpp ----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dlc/gpu.h: which GPUs a machine has.
//===----------------------------------------------------------------------===//
#include "dlc/gpu.h"
#include "tests/simt/OnStandIn.h"

namespace {

using tiny::standIn;

class Machine : public tiny::OnStandIn {
protected:
  int32_t count() { return dlc_gpu_count(text, sizeof text); }
  int32_t best() { return dlc_gpu_best(text, sizeof text); }
  char text[256] = "";
};

TEST_F(Machine, SaysHowManyThereAre) {
  EXPECT_EQ(count(), 1);
  EXPECT_STREQ(text, "");
  standIn().setDevices(3, 80);
  EXPECT_EQ(count(), 3);
  standIn().setDevices(0, 80);
  EXPECT_EQ(count(), 0);
  EXPECT_STREQ(text, "dlc: no GPU can be used: cuInit: CUDA_ERROR_NO_DEVICE 100 (the stand-in's answer)");
}

TEST_F(Machine, DescribesEach) {
  standIn().setDevices(2, 80);
  standIn().setCapability(1, 121);
  char name[96] = "";
  int32_t capability = 0;
  EXPECT_EQ(dlc_gpu_describe(1, name, sizeof name, &capability, text, sizeof text), DLC_OK);
  EXPECT_STREQ(name, "stand-in 1");
  EXPECT_EQ(capability, 121);
  EXPECT_STREQ(text, "");
  EXPECT_EQ(dlc_gpu_describe(0, name, 6, nullptr, nullptr, 0), DLC_OK);
  EXPECT_STREQ(name, "stand");
  for (int32_t number : {2, -1}) {
    EXPECT_EQ(dlc_gpu_describe(number, name, sizeof name, &capability, text, sizeof text),
              DLC_UNSUPPORTED_DEVICE);
    EXPECT_EQ(text, "dlc: there is no GPU number " + std::to_string(number) + ": the driver has 2");
    EXPECT_STREQ(name, "");
    EXPECT_EQ(capability, 0);
  }
}

TEST_F(Machine, AsksForMemory) {
  standIn().setMemory(uint64_t{3} << 30);
  uint64_t total = 0, before = 0, free = 0;
  EXPECT_EQ(dlc_gpu_memory(0, &total, &before, text, sizeof text), DLC_OK);
  EXPECT_EQ(total, uint64_t{3} << 30);
  EXPECT_EQ(before, uint64_t{3} << 30);
  {
    tiny::Instance device(options);
    EXPECT_EQ(dlc_gpu_memory(0, nullptr, &free, text, sizeof text), DLC_OK);
    EXPECT_EQ(before - free, 4608u); // what the instance says that it needs
  }
  EXPECT_EQ(dlc_gpu_memory(0, nullptr, &free, nullptr, 0), DLC_OK);
  EXPECT_EQ(free, before);
  EXPECT_EQ(dlc_gpu_memory(1, &total, &free, text, sizeof text), DLC_UNSUPPORTED_DEVICE);
  EXPECT_EQ(total, 0u);
}

TEST_F(Machine, TakesTheFirstThatHasCode) {
  EXPECT_EQ(best(), 0);
  EXPECT_STREQ(text, "stand-in 0");
  standIn().setDevices(3, 90);
  standIn().setCapability(0, 75);
  EXPECT_EQ(best(), 1);
  EXPECT_STREQ(text, "stand-in 1");
  standIn().setDevices(2, 75);
  EXPECT_EQ(best(), -1);
  EXPECT_STREQ(text, "dlc: the GPU stand-in 1 has compute capability 7.5, and the oldest that there is code "
                     "for is 8.0");
  standIn().setDevices(0, 90);
  EXPECT_EQ(best(), -1);
  EXPECT_STREQ(text, "dlc: no GPU can be used: cuInit: CUDA_ERROR_NO_DEVICE 100 (the stand-in's answer)");
}

TEST_F(Machine, EveryCallOfTheDriverMayFail) {
  uint64_t total, free;
  ASSERT_EQ(dlc_gpu_memory(0, &total, &free, text, sizeof text), DLC_OK);
  const uint64_t calls = standIn().calls();
  for (uint64_t call = 1; call <= calls; ++call) {
    standIn().reset();
    standIn().failCall(call, 999);
    const dlc_status status = dlc_gpu_memory(0, &total, &free, text, sizeof text);
    const std::string name = standIn().failedCall();
    ASSERT_STREQ(standIn().findings(), "") << name;
    ASSERT_STREQ(standIn().leaks(), "") << name;
    if (name == "cuCtxPopCurrent_v2" || name == "cuDevicePrimaryCtxRelease_v2") {
      EXPECT_EQ(status, DLC_OK) << name; // the answer is there
      continue;
    }
    EXPECT_TRUE(status == DLC_UNSUPPORTED_DEVICE || status == DLC_DEVICE_FAILED) << name;
    EXPECT_NE(std::string(text).find("CUDA_ERROR_UNKNOWN 999"), std::string::npos) << name << ": " << text;
    EXPECT_EQ(total, 0u);
  }
}

} // namespace
