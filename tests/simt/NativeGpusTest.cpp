//===- NativeGpusTest.cpp -------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --gpu=native: what the compiler makes code for, by what a driver says.
//===----------------------------------------------------------------------===//
#include "compiler/machine/GpuTarget.h"
#include "tests/simt/StandIn.h"

#include <gtest/gtest.h>

namespace {

using dlc::simt::standIn;

class Native : public testing::Test {
protected:
  void SetUp() override { standIn().reset(); }
  void TearDown() override {
    EXPECT_STREQ(standIn().findings(), "");
    standIn().reset();
  }

  /// The names of the GPUs that get code, or the error.
  static std::string get(const char *list) {
    auto target = dlc::GpuTarget::get(list);
    return target ? target->text() : llvm::toString(target.takeError());
  }
  static std::string on(int count, int sm, const char *list = "native") {
    standIn().setDevices(count, sm);
    return get(list);
  }
};

TEST_F(Native, IsTheNewestCodeThatTheGpuRuns) {
  EXPECT_EQ(on(1, 80), "sm_80");
  EXPECT_EQ(on(3, 89), "sm_89"); // once for GPUs that are alike
  EXPECT_EQ(on(1, 90), "sm_90a");
  EXPECT_EQ(on(1, 101), "sm_100"); // newer than sm_90a, whose code runs on 9.0 alone
  EXPECT_EQ(on(1, 121), "sm_120");
  EXPECT_EQ(on(1, 90, "sm_80,native"), "sm_80,sm_90a");
}

TEST_F(Native, NeedsAGpu) {
  EXPECT_EQ(on(0, 80), "no code can be made for the GPUs of this machine: the NVIDIA driver answers cuInit "
                       "with error 100 (no GPU is there)");
  EXPECT_EQ(on(1, 75), "a GPU of this machine is sm_75, and the oldest that dlc has code for is sm_80");
}

TEST_F(Native, LeavesOutGpusThatAreTooOldBesideOthers) {
  for (int old : {0, 1}) {
    standIn().setDevices(2, 90);
    standIn().setCapability(old, 75);
    EXPECT_EQ(get("native"), "sm_90a") << old;
  }
  standIn().setCapability(0, 70);
  standIn().setCapability(1, 75);
  EXPECT_EQ(get("native"), "a GPU of this machine is sm_75, and the oldest that dlc has code for is sm_80");
}

TEST_F(Native, SaysWhichCallOfTheDriverFails) {
  const char *const names[] = {"cuInit",      "cuDriverGetVersion",   "cuDeviceGetCount",
                               "cuDeviceGet", "cuDeviceGetAttribute", "cuDeviceGetAttribute"};
  uint64_t number = 0;
  for (const char *name : names) {
    standIn().reset();
    standIn().failCall(++number, 100);
    EXPECT_EQ(get("native"),
              std::string("no code can be made for the GPUs of this machine: the NVIDIA driver answers ") +
                  name + " with error 100 (no GPU is there)");
    EXPECT_STREQ(standIn().failedCall(), name);
  }
}

} // namespace
