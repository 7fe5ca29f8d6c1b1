//===- Patterns.h - decomposed functions become whole operations -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FORWARD_RAISE_PATTERNS_H
#define DLC_COMPILER_FORWARD_RAISE_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace dlc::forward {

/// GELU by the error function and by tanh, and SiLU.
void addActivationPatterns(mlir::RewritePatternSet &patterns);
/// Layer normalization with scale and bias.
void addNormalizationPatterns(mlir::RewritePatternSet &patterns);
/// What exporters write around the softmax of an attention.
void addMaskPatterns(mlir::RewritePatternSet &patterns);

} // namespace dlc::forward

#endif // DLC_COMPILER_FORWARD_RAISE_PATTERNS_H
