//===- Steps.cpp - kernels of several steps --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/Steps.h"
#include "compiler/analysis/KernelSizes.h"
#include "compiler/codegen/cpu/Object.h"
#include "compiler/codegen/cpu/VectorLoops.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace dlc::codegen {
namespace {

class Steps {
public:
  Steps(KernelFunction &kernel, llvm::function_ref<void(KernelFunction &)> emitPart)
      : kernel(kernel), b(kernel.builder()), emitPart(emitPart), schedule(scheduleOf(kernel)),
        form(schedule.steps()), shared(kernel.shared()), steps(analysis::stepsOf(kernel.getKernel())),
        extents(kernel.loopExtents(kernel.operations().front())), scratch(kernel.scratch()) {}

  void emit() {
    forChunks(kernel, extents, [&](const Chunks &chunks) {
      // The chunks of one call run one after the other and share the scratch memory of the first, which stays
      // in the cache.
      scratch = kernel.scratch();
      if (scratch && !schedule.getSplit().empty())
        scratch = inScratch(mul(b, chunks.first, schedule.getScratch()));
      if (form.getBlock() == 0)
        placeHanded(Index(0));
      emitLoop({}, chunks.ranges);
    });
  }

private:
  using Positions = SmallVector<Index, 4>;

  void emitLoop(const Positions &outer, ArrayRef<Range> ranges);
  void emitBlocks(const Positions &outer, const Range &range);
  void emitSteps(const Positions &outer, std::optional<Range> block = std::nullopt, Value isFirst = {});
  void placeHanded(const Index &first);
  Value inScratch(Index bytes) { return pointerAt(b, scratch, bytes); }

  KernelFunction &kernel;
  Builder &b;
  llvm::function_ref<void(KernelFunction &)> emitPart;
  cpu::ScheduleAttr schedule;
  cpu::StepsAttr form;
  int64_t shared;
  SmallVector<analysis::Step> steps;
  Positions extents;
  Value scratch; ///< of the chunks of this call
};

void Steps::emitLoop(const Positions &outer, ArrayRef<Range> ranges) {
  int64_t loop = outer.size();
  if (loop == shared)
    return emitSteps(outer);
  if (loop == shared - 1 && form.getBlock() > 0)
    return emitBlocks(outer, ranges[loop]);
  forLoop(b, ranges[loop].low, ranges[loop].high, 1, [&](Index position) {
    Positions next = outer;
    next.push_back(position);
    emitLoop(next, ranges);
  });
}

/// Emits the last of the shared loops in blocks; each step runs all iterations of a block.
void Steps::emitBlocks(const Positions &outer, const Range &range) {
  forLoop(b, range.low, range.high, form.getBlock(), [&](Index position) {
    placeHanded(position);
    Value here = position.materialize(b), first = range.low.materialize(b);
    Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, here, first);
    emitSteps(outer, Range{position, min(b, position + form.getBlock(), range.high)}, isFirst);
  });
}

/// A tensor that steps hand to each other lies in scratch for one point of the shared loops, which therefore
/// do not move its address; or for a block of the last of these loops, from position `first` on.
void Steps::placeHanded(const Index &first) {
  for (auto [temporary, offset] :
       llvm::zip_equal(analysis::handedBetweenSteps(kernel.getKernel(), form.getBlock()), form.getPlaces())) {
    Memory memory{inScratch(Index(offset)), getElementTypeOrSelf(temporary.result.getType()),
                  rowMajor(temporary.sizes)};
    if (form.getBlock() > 0) {
      auto op = cast<linalg::GenericOp>(temporary.result.getOwner());
      unsigned axis = *op.getIndexingMapMatchingResult(temporary.result)
                           .getResultPosition(b.getAffineDimExpr(shared - 1));
      Index before = mul(b, mul(b, first, memory.strides[axis]), -1);
      memory.pointer = LLVM::GEPOp::create(b, scratch.getType(), memory.element, memory.pointer,
                                           ValueRange{before.materialize(b)});
    }
    kernel.place(temporary.result, std::move(memory));
  }
}

void Steps::emitSteps(const Positions &outer, std::optional<Range> block, Value isFirst) {
  KernelFunction::Emission whole = kernel.current();
  int64_t offset = form.getOwn();
  for (auto [operations, own] : llvm::zip_equal(steps, form.getSteps())) {
    Value memory = own.getScratch() > 0 ? inScratch(Index(offset)) : Value();
    kernel.begin({operations, analysis::sharedIn(operations), own, memory, outer, form.getUnit(), block,
                  form.getBlock(), isFirst});
    emitPart(kernel);
    if (block)
      offset += own.getScratch();
  }
  kernel.begin(whole);
}

} // namespace

void emitSteps(KernelFunction &kernel, llvm::function_ref<void(KernelFunction &)> emitPart) {
  Steps(kernel, emitPart).emit();
  // The passes behind (Object.cpp) ask for it.
  kernel.entry().getParentOp()->setAttr("passthrough", kernel.builder().getStrArrayAttr({functionOfSteps}));
}

} // namespace dlc::codegen
