//===- session_gpu.cpp - a session on a GPU, which the stand-in driver plays -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same losses as those of a session on the CPU.
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "dlc/session.h"
#include "tests/cpp/Expect.h"
#include <algorithm>
#include <cmath>
#include <random>

using namespace dlc;

namespace {

struct Net : nn::Module {
  Tensor forward(Tensor x) override { return fc2(gelu(fc1(x))); }
  nn::Linear fc1 = register_module("fc1", nn::Linear(5, 7));
  nn::Linear fc2 = register_module("fc2", nn::Linear(7, 3));
};

Program classifier() {
  manual_seed(1);
  Net net;
  return program(net, loss::CrossEntropy(), optim::Adam({.lr = 0.01}), input("x", {Dim("batch", 6), 5}));
}

struct Data {
  explicit Data(unsigned seed) : x(6 * 5), labels(6) {
    std::mt19937 random(seed);
    for (float &number : x)
      number = float(random() % 200) / 100 - 1;
    for (int64_t &label : labels)
      label = random() % 3;
  }
  std::vector<View> views(int64_t rows = 6) { return {View(x, {rows, 5}), View(labels, {rows})}; }
  std::vector<float> x;
  std::vector<int64_t> labels;
};

TEST(SessionOnGpu, TrainsAsOnTheCpu) {
  Session cpu(classifier()), gpu(classifier(), {.device = "gpu", .gpu_code = "simt"});
  for (unsigned step = 0; step < 10; ++step) {
    Data batch(step);
    const float expected = cpu.train_step(batch.views()), loss = gpu.train_step(batch.views());
    ASSERT_NEAR(loss, expected, 1e-5 * std::fabs(expected)) << step;
  }
  Data batch(99);
  EXPECT_NEAR(gpu.evaluate(batch.views()).loss(), cpu.evaluate(batch.views()).loss(), 1e-5);
}

TEST(SessionOnGpu, MovesBuffersAsOnTheCpu) {
  struct Turning : nn::Module {
    Turning() {
      register_parameter("scale", ones({5}));
      register_buffer("a", tensor({1.0, 2, 3, 4, 5}));
      register_buffer("b", tensor({6.0, 7, 8, 9, 10}));
      register_buffer("steps", zeros({}, int64));
    }
    Tensor forward(Tensor x) override {
      Tensor mean = x.mean({0});
      update_buffer("a", parameter("b"));
      update_buffer("b", 0.5 * parameter("a") + mean);
      update_buffer("steps", parameter("steps") + 1);
      return by_mode((x - mean) * parameter("scale"), x - parameter("b"));
    }
  };
  auto describe = [] {
    Turning net;
    Tensor y = net(input("x", {Dim("batch", 6), 5}));
    return program(net, y, y.square().mean(), optim::SGD({.lr = 0.1}));
  };
  Session cpu(describe()), gpu(describe(), {.device = "gpu", .gpu_code = "simt"});
  for (unsigned step = 0; step < 3; ++step) {
    Data batch(step);
    ASSERT_NEAR(gpu.train_step({batch.views()[0]}), cpu.train_step({batch.views()[0]}), 1e-5) << step;
  }
  for (const char *name : {"a", "b", "scale"}) {
    Array found = gpu.parameter(name), expected = cpu.parameter(name);
    for (size_t i = 0; i < 5; ++i)
      EXPECT_NEAR(found.values<float>()[i], expected.values<float>()[i], 1e-5) << name << " " << i;
  }
  EXPECT_EQ(gpu.parameter("steps").values<int64_t>()[0], 3);
  Data batch(99);
  EXPECT_NEAR(gpu.evaluate({batch.views()[0]}).loss(), cpu.evaluate({batch.views()[0]}).loss(), 1e-4);
}

TEST(SessionOnGpu, TakesTheBestDevice) {
  EXPECT_EQ(device_count(), 1);
  EXPECT_TRUE(is_available());
  EXPECT_EQ(device_name(), "stand-in 0");
  const DeviceMemory memory = device_memory(0);
  EXPECT_EQ(memory.total, int64_t(8) << 30);
  EXPECT_EQ(memory.free, memory.total);
  testing::internal::CaptureStderr();
  EXPECT_EQ(best_device(), "gpu");
  EXPECT_EQ(best_device(), "gpu");
  const std::string said = testing::internal::GetCapturedStderr(),
                    note = "note: best_device: gpu (stand-in 0)\n";
  EXPECT_EQ(said.substr(said.size() - note.size()), note) << "once: " << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  Session session(classifier(), {.device = best_device(), .gpu_code = "simt"});
  EXPECT_LT(device_memory().free, memory.free);
  EXPECT_GT(session.train_step(Data(1).views()), 0);
  for (const char *name : {"cuda", "cuda:0", "gpu:0"})
    EXPECT_GT(Session(classifier(), {.device = name, .gpu_code = "simt"}).train_step(Data(1).views()), 0);
  EXPECT_MESSAGE(device_name(1), "device_name: there is no GPU number 1: the driver has 1");
  EXPECT_MESSAGE(device_memory(-1), "device_memory: there is no GPU number -1: the driver has 1");
}

TEST(SessionOnGpu, SaysWhatIsNotThere) {
  const Program net = classifier();
  EXPECT_MESSAGE(Session(net, {.device = "gpu", .gpu_code = "simt"}).profile(),
                 "profile: the session is on a GPU, and a profile is of a CPU's kernels");
  EXPECT_MESSAGE(Session(net, {.device = "gpu:3", .gpu_code = "simt"}),
                 "there is no GPU number 3: the driver has 1");
  EXPECT_MESSAGE(Session(net, {.device = "tpu", .gpu_code = "simt"}),
                 "device: expected \"cpu\", \"gpu\", or \"gpu:\" and a number, got \"tpu\"");
  EXPECT_MESSAGE(Session(net, {.gpu_code = "cubin"}), "expected \"ptx\" or \"simt\", got \"cubin\"");
}

} // namespace
