//===- Infer.cpp - what all shape inference of nn shares
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/nn/Infer.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace nn {

LogicalResult Inference::error(const Twine &message) const {
  return emitOptionalError(location, "'", op, "' op ", message);
}

LogicalResult Inference::checkOperands(ValueRange operands) const {
  for (auto [i, operand] : llvm::enumerate(operands)) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      return error("expects operand " + Twine(i) + " to be a ranked tensor, got " + str(operand.getType()));
    if (!type.hasStaticShape() && !isa_and_nonnull<DimsAttr>(type.getEncoding()))
      return error("expects the dynamic dims of operand " + Twine(i) + " to have names (#nn.dims), got " +
                   str(type));
    if (isTooLarge(shapeOf(type)))
      return error("operand " + Twine(i) + " of type " + str(type) + " is too large");
  }
  return success();
}

LogicalResult Inference::checkSameElementType(Value a, Value b) const {
  if (elementTypeOf(a) == elementTypeOf(b))
    return success();
  return error("expects operands of one dtype, got " + str(elementTypeOf(a)) + " and " +
               str(elementTypeOf(b)));
}

FailureOr<Type> Inference::checkSumType(Type operand, bool wide) const {
  if (!wide)
    return operand;
  Type f32 = Float32Type::get(operand.getContext());
  if (isa<FloatType>(operand) && operand.getIntOrFloatBitWidth() < 32)
    return f32;
  return error("expects operands of fewer bits than 'f32' for wide sums, got " + str(operand));
}

LogicalResult Inference::checkShape(StringRef what, Value value, ArrayRef<Dim> expected) const {
  if (ArrayRef<Dim>(shapeOf(value)) == expected)
    return success();
  return error("expects " + what + " of shape " + nn::str(expected) + ", got " + nn::str(shapeOf(value)));
}

LogicalResult Inference::checkAxis(int64_t axis, int64_t rank) const {
  if (axis >= 0 && axis < rank)
    return success();
  return error("expects an axis in [0, " + Twine(rank) + "), got " + Twine(axis));
}

LogicalResult Inference::checkAxes(ArrayRef<int64_t> axes, int64_t rank) const {
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (failed(checkAxis(axis, rank)))
      return failure();
    if (i > 0 && axes[i - 1] >= axis)
      return error("expects distinct axes in increasing order, got " + Twine(axis) + " after " +
                   Twine(axes[i - 1]));
  }
  return success();
}

LogicalResult Inference::checkNotEmpty(Value x, ArrayRef<int64_t> axes) const {
  Shape shape = shapeOf(x);
  for (int64_t axis : axes)
    if (axis >= 0 && axis < int64_t(shape.size()) && shape[axis] == Dim(0))
      return error("expects at least one element along axis " + Twine(axis) + ", got shape " + str(shape));
  return success();
}

LogicalResult Inference::checkPerDim(StringRef what, ArrayRef<int64_t> values, int64_t rank) const {
  if (int64_t(values.size()) == rank)
    return success();
  return error("expects " + Twine(rank) + " " + what + ", one per dim, got " + Twine(values.size()));
}

LogicalResult Inference::give(Type type) const {
  types.push_back(type);
  return success();
}

LogicalResult Inference::give(ArrayRef<Dim> shape, Type elementType) const {
  if (isTooLarge(shape))
    return error("a result of shape " + nn::str(shape) + " is too large");
  return give(tensorType(shape, elementType));
}

std::string str(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << "'" << type << "'";
  return text;
}

} // namespace nn
