//===- Call.cpp - calls of users' functions --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing is known of what a function computes: rows that it says are independent are cut into as many chunks
// as balance well, however few there are.
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/Call.h"
#include "compiler/schedule/cpu/Chunks.h"
#include "dialects/train/DimNames.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dlc::schedule {

train::CustomCallOp callIn(train::KernelOp kernel) {
  return dyn_cast<train::CustomCallOp>(kernel.getBody().front().front());
}

cpu::ScheduleAttr callSchedule(train::KernelOp kernel) {
  train::CustomCallOp call = callIn(kernel);
  SmallVector<cpu::SplitAttr> split;
  if (std::optional<nn::Dim> rows = call.rowCount()) {
    int64_t bound = train::sizeAtBound(*rows, kernel->getParentOp());
    int64_t size = llvm::divideCeil(std::max<int64_t>(bound, 1), enoughChunks);
    if (int64_t chunks = llvm::divideCeil(bound, size); chunks > 1)
      split.push_back(cpu::SplitAttr::get(kernel.getContext(), /*loop=*/0, size, chunks));
  }
  // A user's function gets tensors without gaps, never parts of larger tensors.
  ArrayRef<int64_t> inplace = call.definition().getInplace().value_or(ArrayRef<int64_t>());
  return cpu::ScheduleAttr::get(kernel.getContext(), StringAttr::get(kernel.getContext(), cpu::callForm),
                                /*lanes=*/1, split,
                                /*scratch=*/0, inplace);
}

} // namespace dlc::schedule
