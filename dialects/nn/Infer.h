//===- Infer.h - what all shape inference of nn shares
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inference is the only check of shapes and dtypes: the parser and the builders call it, and so does the
// verifier of every operation whose types are inferred. Its errors name the operation, what was expected
// and what was found.
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_NN_INFER_H
#define DLC_DIALECTS_NN_INFER_H

#include "dialects/nn/Dims.h"
#include "dialects/nn/NN.h"

namespace nn {

/// One call of an operation's inference.
struct Inference {
  std::optional<mlir::Location> location;
  llvm::StringRef op;
  llvm::SmallVectorImpl<mlir::Type> &types;

  /// Reports "'nn.add' op <message>".
  mlir::LogicalResult error(const llvm::Twine &message) const;
  /// Operands are ranked tensors and their dynamic dims have names.
  mlir::LogicalResult checkOperands(mlir::ValueRange operands) const;
  mlir::LogicalResult checkSameElementType(mlir::Value a, mlir::Value b) const;
  /// The element type of sums of products of elements of type `operand`: that type, or f32 where the sums are
  /// `wide`.
  mlir::FailureOr<mlir::Type> checkSumType(mlir::Type operand, bool wide) const;
  /// `what` has this shape.
  mlir::LogicalResult checkShape(llvm::StringRef what, mlir::Value value, llvm::ArrayRef<Dim> expected) const;
  /// `axis` lies in [0, rank).
  mlir::LogicalResult checkAxis(int64_t axis, int64_t rank) const;
  /// Each entry of `axes` lies in [0, rank); they are distinct and in increasing order.
  mlir::LogicalResult checkAxes(llvm::ArrayRef<int64_t> axes, int64_t rank) const;
  /// `x` has elements along these axes; axes that it does not have are not looked at.
  mlir::LogicalResult checkNotEmpty(mlir::Value x, llvm::ArrayRef<int64_t> axes) const;
  /// `values` has one entry per dim.
  mlir::LogicalResult checkPerDim(llvm::StringRef what, llvm::ArrayRef<int64_t> values, int64_t rank) const;

  /// Adds a result.
  mlir::LogicalResult give(mlir::Type type) const;
  mlir::LogicalResult give(llvm::ArrayRef<Dim> shape, mlir::Type elementType) const;
};

inline mlir::RankedTensorType tensorOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}
inline mlir::Type elementTypeOf(mlir::Value value) { return tensorOf(value).getElementType(); }
/// Whether its numbers have no sign: truth values and bytes.
inline bool isUnsigned(mlir::Type elementType) {
  return elementType.isInteger(1) || elementType.isUnsignedInteger();
}
inline Shape shapeOf(mlir::Value value) { return shapeOf(value.getType()); }
/// "'f32'", as messages quote types.
std::string str(mlir::Type type);

} // namespace nn

/// Heads the inference of one operation; the body sees `op` (the adaptor, operands checked) and `infer`.
#define NN_INFER(OP)                                                                                         \
  static mlir::LogicalResult inferTypes(OP::Adaptor op, const nn::Inference &infer);                         \
  mlir::LogicalResult OP::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,      \
                                           OP::Adaptor op, llvm::SmallVectorImpl<mlir::Type> &types) {       \
    nn::Inference infer{location, OP::getOperationName(), types};                                            \
    if (failed(infer.checkOperands(op.getOperands())))                                                       \
      return mlir::failure();                                                                                \
    return inferTypes(op, infer);                                                                            \
  }                                                                                                          \
  static mlir::LogicalResult inferTypes([[maybe_unused]] OP::Adaptor op, const nn::Inference &infer)

#endif // DLC_DIALECTS_NN_INFER_H
