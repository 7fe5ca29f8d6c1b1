//===- Kernels.cpp - kernels as functions of vector loops ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/Kernels.h"
#include "compiler/codegen/cpu/Call.h"
#include "compiler/codegen/cpu/Scatter.h"
#include "compiler/codegen/cpu/Steps.h"
#include "compiler/codegen/cpu/Transpose.h"
#include "compiler/codegen/cpu/VectorLoops.h"
#include "compiler/codegen/cpu/contraction/Contraction.h"
#include "compiler/codegen/cpu/loops/LoopKernel.h"
#include "compiler/machine/cpu/CallForm.h"

using namespace mlir;

namespace dlc::codegen {

/// Emits a kernel, or a step of one.
static void emitPart(KernelFunction &function) {
  cpu::ScheduleAttr schedule = scheduleOf(function);
  if (cpu::isCall(schedule))
    emitCall(function);
  else if (schedule.steps())
    emitSteps(function, emitPart);
  else if (schedule.contraction())
    emitContraction(function);
  else if (schedule.scatter())
    emitScatter(function);
  else if (isa<cpu::TransposeAttr>(schedule.getForm()))
    emitTranspose(function);
  else
    emitLoopKernel(function);
}

void emitKernel(train::KernelOp kernel, ModuleOp module, ArrayRef<std::string> dimNames) {
  KernelFunction function(kernel, module, dimNames);
  emitPart(function);
  function.finish();
}

} // namespace dlc::codegen
