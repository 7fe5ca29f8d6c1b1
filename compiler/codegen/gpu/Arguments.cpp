//===- Arguments.cpp - what is known of a kernel's pointers -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places are known when code is made. LLVM makes one wide access of several only where their place begins at
// a multiple of its width, and moves a read over a write only where both are of different memory. That is
// said of what nobody writes while the kernel runs, and of nothing else: LLVM takes it that a barrier, which
// is a call, does not change such memory either.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/Kernels.h"
#include "compiler/machine/GpuTarget.h"
#include "compiler/machine/gpu/Schedule.h"
#include "compiler/support/Elements.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include <numeric>

using namespace mlir;

namespace dlc::codegen::gpu {
namespace {

/// The bytes of a place, from the start of what the symbol names, or of the arena, where states are, too.
struct Bytes {
  StringRef memory;
  int64_t begin = 0;
  std::optional<int64_t> end; ///< none: an open size

  bool mayOverlap(const Bytes &other) const {
    return memory == other.memory && (!end || *end > other.begin) && (!other.end || *other.end > begin);
  }
};

Bytes bytesOf(train::PlaceOp place, train::ProgramOp program) {
  Bytes bytes{place.getSymbol().value_or(""), int64_t(place.getOffset().value_or(0)), std::nullopt};
  if (auto state = program.lookupSymbol<train::StateOp>(bytes.memory); state && state.getOffset()) {
    bytes.memory = "";
    bytes.begin += *state.getOffset();
  }
  auto type = cast<MemRefType>(place.getMemory().getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type.hasStaticShape() || failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::is_contained(strides, ShapedType::kDynamic))
    return bytes;
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides))
    last += (size - 1) * stride;
  bytes.end = bytes.begin + (llvm::is_contained(type.getShape(), 0) ? 0 : last + 1) * elementBytes(type);
  return bytes;
}

} // namespace

void describeArguments(KernelFunction &kernel) {
  train::KernelOp op = kernel.getKernel();
  auto program = op->getParentOfType<train::ProgramOp>();
  auto function = cast<func::FuncOp>(kernel.entry().getParentOp());
  const unsigned inputs = op.getBody().getNumArguments(), all = function.getNumArguments() - 1;
  SmallVector<int64_t> alignments(all, GpuTarget::copyBytes);
  SmallVector<bool> isAlone(all, true);
  bool isLaunched = false;
  program.walk([&](train::LaunchOp launch) {
    if (launch.getKernel() != op.getSymName())
      return;
    isLaunched = true;
    SmallVector<Bytes> places;
    for (Value memory : llvm::concat<Value>(launch.getInputs(), launch.getDestinations()))
      places.push_back(bytesOf(memory.getDefiningOp<train::PlaceOp>(), program));
    for (unsigned number = 0; number < all; ++number) {
      alignments[number] = std::gcd(alignments[number], places[number].begin);
      for (unsigned written = inputs; written < all; ++written)
        if (written != number && places[number].mayOverlap(places[written]))
          isAlone[number] = false;
    }
  });
  // Warps that have whole tiles in registers have none left for what could be read early. Of such kernels it
  // is said that one block is enough for a multiprocessor: else NVIDIA's assembler would rather put a few
  // numbers in memory than have fewer blocks.
  auto schedule = cast<dlc::gpu::ScheduleAttr>(op.getScheduleAttr());
  const bool isFull = schedule.attention() || schedule.transient();
  OpBuilder b(op.getContext());
  if (isFull)
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), b.getI32IntegerAttr(1));
  for (unsigned number = 0; isLaunched && number < all; ++number) {
    function.setArgAttr(number, LLVM::LLVMDialect::getAlignAttrName(),
                        b.getI64IntegerAttr(alignments[number]));
    if (number < inputs && isAlone[number] && !isFull)
      function.setArgAttr(number, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
  }
}

/// Divisions of numbers that surely have 32 bits take a fraction of the instructions that others take.
void describeNumbers(KernelFunction &kernel) {
  auto schedule = cast<dlc::gpu::ScheduleAttr>(kernel.getKernel().getScheduleAttr());
  auto below = [&](int64_t end) {
    return LLVM::ConstantRangeAttr::get(schedule.getContext(), llvm::APInt(32, 0), llvm::APInt(32, end));
  };
  kernel.entry().getParentOp()->walk([&](Operation *op) {
    if (auto block = dyn_cast<NVVM::BlockIdXOp>(op))
      block.setRangeAttr(below(schedule.getGrid()));
    else if (auto thread = dyn_cast<NVVM::ThreadIdXOp>(op))
      thread.setRangeAttr(below(schedule.getThreads()));
  });
}

} // namespace dlc::codegen::gpu
