//===- Analysis.cpp - what scheduling needs to know of kernels -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/Stages.h"
#include "dialects/train/KernelSizes.h"

using namespace mlir;

namespace dlc::schedule {

linalg::GenericOp rootOf(train::KernelOp kernel) {
  return *kernel.getBody().front().getOps<linalg::GenericOp>().begin();
}

int64_t laneLoopOf(train::KernelOp kernel) {
  linalg::GenericOp root = rootOf(kernel);
  // What the kernel stores decides: the product itself, or the results of its epilogue, whose loops are
  // the product's parallel loops in order.
  linalg::GenericOp last = root;
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>())
    last = op;
  AffineMap map = last.getMatchingIndexingMap(last.getDpsInitOperand(0));
  if (map.getNumResults() == 0)
    return -1;
  AffineExpr along = map.getResult(map.getNumResults() - 1);
  if (auto inPanel = dyn_cast<AffineBinaryOpExpr>(along); inPanel && inPanel.getKind() == AffineExprKind::Mod)
    along = inPanel.getLHS();
  auto dim = dyn_cast<AffineDimExpr>(along);
  if (!dim)
    return -1;
  if (last == root)
    return dim.getPosition();
  SmallVector<unsigned> parallel;
  root.getParallelDims(parallel);
  return parallel[dim.getPosition()];
}

std::optional<int64_t> strideAlong(AffineMap map, RankedTensorType type, int64_t loop) {
  int64_t stride = 0, step = 1;
  for (int64_t axis = type.getRank() - 1; axis >= 0; --axis) {
    AffineExpr expr = map.getResult(axis);
    if (expr.isFunctionOfDim(loop)) {
      // The coefficient of the loop: the expression at 1 minus that at 0.
      MLIRContext *context = map.getContext();
      SmallVector<AffineExpr> at(map.getNumDims(), getAffineConstantExpr(0, context));
      AffineExpr zero = simplifyAffineExpr(expr.replaceDims(at), 0, 0);
      at[loop] = getAffineConstantExpr(1, context);
      AffineExpr one = simplifyAffineExpr(expr.replaceDims(at), 0, 0);
      if (step == ShapedType::kDynamic)
        return std::nullopt;
      stride += (cast<AffineConstantExpr>(one).getValue() - cast<AffineConstantExpr>(zero).getValue()) * step;
    }
    if (type.isDynamicDim(axis))
      step = ShapedType::kDynamic;
    else if (step != ShapedType::kDynamic)
      step *= type.getDimSize(axis);
  }
  return stride;
}

cpu::SplitAttr splitOf(train::KernelOp kernel, int64_t loop, int64_t size, int64_t unit, int64_t most) {
  int64_t perChunk = llvm::divideCeil(llvm::divideCeil(size, unit), most) * unit;
  int64_t chunks = llvm::divideCeil(size, perChunk);
  return chunks <= 1 ? cpu::SplitAttr() : cpu::SplitAttr::get(kernel.getContext(), loop, perChunk, chunks);
}

} // namespace dlc::schedule
