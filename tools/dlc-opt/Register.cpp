//===- Register.cpp - what dlc-opt knows
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's InitAll headers are slow to compile: they are included here and nowhere else.
//===----------------------------------------------------------------------===//
#include "tools/dlc-opt/Register.h"
#include "compiler/backward/Passes.h"
#include "compiler/forward/Passes.h"
#include "compiler/fuse/Passes.h"
#include "compiler/layout/Passes.h"
#include "compiler/lower/Passes.h"
#include "compiler/plan/Passes.h"
#include "compiler/schedule/cpu/Passes.h"
#include "compiler/schedule/gpu/Passes.h"
#include "compiler/machine/cpu/Schedule.h"
#include "compiler/machine/gpu/Schedule.h"
#include "dialects/nn/NN.h"
#include "dialects/train/Train.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

void registerDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<nn::NNDialect, train::TrainDialect, dlc::cpu::CpuDialect, dlc::gpu::GpuDialect>();
}

void registerPasses() {
  mlir::registerAllPasses();
  dlc::forward::registerForwardPasses();
  dlc::backward::registerBackwardPasses();
  dlc::backward::registerBackwardPipeline();
  dlc::schedule::registerScheduleCpuPasses();
  dlc::schedule::registerScheduleGpuPasses();
  dlc::plan::registerPlanPasses();
  dlc::lower::registerLowerPasses();
  dlc::layout::registerLayoutPasses();
  dlc::fuse::registerFusePasses();
  dlc::fuse::registerFusePipeline();
}
