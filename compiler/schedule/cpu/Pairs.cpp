//===- Pairs.cpp - products of bf16 that are added pair by pair ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/ContractionChoice.h"
#include "dialects/train/Nonzero.h"
#include "dialects/train/Precision.h"

using namespace mlir;

namespace dlc::schedule {

bool movesAlone(AffineMap map, int64_t loop, int64_t unit) {
  auto isAlone = [&](AffineExpr expr) {
    if (auto panel = dyn_cast<AffineBinaryOpExpr>(expr);
        panel && llvm::is_contained({AffineExprKind::FloorDiv, AffineExprKind::Mod}, expr.getKind()))
      return isa<AffineDimExpr>(panel.getLHS()) &&
             cast<AffineConstantExpr>(panel.getRHS()).getValue() % unit == 0;
    return isa<AffineDimExpr>(expr);
  };
  return map.isFunctionOfDim(loop) && llvm::all_of(map.getResults(), [&](AffineExpr expr) {
           return !expr.isFunctionOfDim(loop) || isAlone(expr);
         });
}

bool wantsPairsCopied(const ContractionChoice &choice, OpOperand *operand, int64_t loop) {
  return choice.pairs >= 0 && movesAlone(choice.root.getMatchingIndexingMap(operand), loop, /*unit=*/1);
}

int64_t pairedLoopOf(linalg::GenericOp root, const CpuTarget &target) {
  constexpr int64_t leastLanes = 8; // vectors of 256 bits
  FloatType low = train::lowTypeOf(root);
  auto isLow = [](Value operand) { return getElementTypeOrSelf(operand.getType()).isBF16(); };
  if (!target.addsPairs() || target.lanes < leastLanes || !low || !low.isBF16() ||
      !llvm::all_of(root.getDpsInputs(), isLow))
    return -1;
  // Pairs do not suit ranges that begin or end anywhere; the ranges that a mask hides end with whole blocks.
  IntegerSet terms = train::triangleOf(root) ? IntegerSet() : train::nonzeroTerms(root);
  auto isCut = [&](int64_t loop) {
    return terms && llvm::any_of(terms.getConstraints(),
                                 [&](AffineExpr atLeastZero) { return atLeastZero.isFunctionOfDim(loop); });
  };
  SmallVector<int64_t> sizes = root.getStaticLoopRanges();
  for (int64_t loop = sizes.size() - 1; loop >= int64_t(root.getNumParallelLoops()); --loop)
    if (!ShapedType::isDynamic(sizes[loop]) && sizes[loop] % 2 == 0 && !isCut(loop) &&
        llvm::all_of(root.getDpsInputOperands(), [&](OpOperand *operand) {
          return movesAlone(root.getMatchingIndexingMap(operand), loop, /*unit=*/2);
        }))
      return loop;
  return -1;
}

} // namespace dlc::schedule
