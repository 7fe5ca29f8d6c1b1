//===- Maths.cpp - functions as polynomials --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/kernel/Maths.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace dlc::codegen {
namespace {

/// f32 exp, log, tanh, erf and their like become polynomials on whole vectors (at most 5 units in the last
/// place). pow and f64 are left to libm: they are rare, and there precision matters more.
struct ExpandMaths : PassWrapper<ExpandMaths, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandMaths)
  StringRef getArgument() const final { return "dlc-expand-maths"; }
  StringRef getDescription() const final { return "f32 functions become polynomials on vectors"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<vector::VectorDialect, arith::ArithDialect>();
  }
  void runOnOperation() final {
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return llvm::is_contained(
          {"math.exp", "math.expm1", "math.log", "math.log1p", "math.tanh", "math.erf", "math.erfc"}, name);
    });
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace

std::unique_ptr<Pass> createExpandMathsPass() { return std::make_unique<ExpandMaths>(); }

} // namespace dlc::codegen
