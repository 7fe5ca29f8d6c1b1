//===- Call.cpp - kernels that call a user's function ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/Call.h"
#include "compiler/codegen/cpu/CustomSources.h"
#include "compiler/codegen/cpu/VectorLoops.h"
#include "compiler/codegen/kernel/UserCall.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace dlc::codegen {

/// What is in front of a sum over ranks: the numbers of this one go to where they are added up.
static void emitCopy(KernelFunction &kernel, train::CustomCallOp op) {
  Builder &b = kernel.builder();
  Memory from = *kernel.memoryOf(op.getInputs().front()), to = *kernel.memoryOf(op.getOutputs().front());
  nn::Dim size = op.sizeOf(op.definition().sizeNames().front());
  forLoop(b, Index(0), size.isStatic() ? Index(size.factor) : kernel.namedSize(size.str()), 1, [&](Index at) {
    auto addressIn = [&](const Memory &memory) {
      return LLVM::GEPOp::create(b, memory.pointer.getType(), memory.element, memory.pointer,
                                 ValueRange{at.materialize(b)});
    };
    Value number = LLVM::LoadOp::create(b, from.element, addressIn(from));
    LLVM::StoreOp::create(b, number, addressIn(to));
  });
}

void emitCall(KernelFunction &kernel) {
  auto op = cast<train::CustomCallOp>(kernel.getKernel().getBody().front().front());
  if (op.definition().getCollective())
    return emitCopy(kernel, op);
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
