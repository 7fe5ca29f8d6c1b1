//===- Call.cpp - kernels that call a user's function ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/Call.h"
#include "compiler/codegen/cpu/CustomSources.h"
#include "compiler/codegen/cpu/VectorLoops.h"
#include "compiler/codegen/kernel/UserCall.h"

using namespace mlir;

namespace dlc::codegen {

void emitCall(KernelFunction &kernel) {
  auto op = cast<train::CustomCallOp>(kernel.getKernel().getBody().front().front());
  UserCall call(kernel, customSymbol(op.definition()));
  cpu::SplitAttr split = scheduleOf(kernel).splitOf(0);
  if (!split)
    return call.emit();
  Builder &b = kernel.builder();
  Index rows = call.rows();
  forLoop(b, Index(kernel.begin()), Index(kernel.end()), 1, [&](Index chunk) {
    Index first = mul(b, chunk, split.getSize());
    ifLess(b, first, rows, [&] { // where dims are open, the last chunks may have no rows
      Index rest = sub(b, rows, first);
      call.emit(first, min(b, rest, Index(split.getSize())));
    });
  });
}

} // namespace dlc::codegen
