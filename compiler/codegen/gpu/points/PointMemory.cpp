//===- PointMemory.cpp - what operations of a point keep and touch ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/codegen/gpu/points/Points.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace dlc::codegen::gpu {

/// Where a point keeps what operations hand to each other: in shared memory, in scratch, or in the thread's
/// own memory, one temporary after the other.
void PointsCode::placeTemporaries(Index block, Index slot) {
  auto temporaries = analysis::temporariesOf(kernel.getKernel(), kernel.operations(), shared);
  if (form.getTurns() > 0)
    llvm::erase_if(temporaries, [&](const analysis::Temporary &it) { return rows.isKept(it.result); });
  int64_t bytes = 0;
  for (const analysis::Temporary &temporary : temporaries)
    bytes += temporary.bytes(1, 0);
  if (bytes == 0)
    return;
  Value start;
  if (form.getShared() > 0) {
    Memory rows = sharedMemory(kernel, "rows", b.getI8Type(), {perBlock, form.getShared()});
    start = pointerAt(b, rows.pointer, mul(b, slot, form.getShared()));
  } else if (Value scratch = kernel.scratch()) {
    start = pointerAt(b, scratch, mul(b, add(b, mul(b, block, perBlock), slot), bytes));
  } else {
    start = LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), b.getI8Type(),
                                   constantI64(b, bytes), 16);
  }
  int64_t offset = 0;
  for (const analysis::Temporary &temporary : temporaries) {
    operands.place(temporary.result,
                   {pointerAt(b, start, Index(offset)), getElementTypeOrSelf(temporary.result.getType()),
                    rowMajor(temporary.sizes)});
    offset += temporary.bytes(1, 0);
  }
}

Ownership PointsCode::ownership(int64_t members, ArrayRef<Index> loops) {
  if (llvm::all_of(loops, [](const Index &size) { return size.isConstant() && size.offset == 1; }))
    return Ownership::onFirst();
  return {members, llvm::to_vector<4>(loops)};
}

/// The ownership of all accesses to an operand.
static Ownership at(Ownership ownership, linalg::GenericOp op, OpOperand &operand) {
  if (!ownership.extents.empty())
    ownership.place = op.getMatchingIndexingMap(&operand).getResults();
  return ownership;
}

SmallVector<MemoryAccess> PointsCode::reads(linalg::GenericOp op, const Ownership &ownership) {
  SmallVector<MemoryAccess> accesses;
  for (OpOperand *input : op.getDpsInputOperands())
    if (operands.isInMemory(*input) && !op.getMatchingBlockArgument(input).use_empty())
      accesses.push_back({input->get(), /*isWrite=*/false, at(ownership, op, *input)});
  op.getBlock()->walk([&](Operation *inner) { // at computed places
    for (Value operand : inner->getOperands())
      if (isa<TensorType>(operand.getType()))
        accesses.push_back({operand, /*isWrite=*/false});
  });
  return accesses;
}

SmallVector<MemoryAccess> PointsCode::starts(linalg::GenericOp op, const Ownership &ownership) {
  SmallVector<MemoryAccess> accesses;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (operands.isInMemory(init) &&
        (op.getNumReductionLoops() > 0 || !op.getMatchingBlockArgument(&init).use_empty()))
      accesses.push_back({init.get(), /*isWrite=*/false, at(ownership, op, init)});
  return accesses;
}

SmallVector<MemoryAccess> PointsCode::writes(linalg::GenericOp op, const Ownership &ownership) {
  SmallVector<MemoryAccess> accesses;
  for (OpResult result : op->getResults())
    if (operands.isInMemory(result))
      accesses.push_back(
          {result, /*isWrite=*/true, at(ownership, op, *op.getDpsInitOperand(result.getResultNumber()))});
  return accesses;
}

} // namespace dlc::codegen::gpu
