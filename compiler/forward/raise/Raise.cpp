//===- Raise.cpp - the pass dlc-raise --------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/forward/Passes.h"
#include "compiler/forward/raise/Patterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace dlc::forward {
#define GEN_PASS_DEF_RAISE
#include "compiler/forward/Passes.h.inc"

namespace {
struct Raise : impl::RaiseBase<Raise> {
  void runOnOperation() final {
    mlir::RewritePatternSet patterns(&getContext());
    addActivationPatterns(patterns);
    addNormalizationPatterns(patterns);
    addMaskPatterns(patterns);
    (void)mlir::applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};
} // namespace

} // namespace dlc::forward
