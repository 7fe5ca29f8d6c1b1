//===- Steps.cpp - kernels of several steps --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/Steps.h"
#include "compiler/codegen/cpu/VectorLoops.h"
#include "dialects/train/KernelSizes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace dlc::codegen {
namespace {

class Steps {
public:
  Steps(KernelFunction &kernel, llvm::function_ref<void(KernelFunction &)> emitPart)
      : kernel(kernel), b(kernel.builder()), emitPart(emitPart), schedule(scheduleOf(kernel)),
        form(schedule.steps()), shared(kernel.shared()), steps(train::stepsOf(kernel.getKernel())),
        extents(kernel.loopExtents(kernel.operations().front())), scratch(kernel.scratch()) {}

  void emit() {
    forChunks(kernel, extents, [&](const Chunks &chunks) {
      // Those of one call come one after the other: they share the place of the first, which stays in the
      // cache.
      scratch = kernel.scratch();
      if (scratch && !schedule.getSplit().empty())
        scratch = inScratch(mul(b, chunks.first, schedule.getScratch()));
      placeHanded();
      emitLoop({}, chunks.ranges);
    });
  }

private:
  using Positions = SmallVector<Index, 4>;

  void emitLoop(const Positions &outer, ArrayRef<Range> ranges);
  void emitSteps(const Positions &outer);
  void placeHanded();
  Value inScratch(Index bytes) {
    return LLVM::GEPOp::create(b, scratch.getType(), b.getI8Type(), scratch,
                               ValueRange{bytes.materialize(b)});
  }

  KernelFunction &kernel;
  Builder &b;
  llvm::function_ref<void(KernelFunction &)> emitPart;
  cpu::ScheduleAttr schedule;
  cpu::StepsAttr form;
  int64_t shared;
  SmallVector<train::Step> steps;
  Positions extents;
  Value scratch; ///< of the chunks of this call
};

void Steps::emitLoop(const Positions &outer, ArrayRef<Range> ranges) {
  int64_t loop = outer.size();
  if (loop == shared)
    return emitSteps(outer);
  forLoop(b, ranges[loop].low, ranges[loop].high, 1, [&](Index position) {
    Positions next = outer;
    next.push_back(position);
    emitLoop(next, ranges);
  });
}

/// What steps hand to each other lies there for one point of the shared loops, which therefore do not move
/// it.
void Steps::placeHanded() {
  for (auto [temporary, offset] :
       llvm::zip_equal(train::handedBetweenSteps(kernel.getKernel()), form.getPlaces())) {
    Memory memory{inScratch(Index(offset)), getElementTypeOrSelf(temporary.result.getType()),
                  SmallVector<Index, 4>(temporary.sizes.size(), Index(0))};
    int64_t step = 1;
    for (int64_t axis = int64_t(temporary.sizes.size()) - 1; axis >= 0; --axis)
      if (temporary.sizes[axis] != 0) {
        memory.strides[axis] = Index(step);
        step *= temporary.sizes[axis];
      }
    kernel.place(temporary.result, std::move(memory));
  }
}

void Steps::emitSteps(const Positions &outer) {
  KernelFunction::Part whole = kernel.current();
  for (auto [operations, own] : llvm::zip_equal(steps, form.getSteps())) {
    Value memory = own.getScratch() > 0 ? inScratch(Index(form.getOwn())) : Value();
    kernel.begin({operations, train::sharedIn(operations), own, memory, outer, form.getUnit()});
    emitPart(kernel);
  }
  kernel.begin(whole);
}

} // namespace

void emitSteps(KernelFunction &kernel, llvm::function_ref<void(KernelFunction &)> emitPart) {
  Steps(kernel, emitPart).emit();
}

} // namespace dlc::codegen
