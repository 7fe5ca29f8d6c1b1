//===- FailureTest.cpp ----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drivers and GPUs that are not there, too small, too old, or fail.
//===----------------------------------------------------------------------===//
#include "runtime/cuda/Images.h"
#include "tests/runtime/TempFolder.h"
#include "tests/simt/OnStandIn.h"

#include <cstring>
#include <set>

namespace {

using tiny::standIn;

struct Creation {
  dlc_status status;
  std::string error;
};

Creation create(const dlc_model &model, const char *device = nullptr, void *arena = nullptr) {
  char error[1024] = "";
  dlc_create_options options = {};
  options.struct_size = sizeof options;
  options.device = device;
  options.arena = arena;
  options.arena_bytes = arena ? 1 << 20 : 0;
  options.error = error;
  options.error_bytes = sizeof error;
  dlc_instance *instance = nullptr;
  const dlc_status status =
      dlc_instance_create(&model, DLC_ABI_VERSION, tiny::fingerprint, &options, &instance);
  EXPECT_EQ(status == DLC_OK, instance != nullptr);
  dlc_instance_destroy(instance);
  return {status, error};
}

class Failure : public tiny::OnStandIn {
protected:
  void expectRefused(const Creation &result, dlc_status status, const char *sentence) {
    EXPECT_EQ(result.status, status) << result.error;
    EXPECT_EQ(result.error, sentence);
  }
};

TEST_F(Failure, DevicesThatAreNotThere) {
  EXPECT_EQ(create(gpu.model).status, DLC_OK);
  EXPECT_EQ(create(gpu.model, "gpu").status, DLC_OK);
  EXPECT_EQ(create(gpu.model, "gpu:0").status, DLC_OK);
  expectRefused(create(gpu.model, "gpu:1"), DLC_UNSUPPORTED_DEVICE,
                "tiny: there is no GPU number 1: the driver has 1");
  expectRefused(create(gpu.model, "gpu:x"), DLC_UNSUPPORTED_DEVICE,
                "tiny: 'gpu:x' is no device: expected \"gpu\" or \"gpu:\" and a number");
  expectRefused(create(gpu.model, "gpu:"), DLC_UNSUPPORTED_DEVICE,
                "tiny: 'gpu:' is no device: expected \"gpu\" or \"gpu:\" and a number");
  expectRefused(create(gpu.model, "cpu"), DLC_UNSUPPORTED_DEVICE,
                "tiny: device 'cpu' is asked for, and the library has code for gpu only");
  standIn().setDevices(2, 80);
  EXPECT_EQ(create(gpu.model, "gpu:1").status, DLC_OK);
  standIn().setDevices(0, 80);
  expectRefused(create(gpu.model), DLC_UNSUPPORTED_DEVICE,
                "tiny: no GPU can be used: cuInit: CUDA_ERROR_NO_DEVICE 100 (the stand-in's answer)");
}

TEST_F(Failure, TheCpuTakesOverWhereThereIsNoGpu) {
  dlc_target targets[] = {gpu.target, *tiny::model().targets};
  gpu.model.targets = targets;
  gpu.model.target_count = 2;
  standIn().setDevices(0, 80);
  EXPECT_EQ(create(gpu.model).status, DLC_OK);
  EXPECT_EQ(create(gpu.model, "cpu").status, DLC_OK);
  EXPECT_EQ(create(gpu.model, "gpu").status, DLC_UNSUPPORTED_DEVICE);
}

TEST_F(Failure, MemoryThatIsNotThere) {
  standIn().setMemory(2000);
  expectRefused(create(gpu.model), DLC_OUT_OF_MEMORY,
                "tiny needs 4608 bytes on the GPU stand-in 0, of whose 2000 bytes 2000 are free");
  alignas(64) static char arena[1 << 20];
  expectRefused(create(gpu.model, nullptr, arena), DLC_INVALID_ARGUMENT,
                "tiny: an arena is given, but a GPU has memory of its own");
}

TEST_F(Failure, CodeThatTheGpuCannotRun) {
  gpu.image.kind = DLC_IMAGE_PTX;
  gpu.image.sm = 90;
  gpu.target.features = 90;
  expectRefused(
      create(gpu.model), DLC_UNSUPPORTED_DEVICE,
      "tiny was compiled for GPUs of compute capability 9.0 or newer, and the GPU stand-in 0 has 8.0: "
      "compile it for sm_80, too (--gpu)");
}

TEST_F(Failure, DescriptionsThatAreNotSound) {
  const auto expectUnsound = [&] { EXPECT_EQ(create(gpu.model).status, DLC_ABI_MISMATCH); };
  gpu.kernels[0].block = 1025;
  expectUnsound();
  gpu.kernels[0].block = 2;
  gpu.kernels[0].grid = 0;
  expectUnsound();
  gpu.kernels[0].grid = 4;
  gpu.kernels[0].operand_count = 3;
  expectUnsound();
  gpu.kernels[0].operand_count = 4;
  const dlc_operand large[] = {{tiny::batch * tiny::inputs * 4 + 1, 1, 0}, {24, 1, 0}, {8, 1, 0}, {32, 2, 0}};
  gpu.kernels[0].operands = large;
  expectUnsound();
}

TEST_F(Failure, KernelsAndSharedMemoryThatAreMissing) {
  gpu.kernels[0].entry = "another";
  expectRefused(
      create(gpu.model), DLC_DEVICE_FAILED,
      "tiny: the GPU's code has no kernel another: CUDA_ERROR_NOT_FOUND 500 (the stand-in's answer)");
  gpu.kernels[0].entry = "forward";
  gpu.kernels[0].shared_bytes = 200 << 10;
  expectRefused(create(gpu.model), DLC_UNSUPPORTED_DEVICE,
                "tiny: kernel forward needs 204800 bytes of shared memory, the GPU stand-in 0 has 166912");
  gpu.kernels[0].shared_bytes = 100 << 10;
  EXPECT_EQ(create(gpu.model).status, DLC_OK);
}

/// A life of an instance; the first status that is not DLC_OK, with its sentence.
Creation live(const tiny::GpuTables &gpu, const std::string &path) {
  char error[1024] = "";
  dlc_create_options options = {};
  options.struct_size = sizeof options;
  options.check_finite = 1;
  options.error = error;
  options.error_bytes = sizeof error;
  dlc_instance *instance = nullptr;
  Creation first = {dlc_instance_create(&gpu.model, DLC_ABI_VERSION, tiny::fingerprint, &options, &instance),
                    ""};
  if (first.status != DLC_OK)
    return {first.status, error};
  const auto note = [&](dlc_status status) {
    if (status != DLC_OK && first.status == DLC_OK)
      first = {status, dlc_instance_last_error(instance)};
    else if (first.status != DLC_OK)
      EXPECT_EQ(status, DLC_DEVICE_FAILED) << "after a failure the handle is dead";
  };
  tiny::Batch data(0);
  float loss, values[6];
  dlc_metrics metrics;
  note(dlc_instance_train_step(instance, data.pointers, &loss));
  note(dlc_instance_grad_step(instance, data.pointers, nullptr));
  note(dlc_instance_apply(instance));
  note(dlc_instance_eval_step(instance, 2, data.pointers, &metrics));
  note(dlc_instance_set_hyperparameter(instance, "learning_rate", 0.5));
  note(dlc_instance_parameter_read(instance, "fc.weight", values, sizeof values));
  note(dlc_instance_save(instance, path.c_str()));
  dlc_instance_destroy(instance);
  return first;
}

/// What a program cannot do anything about, and need not know of.
bool givesBack(const std::string &call) {
  static const std::set<std::string> calls = {
      "cuMemFree_v2",      "cuMemFreeHost",  "cuModuleUnload",     "cuStreamDestroy_v2",
      "cuEventDestroy_v2", "cuGraphDestroy", "cuGraphExecDestroy", "cuDevicePrimaryCtxRelease_v2",
      "cuCtxPopCurrent_v2"};
  return calls.count(call);
}

TEST_F(Failure, EveryCallOfTheDriverMayFail) {
  TempFolder folder;
  const std::string path = folder.file("state.safetensors");
  ASSERT_EQ(live(gpu, path).status, DLC_OK);
  const uint64_t calls = standIn().calls();
  ASSERT_GT(calls, 200u);
  std::set<std::string> failed;
  for (uint64_t call = 1; call <= calls; ++call) {
    std::filesystem::remove(path);
    standIn().reset();
    standIn().failCall(call, 999);
    const Creation result = live(gpu, path);
    const std::string name = standIn().failedCall();
    failed.insert(name);
    ASSERT_STREQ(standIn().leaks(), "") << "call " << call << ", " << name;
    ASSERT_STREQ(standIn().findings(), "") << "call " << call << ", " << name;
    const bool inDestroy = result.status == DLC_OK && std::filesystem::exists(path);
    if (givesBack(name) || inDestroy)
      continue;
    ASSERT_TRUE(result.status == DLC_DEVICE_FAILED || result.status == DLC_UNSUPPORTED_DEVICE ||
                result.status == DLC_OUT_OF_MEMORY)
        << "call " << call << ", " << name << ": " << result.status << " " << result.error;
    EXPECT_EQ(result.error.rfind("tiny", 0), 0u) << name << ": " << result.error;
    EXPECT_FALSE(std::filesystem::exists(path)) << "a file of a failed device, after " << name;
  }
  EXPECT_EQ(failed.size(), 38u) << "all functions but those that explain errors, and those for averages";
}

TEST_F(Failure, AnswersOfTheDriverAreInTheSentence) {
  standIn().failCall(10, 2);
  const Creation result = create(gpu.model);
  EXPECT_NE(result.status, DLC_OK);
  EXPECT_NE(result.error.find("CUDA_ERROR_OUT_OF_MEMORY 2 (the stand-in's answer)"), std::string::npos)
      << result.error;
}

// ---- images, without any driver ----

using namespace dlc::runtime;
using namespace dlc::runtime::cuda;

std::vector<const void *> offered; ///< to the driver
Status answers[8];

cuda::Gpu gpuOf(uint32_t sm) {
  cuda::Gpu gpu;
  gpu.sm = sm;
  gpu.driverVersion = 11040;
  strcpy(gpu.name, "Imaginary");
  gpu.api.cuGetErrorName = [](Status, const char **text) { return *text = "ERROR", success; };
  gpu.api.cuGetErrorString = [](Status, const char **text) { return *text = "why", success; };
  gpu.api.cuModuleLoadDataEx = [](Module *, const void *image, unsigned, JitOption *, void **values) {
    strcpy(static_cast<char *>(values[0]), "ptxas fatal: line 3");
    offered.push_back(image);
    return answers[offered.size() - 1];
  };
  return gpu;
}

class Images : public testing::Test {
protected:
  void SetUp() override {
    offered.clear();
    std::fill(std::begin(answers), std::end(answers), success);
    target.images = images;
    target.image_count = 7;
  }
  const dlc_image images[7] = {{DLC_IMAGE_PTX, 70, 1, "ptx70"},
                               {DLC_IMAGE_PTX, 80, 1, "ptx80"},
                               {DLC_IMAGE_CUBIN, 80, 1, "sm80"},
                               {DLC_IMAGE_CUBIN, 86, 1, "sm86"},
                               {DLC_IMAGE_CUBIN, 90 | DLC_SM_EXACT, 1, "sm90a"},
                               {DLC_IMAGE_SIMT, 0, 1, "simt"},
                               {DLC_IMAGE_CUBIN, 90, 1, "sm90"}};
  dlc_target target = {};
  dlc_model model = tiny::model();
  Module module = nullptr;
  Error error;
};

TEST_F(Images, TheBestIsTaken) {
  const auto best = [&](uint32_t sm) {
    offered.clear();
    EXPECT_EQ(loadImage(model, target, gpuOf(sm), module, error), DLC_OK);
    return std::string(static_cast<const char *>(offered.at(0)));
  };
  EXPECT_EQ(best(75), "ptx70");
  EXPECT_EQ(best(80), "sm80");
  EXPECT_EQ(best(86), "sm86");
  EXPECT_EQ(best(89), "sm86");
  EXPECT_EQ(best(90), "sm90a");
  EXPECT_EQ(best(93), "sm90");
  EXPECT_EQ(best(100), "ptx80");
  EXPECT_FALSE(hasImageFor(target, gpuOf(61)));
}

TEST_F(Images, WhatIsRefusedIsFollowedByTheNext) {
  answers[0] = answers[1] = noBinaryForGpu;
  EXPECT_EQ(loadImage(model, target, gpuOf(86), module, error), DLC_OK);
  EXPECT_STREQ(static_cast<const char *>(offered.back()), "ptx80");
  std::fill(std::begin(answers), std::end(answers), unsupportedPtxVersion);
  offered.clear();
  EXPECT_EQ(loadImage(model, target, gpuOf(86), module, error), DLC_UNSUPPORTED_DEVICE);
  EXPECT_EQ(offered.size(), 4u);
  EXPECT_STREQ(error.text,
               "tiny: the driver (CUDA 11.4) refuses the PTX for sm_70 on the GPU Imaginary: ERROR 222 "
               "(why); its log: ptxas fatal: line 3");
}

} // namespace
