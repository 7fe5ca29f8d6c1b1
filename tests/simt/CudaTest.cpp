//===- CudaTest.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instances on a GPU, which the stand-in driver plays: every call of the API, beside the same on the CPU.
//===----------------------------------------------------------------------===//
#include "tests/runtime/TempFolder.h"
#include "tests/simt/OnStandIn.h"

#include <cmath>
#include <csignal>
#include <cstring>
#include <unistd.h>

namespace {

using tiny::standIn;

class Cuda : public tiny::OnStandIn {};

void expectNear(const std::vector<float> &one, const std::vector<float> &other, float tolerance = 1e-5f) {
  ASSERT_EQ(one.size(), other.size());
  for (size_t i = 0; i < one.size(); ++i)
    EXPECT_NEAR(one[i], other[i], tolerance) << i;
}

TEST_F(Cuda, TrainsAsTheCpu) {
  tiny::Instance cpu, device(options);
  for (int step = 0; step < 50; ++step) {
    tiny::Batch data(step);
    float expected, loss;
    ASSERT_EQ(dlc_instance_train_step(cpu, data.pointers, &expected), DLC_OK);
    ASSERT_EQ(dlc_instance_train_step(device, data.pointers, &loss), DLC_OK) << device.lastError();
    ASSERT_NEAR(loss, expected, 1e-5f * std::fabs(expected)) << step;
  }
  expectNear(device.state(), cpu.state());
  EXPECT_EQ(dlc_instance_step_count(device), 50);
}

TEST_F(Cuda, AStepIsItsTwoHalves) {
  tiny::Instance whole(options), halves(options);
  for (int step = 0; step < 5; ++step) {
    tiny::Batch data(step);
    float one, other;
    ASSERT_EQ(dlc_instance_train_step(whole, data.pointers, &one), DLC_OK);
    ASSERT_EQ(dlc_instance_grad_step(halves, data.pointers, &other), DLC_OK);
    ASSERT_EQ(dlc_instance_apply(halves), DLC_OK);
    EXPECT_EQ(one, other);
  }
  EXPECT_EQ(whole.state(), halves.state());
}

TEST_F(Cuda, EveryOrderGivesTheSameBits) {
  std::vector<float> expected;
  for (uint32_t seed = 1; seed < 6; ++seed) {
    standIn().setSeed(seed);
    standIn().setEager(seed % 2);
    tiny::Instance device(options);
    tiny::train(device, 0, 5);
    if (seed == 1)
      expected = device.state();
    EXPECT_EQ(device.state(), expected) << seed;
  }
}

// The caller may change the inputs as soon as a call returns, and the next calls need not wait for it.
TEST_F(Cuda, StepsWithoutALossDoNotWait) {
  tiny::Instance waiting(options), device(options);
  float expected = 0, loss = 0;
  for (int step = 0; step < 7; ++step) {
    tiny::Batch data(step), same(step);
    ASSERT_EQ(dlc_instance_train_step(waiting, data.pointers, &expected), DLC_OK);
    ASSERT_EQ(dlc_instance_train_step(device, same.pointers, nullptr), DLC_OK);
    std::fill(std::begin(same.x), std::end(same.x), NAN);
    std::fill(std::begin(same.labels), std::end(same.labels), 0);
  }
  ASSERT_EQ(dlc_instance_sync(device, &loss), DLC_OK);
  EXPECT_EQ(loss, expected);
  EXPECT_EQ(device.state(), waiting.state());
}

// The loss of a step that nobody has waited for is still that step's after other calls.
TEST_F(Cuda, SyncGivesTheLossOfTheLastStep) {
  tiny::Instance device(options), waiting(options);
  tiny::Batch data(0);
  float expected = 0, loss = 0;
  dlc_metrics metrics;
  ASSERT_EQ(dlc_instance_train_step(waiting, data.pointers, &expected), DLC_OK);
  ASSERT_EQ(dlc_instance_train_step(device, data.pointers, nullptr), DLC_OK);
  ASSERT_EQ(dlc_instance_eval_step(device, 3, data.pointers, &metrics), DLC_OK);
  ASSERT_EQ(dlc_instance_sync(device, &loss), DLC_OK);
  EXPECT_EQ(loss, expected);
}

TEST_F(Cuda, EvaluatesAndPredictsAnyNumberOfRows) {
  tiny::Instance cpu, device(options);
  tiny::train(cpu, 0, 2);
  tiny::train(device, 0, 2);
  tiny::Batch data(9);
  for (int64_t rows = 1; rows <= tiny::batch; ++rows) {
    dlc_metrics expected, metrics;
    ASSERT_EQ(dlc_instance_eval_step(cpu, rows, data.pointers, &expected), DLC_OK);
    ASSERT_EQ(dlc_instance_eval_step(device, rows, data.pointers, &metrics), DLC_OK);
    EXPECT_NEAR(metrics.loss_sum, expected.loss_sum, 1e-5);
    EXPECT_EQ(metrics.loss_weight, expected.loss_weight);
    EXPECT_EQ(metrics.correct, expected.correct);
    std::vector<float> scores(tiny::batch * tiny::outputs, -7), predicted = scores;
    void *to[] = {nullptr, scores.data(), nullptr, nullptr, nullptr};
    ASSERT_EQ(dlc_instance_predict(cpu, rows, nullptr, data.pointers, to), DLC_OK);
    to[1] = predicted.data();
    ASSERT_EQ(dlc_instance_predict(device, rows, nullptr, data.pointers, to), DLC_OK);
    expectNear(predicted, scores); // the rows behind are left as they were
  }
}

TEST_F(Cuda, AccumulatesGradientsAndReadsThem) {
  tiny::Instance cpu, device(options);
  for (dlc_instance *instance : {static_cast<dlc_instance *>(cpu), static_cast<dlc_instance *>(device)}) {
    tiny::Batch first(0), second(1);
    ASSERT_EQ(dlc_instance_grad_step(instance, first.pointers, nullptr), DLC_OK);
    ASSERT_EQ(dlc_instance_accumulate(instance, second.pointers, nullptr), DLC_OK);
  }
  std::vector<float> expected(6), gradient(6);
  ASSERT_EQ(dlc_instance_gradient_read(cpu, "fc.weight", expected.data(), 24), DLC_OK);
  ASSERT_EQ(dlc_instance_gradient_read(device, "fc.weight", gradient.data(), 24), DLC_OK);
  expectNear(gradient, expected);
}

TEST_F(Cuda, SavesAndLoadsWhatTheCpuDoes) {
  TempFolder folder;
  const std::string path = folder.file("state.safetensors");
  tiny::Instance cpu, device(options);
  tiny::train(device, 0, 3);
  ASSERT_EQ(dlc_instance_save(device, path.c_str()), DLC_OK) << device.lastError();
  ASSERT_EQ(dlc_instance_load(cpu, path.c_str()), DLC_OK) << cpu.lastError();
  EXPECT_EQ(cpu.state(), device.state());
  tiny::train(device, 3, 2);
  ASSERT_EQ(dlc_instance_load(device, path.c_str()), DLC_OK);
  EXPECT_EQ(cpu.state(), device.state());
}

TEST_F(Cuda, CopiesStateFromMachineToMachine) {
  tiny::BothTables both(/*gpuFirst=*/false);
  tiny::Instance cpu({1, false, nullptr, &both.model, "cpu"});
  tiny::Instance device({1, false, nullptr, &both.model, "gpu"});
  tiny::Instance another({1, true, nullptr, &both.model, "gpu"});
  tiny::train(device, 0, 3);
  ASSERT_EQ(dlc_instance_copy_state(cpu, device), DLC_OK) << cpu.lastError();
  EXPECT_EQ(cpu.state(), device.state());
  ASSERT_EQ(dlc_instance_copy_state(another, device), DLC_OK) << another.lastError();
  EXPECT_EQ(another.state(), device.state());
  tiny::train(cpu, 3, 2);
  ASSERT_EQ(dlc_instance_copy_state(device, cpu), DLC_OK) << device.lastError();
  EXPECT_EQ(cpu.state(), device.state());
  EXPECT_EQ(dlc_instance_step_count(device), 5);
  const float bad[] = {INFINITY, 1};
  ASSERT_EQ(dlc_instance_parameter_write(device, "fc.bias", bad, sizeof bad), DLC_OK);
  const std::vector<float> before = another.state();
  EXPECT_EQ(dlc_instance_copy_state(another, device), DLC_NOT_FINITE);
  EXPECT_EQ(another.state(), before);
}

TEST_F(Cuda, AStepInSlicesIsOneSlice) {
  tiny::BothTables both(/*gpuFirst=*/false);
  tiny::Instance straight({1, false, nullptr, &both.model, "gpu"});
  tiny::Instance sliced({1, false, nullptr, &both.model, "gpu"});
  tiny::Batch data(0);
  ASSERT_EQ(dlc_instance_train_step(straight, data.pointers, nullptr), DLC_OK);
  int32_t done = 0;
  ASSERT_EQ(dlc_instance_train_step_begin(sliced, data.pointers), DLC_OK) << sliced.lastError();
  EXPECT_EQ(dlc_instance_sync(sliced, nullptr), DLC_BUSY);
  EXPECT_EQ(dlc_instance_step_count(sliced), 0);
  ASSERT_EQ(dlc_instance_train_step_continue(sliced, 0, &done), DLC_OK) << sliced.lastError();
  EXPECT_EQ(done, 1);
  EXPECT_EQ(sliced.state(), straight.state());
  EXPECT_EQ(dlc_instance_step_count(sliced), 1);
}

TEST_F(Cuda, AllParametersAndGradientsGoThroughOneArray) {
  tiny::BothTables both(/*gpuFirst=*/false);
  tiny::Instance cpu({1, false, nullptr, &both.model, "cpu"});
  tiny::Instance device({1, false, nullptr, &both.model, "gpu"});
  tiny::Batch data(0);
  ASSERT_EQ(dlc_instance_grad_step(device, data.pointers, nullptr), DLC_OK);
  float values[10], gradients[8];
  ASSERT_EQ(dlc_instance_gradients_read_all(device, gradients, 8), DLC_OK) << device.lastError();
  ASSERT_EQ(dlc_instance_gradients_write_all(cpu, gradients, 8), DLC_OK);
  ASSERT_EQ(dlc_instance_apply(device), DLC_OK);
  ASSERT_EQ(dlc_instance_apply(cpu), DLC_OK);
  EXPECT_EQ(cpu.read("fc.weight"), device.read("fc.weight"));
  ASSERT_EQ(dlc_instance_parameters_read_all(device, values, 10, 0), DLC_OK);
  EXPECT_TRUE(std::equal(values + 6, values + 8, device.read("fc.bias").begin()));
  for (float &value : values)
    value += 1;
  ASSERT_EQ(dlc_instance_parameters_write_all(device, values, 10, 0), DLC_OK);
  ASSERT_EQ(dlc_instance_parameters_write_all(cpu, values, 10, 0), DLC_OK);
  for (const char *name : {"fc.weight", "fc.bias", "norm.mean"})
    EXPECT_EQ(cpu.read(name), device.read(name)) << name;
}

TEST_F(Cuda, ALibraryForBothRunsWhereItIsTold) {
  for (bool gpuFirst : {false, true}) {
    tiny::BothTables both(gpuFirst);
    auto isOnHost = [&](const char *device) {
      tiny::Options chosen{1, false, nullptr, &both.model, device};
      tiny::Instance instance(chosen);
      void *data = nullptr;
      return dlc_instance_parameter_view(instance, "fc.bias", &data) == DLC_OK;
    };
    EXPECT_TRUE(isOnHost("cpu"));
    EXPECT_FALSE(isOnHost("gpu"));
    EXPECT_FALSE(isOnHost("gpu:0"));
    EXPECT_EQ(isOnHost(nullptr), !gpuFirst) << "the first target is the one that is preferred";
  }
}

TEST_F(Cuda, ACallersArenaIsForTheCpuOfALibraryForBoth) {
  tiny::BothTables both(/*gpuFirst=*/true);
  alignas(64) static unsigned char arena[1 << 14];
  ASSERT_LE(both.targets[1].arena_bytes, sizeof arena);
  dlc_create_options create = {};
  create.struct_size = sizeof create;
  create.arena = arena;
  create.arena_bytes = sizeof arena;
  dlc_instance *instance = nullptr;
  ASSERT_EQ(dlc_instance_create(&both.model, DLC_ABI_VERSION, tiny::fingerprint, &create, &instance), DLC_OK);
  void *data = nullptr;
  ASSERT_EQ(dlc_instance_parameter_view(instance, "fc.bias", &data), DLC_OK);
  EXPECT_TRUE(data >= arena && data < arena + sizeof arena);
  dlc_instance_destroy(instance);
}

TEST_F(Cuda, TrainingGoesOnOnTheOtherMachine) {
  TempFolder folder;
  const std::string path = folder.file("state.safetensors");
  tiny::BothTables both(/*gpuFirst=*/false);
  tiny::Instance cpu({1, false, nullptr, &both.model, "cpu"});
  tiny::Instance device({1, false, nullptr, &both.model, "gpu"});
  tiny::train(cpu, 0, 10);
  ASSERT_EQ(dlc_instance_save(cpu, path.c_str()), DLC_OK) << cpu.lastError();
  ASSERT_EQ(dlc_instance_load(device, path.c_str()), DLC_OK) << device.lastError();
  EXPECT_EQ(device.state(), cpu.state());
  for (int step = 10; step < 20; ++step) {
    tiny::Batch data(step);
    float expected, loss;
    ASSERT_EQ(dlc_instance_train_step(cpu, data.pointers, &expected), DLC_OK);
    ASSERT_EQ(dlc_instance_train_step(device, data.pointers, &loss), DLC_OK) << device.lastError();
    ASSERT_NEAR(loss, expected, 1e-5f * std::fabs(expected)) << step;
  }
  EXPECT_EQ(dlc_instance_step_count(device), 20);
}

TEST_F(Cuda, ParametersAndSettingsAreReadAndWritten) {
  tiny::Instance device(options);
  const std::vector<float> values = {1, 2, 3, 4, 5, 6}; // stored transposed
  ASSERT_EQ(dlc_instance_parameter_write(device, "fc.weight", values.data(), 24), DLC_OK);
  EXPECT_EQ(device.read("fc.weight"), values);
  void *data = nullptr;
  EXPECT_EQ(dlc_instance_parameter_view(device, "fc.bias", &data), DLC_UNAVAILABLE);
  ASSERT_EQ(dlc_instance_set_hyperparameter(device, "learning_rate", 0.25), DLC_OK);
  double rate = 0;
  ASSERT_EQ(dlc_instance_get_hyperparameter(device, "learning_rate", &rate), DLC_OK);
  EXPECT_EQ(rate, 0.25);
  EXPECT_EQ(dlc_instance_set_seed(device, 5), DLC_OK);
}

TEST_F(Cuda, ACheckedStepLeavesTheStateAsItWas) {
  options.checkFinite = true;
  tiny::Instance device(options);
  tiny::train(device, 0, 2);
  const std::vector<float> before = device.state();
  tiny::Batch data(2);
  data.x[0] = INFINITY;
  float loss = 0, kept = 0;
  ASSERT_EQ(dlc_instance_sync(device, &kept), DLC_OK);
  EXPECT_EQ(dlc_instance_train_step(device, data.pointers, &loss), DLC_NOT_FINITE);
  EXPECT_EQ(device.state(), before);
  ASSERT_EQ(dlc_instance_sync(device, &loss), DLC_OK);
  EXPECT_EQ(loss, kept);
  tiny::train(device, 2, 1);
}

TEST_F(Cuda, TwoInstancesShareAGpu) {
  tiny::Instance one(options), other(options);
  for (int step = 0; step < 3; ++step) {
    tiny::train(one, step, 1);
    tiny::train(other, step, 1);
  }
  EXPECT_EQ(one.state(), other.state());
}

// What a kernel is given the program itself may not look at.
const float *weightOnDevice;

TEST_F(Cuda, TheDevicesMemoryIsNotTheHosts) {
  gpu.replace(tiny::Forward, [](const dlc_simt *, void *const *parameters) {
    weightOnDevice = tiny::argument<float>(parameters, 1);
  });
  tiny::Instance device(options);
  tiny::Batch data(0);
  float scores[tiny::batch * tiny::outputs];
  void *to[] = {nullptr, scores, nullptr, nullptr, nullptr};
  ASSERT_EQ(dlc_instance_predict(device, 1, nullptr, data.pointers, to), DLC_OK);
  ASSERT_NE(weightOnDevice, nullptr);
  EXPECT_EXIT(_exit(static_cast<int>(*weightOnDevice)), testing::KilledBySignal(SIGSEGV), "");
}

} // namespace
