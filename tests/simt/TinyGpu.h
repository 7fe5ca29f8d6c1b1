//===- TinyGpu.h ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiny model of tests/runtime as code for a GPU, written by hand: kernels of a SIMT image, which the
// stand-in driver runs. Tests change copies of it.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_SIMT_TINYGPU_H
#define DLC_TESTS_SIMT_TINYGPU_H

#include "compiler/codegen/gpu/simt/Image.h"
#include "tests/runtime/TinyModel.h"
#include "tests/simt/StandIn.h"

namespace tiny {

using dlc::simt::standIn;

/// Loads and stores of kernels, as the compiler emits them.
template <typename T> T get(const dlc_simt *simt, const T *place, uint32_t site) {
  simt->load(simt, place, sizeof(T), site);
  return *place;
}
template <typename T> void put(const dlc_simt *simt, T *place, T value, uint32_t site) {
  simt->store(simt, place, sizeof(T), site);
  *place = value;
}
template <typename T> T *argument(void *const *parameters, int number) {
  return *static_cast<T **>(parameters[number]);
}

struct GpuTables {
  using Code = void (*)(const dlc_simt *, void *const *);
  GpuTables();
  GpuTables(const GpuTables &) = delete;
  GpuTables &operator=(const GpuTables &) = delete;

  /// Another code for a kernel, by its number.
  void replace(uint32_t kernel, Code code);

  dlc_model model;
  dlc_target target;
  std::vector<dlc_device_kernel> kernels;
  std::vector<dlc_simt_kernel> simtKernels;
  dlc_simt_image simt;
  dlc_image image;
};

/// The tiny model with code for the CPU and a GPU, in this order or in the other.
struct BothTables {
  explicit BothTables(bool gpuFirst);
  BothTables(const BothTables &) = delete;
  BothTables &operator=(const BothTables &) = delete;

  GpuTables gpu;
  std::vector<dlc_target> targets;
  dlc_model model;
};

enum GpuKernel : uint32_t { Forward, TrainingLoss, Evaluation, Gradient, Accumulate };

constexpr uint32_t blockOfLoss = 32;

} // namespace tiny

#endif
