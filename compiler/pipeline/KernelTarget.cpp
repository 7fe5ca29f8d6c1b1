//===- KernelTarget.cpp - a machine that kernels are made for --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/KernelTarget.h"
#include "compiler/schedule/cpu/Passes.h"
#include "compiler/schedule/gpu/Passes.h"

namespace dlc::pipeline {
namespace {

class CpuKernels : public KernelTarget {
public:
  explicit CpuKernels(const CpuTarget &cpu) : KernelTarget(cpu.model()) {}

  void addSchedulePasses(mlir::OpPassManager &passes) const override {
    passes.addPass(schedule::createScheduleCpuFor(model().vectors));
    passes.addPass(schedule::createVerifySchedulePass());
  }
};

class GpuKernels : public KernelTarget {
public:
  explicit GpuKernels(const GpuTarget &gpu) : KernelTarget(gpu.model()), warpGroups(gpu.haveWarpGroups()) {}

  void addSchedulePasses(mlir::OpPassManager &passes) const override {
    passes.addPass(schedule::createScheduleGpuPass({warpGroups}));
    passes.addPass(schedule::createVerifyScheduleGpuPass({warpGroups}));
  }

private:
  bool warpGroups;
};

} // namespace

std::shared_ptr<const KernelTarget> KernelTarget::of(const CpuTarget &cpu) {
  return std::make_shared<CpuKernels>(cpu);
}

std::shared_ptr<const KernelTarget> KernelTarget::of(const GpuTarget &gpu) {
  return std::make_shared<GpuKernels>(gpu);
}

} // namespace dlc::pipeline
