//===- Decompose.cpp - composite operations become primitive ones ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations of a decomposition carry the composite's name in their location (fused<"softmax">), from
// which kernels are named later.
//===----------------------------------------------------------------------===//
#include "compiler/lower/Decompose.h"
#include "compiler/lower/Passes.h"
#include "dialects/nn/Order.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace dlc::lower {

#define GEN_PASS_DEF_DECOMPOSE
#include "compiler/lower/Passes.h.inc"

static const Decompositions &decompositions() {
  static const Decompositions table = [] {
    Decompositions all;
#define FAMILY(Name) add##Name##Decompositions(all);
#include "compiler/lower/Decompositions.inc"
    return all;
  }();
  return table;
}

bool hasDecomposition(llvm::StringRef operation) { return decompositions().find(operation); }

// The location of what `op` decomposes into; of nested decompositions the outermost gives the name.
static mlir::Location locationInside(mlir::Operation *op) {
  if (mlir::isa<mlir::FusedLocWith<mlir::StringAttr>>(op->getLoc()))
    return op->getLoc();
  auto name = mlir::StringAttr::get(op->getContext(), op->getName().stripDialect());
  return mlir::FusedLoc::get(op->getContext(), {op->getLoc()}, name);
}

// Decomposes everything once; what a decomposition itself leaves composite is met in the next round.
static bool decomposeOnce(train::FunctionOp function) {
  bool changed = false;
  for (mlir::Operation &op : llvm::make_early_inc_range(*function.getBody().begin())) {
    const Decompositions::Function *decompose = decompositions().find(op.getName().getStringRef());
    if (!decompose)
      continue;
    mlir::ImplicitLocOpBuilder builder(locationInside(&op), &op);
    Values values = nn::inOrder(builder, [&] { return (*decompose)(&op, builder); });
    if (values.empty())
      continue;
    op.replaceAllUsesWith(values);
    op.erase();
    changed = true;
  }
  return changed;
}

namespace {
struct DecomposePass : public impl::DecomposeBase<DecomposePass> {
  void runOnOperation() override {
    mlir::IRRewriter rewriter(&getContext());
    mlir::RewritePatternSet patternSet(&getContext());
    populateMaskPatterns(patternSet);
    mlir::FrozenRewritePatternSet patterns(std::move(patternSet));
    getOperation().walk([&](train::FunctionOp function) {
      for (train::LossOp loss : llvm::make_early_inc_range(function.getBody().getOps<train::LossOp>()))
        loss.erase();
      while (decomposeOnce(function))
        ;
      mlir::DominanceInfo dominance(function);
      mlir::eliminateCommonSubExpressions(rewriter, dominance, function);
      // Rewriting to a fixed point is not needed for correctness; not reaching it is no failure.
      (void)mlir::applyPatternsGreedily(function, patterns);
      mlir::DominanceInfo dominanceAfter(function);
      mlir::eliminateCommonSubExpressions(rewriter, dominanceAfter, function);
    });
  }
};
} // namespace

} // namespace dlc::lower
