//===- device_test.cpp - which GPUs there are, on a machine without any --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// session_gpu.cpp has the rest.
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "dlc/session.h"
#include "tests/cpp/Expect.h"
#include <algorithm>
#include <dlfcn.h>

using namespace dlc;

namespace {

TEST(Device, IsTheCpuWhereThereIsNoDriver) {
  if (dlopen("libcuda.so.1", RTLD_NOW))
    GTEST_SKIP() << "there is a driver";
  EXPECT_EQ(device_count(), 0);
  EXPECT_FALSE(is_available());
  testing::internal::CaptureStderr();
  EXPECT_EQ(best_device(), "cpu");
  EXPECT_EQ(best_device(), "cpu");
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_NE(said.find("note: best_device: cpu (there is no NVIDIA driver, which runs its code for GPUs: "
                      "libcuda.so.1 cannot be loaded"),
            std::string::npos)
      << said;
  EXPECT_MESSAGE(device_name(), "device_name: there is no NVIDIA driver");
  EXPECT_MESSAGE(device_memory(0), "device_memory: there is no NVIDIA driver");
  manual_seed(1);
  nn::Linear net(3, 2);
  Session session(
      program(net, loss::CrossEntropy(), optim::SGD({.lr = 0.1}), input("x", {Dim("batch", 4), 3})),
      {.device = best_device()});
  EXPECT_GT(
      session.train_step(View(std::vector<float>(6, 1.f), {2, 3}), View(std::vector<int64_t>{0, 1}, {2})), 0);
}

} // namespace
