//===- Analysis.cpp - what scheduling needs to know of kernels -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/analysis/Views.h"
#include "compiler/schedule/cpu/Stages.h"

using namespace mlir;

namespace dlc::schedule {

linalg::GenericOp rootOf(train::KernelOp kernel) {
  return *kernel.getBody().front().getOps<linalg::GenericOp>().begin();
}

int64_t laneLoopOf(train::KernelOp kernel) {
  linalg::GenericOp root = rootOf(kernel);
  // The lane loop is that of what the kernel stores: the product itself, or the results of its epilogue,
  // whose loops are the product's parallel loops in order.
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

std::optional<int64_t> strideAlong(train::KernelOp kernel, AffineMap map, Value tensor, int64_t loop) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto argument = dyn_cast<BlockArgument>(tensor);
  nn::Shape strides;
  if (auto given = argument ? kernel.stridesOf(argument.getArgNumber()) : std::nullopt)
    strides = *given;
  else
    strides = analysis::rowMajor(nn::shapeOf(type));
  int64_t stride = 0;
  for (int64_t axis = type.getRank() - 1; axis >= 0; --axis) {
    AffineExpr expr = map.getResult(axis);
    if (!expr.isFunctionOfDim(loop))
      continue;
    if (!strides[axis].isStatic())
      return std::nullopt;
    // The coefficient of the loop is the expression at 1 minus that at 0.
    MLIRContext *context = map.getContext();
    SmallVector<AffineExpr> at(map.getNumDims(), getAffineConstantExpr(0, context));
    AffineExpr zero = simplifyAffineExpr(expr.replaceDims(at), 0, 0);
    at[loop] = getAffineConstantExpr(1, context);
    AffineExpr one = simplifyAffineExpr(expr.replaceDims(at), 0, 0);
    stride += (cast<AffineConstantExpr>(one).getValue() - cast<AffineConstantExpr>(zero).getValue()) *
              strides[axis].factor;
  }
  return stride;
}

SmallVector<cpu::SplitAttr> gridOf(train::KernelOp kernel, ArrayRef<Cuttable> loops, int64_t enough,
                                   int64_t most) {
  SmallVector<cpu::SplitAttr> grid;
  int64_t chunks = 1;
  for (const Cuttable &cut : loops) {
    if (chunks >= enough)
      break;
    int64_t perChunk = llvm::divideCeil(llvm::divideCeil(cut.size, cut.unit), most / chunks) * cut.unit;
    int64_t parts = llvm::divideCeil(cut.size, perChunk);
    if (parts > 1)
      grid.push_back(cpu::SplitAttr::get(kernel.getContext(), cut.loop, perChunk, parts));
    chunks *= parts;
  }
  return grid;
}

} // namespace dlc::schedule
