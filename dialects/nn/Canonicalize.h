//===- Canonicalize.h - nn: one form for equal programs --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_NN_CANONICALIZE_H
#define DLC_DIALECTS_NN_CANONICALIZE_H

#include "mlir/IR/PatternMatch.h"
#include <optional>

namespace nn {

/// Rewrites of slices, and of what is made of parts.
void addPartPatterns(mlir::RewritePatternSet &patterns);

/// Rewrites of conditions, and of what is selected by them.
void addConditionPatterns(mlir::RewritePatternSet &patterns);

/// Rewrites of masks that positions tell.
void addPositionPatterns(mlir::RewritePatternSet &patterns);

/// The axis along which a constant counts from 0 on, where it has no other and more than one element.
std::optional<int64_t> countedAxis(mlir::DenseIntElementsAttr numbers);

/// Rewrites of gathers that take all elements in their order.
void addGatherPatterns(mlir::RewritePatternSet &patterns);

/// Rewrites of casts behind what only moves elements.
void addCastPatterns(mlir::RewritePatternSet &patterns);

/// Rewrites of normalizations of what was reshaped.
void addNormalizationPatterns(mlir::RewritePatternSet &patterns);

/// Rewrites of what goes back through a max_pool.
void addPoolPatterns(mlir::RewritePatternSet &patterns);

} // namespace nn

#endif // DLC_DIALECTS_NN_CANONICALIZE_H
