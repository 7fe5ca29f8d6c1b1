//===- Kernels.cpp - kernels as functions of one thread --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/Kernels.h"
#include "compiler/codegen/kernel/UserCall.h"
#include "compiler/machine/gpu/Schedule.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace dlc::codegen::gpu {

// Names of kernels differ, and have letters, digits and underscores only: they are made of names of
// operations.
std::string entryOf(train::KernelOp kernel) { return ("dlc_" + kernel.getSymName()).str(); }

void emitKernel(train::KernelOp kernel, ModuleOp module, ArrayRef<std::string> dimNames, bool warpGroups) {
  KernelFunction function(kernel, module, dimNames, Calling::Pointers);
  // At once: a user's function may have the kernel's own name.
  cast<func::FuncOp>(function.entry().getParentOp()).setName(entryOf(kernel));
  auto schedule = cast<dlc::gpu::ScheduleAttr>(kernel.getScheduleAttr());
  if (schedule.contraction())
    emitContraction(function);
  else if (schedule.mma() && warpGroups && isOfWarpGroup(function))
    emitWarpGroup(function);
  else if (schedule.mma())
    emitMma(function);
  else if (schedule.attention())
    emitAttention(function);
  else if (schedule.transient())
    emitTransient(function);
  else if (schedule.scatter())
    emitScatter(function);
  else if (schedule.transpose())
    emitTranspose(function);
  else if (schedule.call())
    emitCall(function);
  else
    emitPoints(function);
  function.finish();
  describeNumbers(function);
  if (!schedule.call())
    describeArguments(function);
  // LLVM's default aligns 64-bit integers to half their size: a GPU would read them in two parts.
  module->setAttr(LLVM::LLVMDialect::getDataLayoutAttrName(),
                  StringAttr::get(module.getContext(), "e-i64:64"));
}

/// Each thread calls the user's function. Its symbol is the function's own name: each kernel is a module of
/// its own, which nothing else of the user's gets into.
void emitCall(KernelFunction &kernel) {
  auto call = cast<train::CustomCallOp>(kernel.getKernel().getBody().front().front());
  UserCall(kernel, call.definition().getCudaAttr().getFunction()).emit();
}

} // namespace dlc::codegen::gpu
