//===- Nests.cpp - questions about loop nests ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/layout/Nests.h"
#include "compiler/support/Elements.h"

using namespace mlir;

namespace dlc::layout {

bool isMove(linalg::GenericOp op) {
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  return op.getNumReductionLoops() == 0 && op.getNumDpsInputs() == 1 && op.getNumResults() == 1 &&
         yield.getValues()[0] == op.getBody()->getArgument(0);
}

int64_t bytesOf(Type type) {
  constexpr int64_t typicalDynamicSize = 64; // of a batch
  auto tensor = cast<RankedTensorType>(type);
  int64_t bytes = elementBytes(tensor);
  for (int64_t size : tensor.getShape())
    bytes *= ShapedType::isDynamic(size) ? typicalDynamicSize : size;
  return bytes;
}

int64_t axisOf(AffineMap map, int64_t loop) {
  for (auto [axis, expr] : llvm::enumerate(map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr); dim && int64_t(dim.getPosition()) == loop)
      return axis;
  return -1;
}

bool runsAlong(AffineMap map, int64_t loop) {
  auto moves = [&](AffineExpr expr) { return expr.isFunctionOfDim(loop); };
  if (llvm::none_of(map.getResults(), moves))
    return true;
  // A piece that vectors stay inside of may be counted in another dim.
  AffineExpr last = map.getResults().back(), dim = getAffineDimExpr(loop, map.getContext());
  if (auto piece = dyn_cast<AffineBinaryOpExpr>(last); piece && piece.getKind() == AffineExprKind::Mod)
    return piece.getLHS() == dim;
  AffineExpr rest = simplifyAffineExpr(last - dim, map.getNumDims(), 0);
  return llvm::none_of(map.getResults().drop_back(), moves) && !moves(rest);
}

} // namespace dlc::layout
