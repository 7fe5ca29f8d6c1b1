//===- Call.cpp - calls of users' functions on GPUs ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many threads call a function is the user's word.
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/Call.h"
#include "compiler/schedule/gpu/Forms.h"
#include "compiler/schedule/gpu/Stages.h"
#include "dialects/train/DimNames.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dlc::schedule {

static gpu::ScheduleAttr callOnGpu(train::KernelOp kernel, bool) {
  train::CustomCallOp call = callIn(kernel);
  train::CustomFunctionOp function = call.definition();
  train::CustomCudaAttr code = function.getCudaAttr();
  if (!code) {
    call.emitError("the custom operation '")
        << function.getSymName() << "' has code for CPUs only, which --target=nvptx cannot use";
    return nullptr;
  }
  int64_t count = 1;
  for (StringRef text : code.getFactors()) {
    train::CustomDim factor = train::CustomDim::parse(text);
    count = nn::saturatingMultiply(
        count,
        factor.size ? *factor.size : train::sizeAtBound(call.sizeOf(factor.name), kernel->getParentOp()));
  }
  if (!code.countsBlocks())
    count = llvm::divideCeil(count, code.getBlock());
  return gpu::ScheduleAttr::get(kernel.getContext(), gpu::CallAttr::get(kernel.getContext()), code.getBlock(),
                                std::max<int64_t>(count, 1), /*scratch=*/0,
                                function.getInplace().value_or(ArrayRef<int64_t>()));
}

const GpuForm callForm{
    [](train::KernelOp kernel) { return bool(callIn(kernel)); }, callOnGpu,
    [](gpu::ScheduleAttr schedule) { return bool(schedule.call()); },
    [](train::KernelOp, gpu::ScheduleAttr) { return success(); }, // Schedule.cpp: only where there is one
    [](train::KernelOp, gpu::ScheduleAttr) { return int64_t(0); }};

} // namespace dlc::schedule
