//===- FoldConstants.h - nn: operations on constants
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_NN_FOLDCONSTANTS_H
#define DLC_DIALECTS_NN_FOLDCONSTANTS_H

#include "dialects/nn/NN.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include <variant>

namespace nn {

/// Constants with more elements stay operations, unless all elements are equal: they would make the program
/// larger and are not shape arithmetic.
constexpr int64_t largestFoldedConstant = 4096;

/// Folds operations whose operands are all constants, where their own fold found nothing simpler.
struct ConstantFolder : public mlir::DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;
  llvm::LogicalResult fold(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands,
                           llvm::SmallVectorImpl<mlir::OpFoldResult> &results) const final;
};

/// Truth values and bytes are integers of 1 bit and of 8 bits, none of which is a sign.
using Element = std::variant<llvm::APFloat, llvm::APInt>;
/// None where an operation is not exactly rounded, or its result is no number of the type.
using FoldedElement = std::optional<Element>;
/// What an elementwise operation computes of single elements.
FoldedElement foldElement(mlir::Operation *op, llvm::ArrayRef<Element> x);

/// Where element `index` of a tensor of shape `to` is in one of shape `from` that broadcasts to it.
int64_t broadcastIndex(int64_t index, llvm::ArrayRef<int64_t> to, llvm::ArrayRef<int64_t> from);

/// The result of an operation that moves elements; null where it cannot be told.
mlir::DenseElementsAttr foldMove(mlir::Operation *op, mlir::RankedTensorType type,
                                 llvm::ArrayRef<mlir::DenseElementsAttr> operands);

} // namespace nn

#endif // DLC_DIALECTS_NN_FOLDCONSTANTS_H
