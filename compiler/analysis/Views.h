//===- Views.h - tensors that are parts of others --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a function, slices and reshapes show elements of another tensor, and the parts of a train.join lie in
// the whole. No memory is copied for them: each has a place that begins somewhere in the place of a larger
// tensor, with the distances that neighbours have there.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_ANALYSIS_VIEWS_H
#define DLC_COMPILER_ANALYSIS_VIEWS_H

#include "dialects/train/Train.h"

namespace dlc::analysis {

/// How a tensor lies in the outermost tensor that it is a part of.
struct View {
  mlir::Value whole;  ///< has memory of its own
  int64_t offset = 0; ///< of its first element in the whole
  nn::Shape strides;  ///< per dim: elements between neighbours
};

/// The strides of a tensor whose elements lie in row-major order, one behind the other.
nn::Shape rowMajor(llvm::ArrayRef<nn::Dim> shape);

/// A slice or a reshape: another tensor's elements.
bool isView(mlir::Operation *op);
/// What made the elements that reshapes show.
mlir::Value withoutReshapes(mlir::Value value);
/// The operand of a train.join by which a value, or a reshape of it, is a part; null where it is none.
mlir::OpOperand *joinedBy(mlir::Value value);

/// How `value`, which `operand` of a train.join shows as it is or reshaped, lies as that part.
std::optional<View> viewAsPart(mlir::Value value, mlir::OpOperand &operand);
/// How `value` lies; nullopt where a reshape or slice cannot be said by strides and a number.
std::optional<View> viewOf(mlir::Value value);
/// The strides where the elements do not lie in row-major order.
std::optional<nn::Shape> partStrides(mlir::Value value);

} // namespace dlc::analysis

#endif // DLC_COMPILER_ANALYSIS_VIEWS_H
