//===- VerifyLayout.cpp - the promise of the stage layout ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/layout/LanePreferences.h"
#include "compiler/layout/Nests.h"
#include "compiler/layout/Parts.h"
#include "compiler/layout/Passes.h"
#include "dialects/train/Train.h"

using namespace mlir;

namespace dlc::layout {

#define GEN_PASS_DEF_VERIFYLAYOUT
#include "compiler/layout/Passes.h.inc"

/// Whether results go through the parallel loops in order; a dim in panels is the loop's that goes over it.
static bool isInLoopOrder(AffineMap map, unsigned parallel) {
  unsigned next = 0;
  for (AffineExpr expr : map.getResults()) {
    auto piece = dyn_cast<AffineBinaryOpExpr>(expr);
    if (piece && piece.getKind() == AffineExprKind::FloorDiv)
      continue;
    if (piece && piece.getKind() == AffineExprKind::Mod)
      expr = piece.getLHS();
    if (expr != getAffineDimExpr(next++, map.getContext()))
      return false;
  }
  return next == parallel;
}

static LogicalResult verifyNest(linalg::GenericOp op) {
  unsigned parallel = op.getNumParallelLoops();
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray()))
    if ((type == utils::IteratorType::parallel) != (loop < parallel))
      return op.emitOpError("has a reduction loop before a parallel one");
  if (!isInLoopOrder(op.getIndexingMapsArray().back(), parallel))
    return op.emitOpError("does not write its result in the order of its parallel loops");
  if (!isContraction(op) || parallel < 2 || op.getInputs()[0] == op.getInputs()[1])
    return success();
  for (OpOperand *input : op.getDpsInputOperands())
    if (AffineMap map = op.getMatchingIndexingMap(input);
        !runsAlong(map, parallel - 1) && axisOf(map, parallel - 1) >= 0 &&
        !copiesItself(op, *input, map, op.getStaticLoopRanges(), parallel - 1, op.getNumLoops() - 1))
      return op.emitOpError("reads operand ")
             << input->getOperandNumber() << " across the loop that its result is stored along";
  return success();
}

namespace {
struct VerifyLayoutPass : public impl::VerifyLayoutBase<VerifyLayoutPass> {
  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>())
      for (auto function : program.getOps<train::FunctionOp>())
        for (Operation &op : function.getBody().front()) {
          if (StringRef problem = unsettled(&op); !problem.empty()) {
            op.emitOpError() << problem;
            return signalPassFailure();
          }
          if (auto nest = dyn_cast<linalg::GenericOp>(op); nest && failed(verifyNest(nest)))
            return signalPassFailure();
        }
    markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace dlc::layout
