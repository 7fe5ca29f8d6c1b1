//===- OpMaker.cpp - operations that importers make ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/OpMaker.h"
#include "dialects/train/Train.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/Format.h"

using namespace mlir;

namespace dlc::frontend {

std::optional<int64_t> countElements(ArrayRef<int64_t> shape) {
  if (int64_t(shape.size()) > nn::maxRank)
    return std::nullopt;
  int64_t count = 1;
  for (int64_t dim : shape) {
    if (dim < 0 || dim > maxDim)
      return std::nullopt;
    if (llvm::MulOverflow(count, std::max<int64_t>(dim, 1), count) || count > nn::maxElements)
      return std::nullopt;
  }
  return llvm::is_contained(shape, 0) ? 0 : count;
}

std::string str(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", number);
  return text;
}

void OpMaker::error(const Twine &message) { emitError(b.getLoc(), message); }

std::optional<int64_t> OpMaker::axis(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  error("axis " + Twine(axis) + " is not in [" + Twine(-rank) + ", " + Twine(rank) + ")");
  return std::nullopt;
}

std::optional<SmallVector<int64_t>> OpMaker::axes(ArrayRef<int64_t> axes, int64_t rank) {
  if (rank > nn::maxRank) {
    error("a tensor has at most " + Twine(nn::maxRank) + " dims, got " + Twine(rank));
    return std::nullopt;
  }
  SmallVector<int64_t> sorted;
  for (int64_t each : axes) {
    std::optional<int64_t> counted = axis(each, rank);
    if (!counted)
      return std::nullopt;
    sorted.push_back(*counted);
  }
  llvm::sort(sorted);
  if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end())
    return sorted;
  error("an axis is given twice");
  return std::nullopt;
}

bool OpMaker::checkSize(ArrayRef<nn::Dim> shape) {
  if (countElements(llvm::map_to_vector(shape, [](const nn::Dim &dim) { return dim.factor; })))
    return true;
  error("a shape has a negative dim or is too large: " + nn::str(shape));
  return false;
}

Value OpMaker::reshape(Value x, ArrayRef<nn::Dim> shape) {
  if (!x || !checkSize(shape))
    return {};
  RankedTensorType type = nn::tensorType(shape, nn::elementTypeOf(x));
  return x.getType() == type ? x : nn::ReshapeOp::create(b, type, x).getY();
}

Value OpMaker::expand(Value x, ArrayRef<nn::Dim> shape) {
  if (!x || !checkSize(shape))
    return {};
  RankedTensorType type = nn::tensorType(shape, nn::elementTypeOf(x));
  return x.getType() == type ? x : nn::ExpandOp::create(b, type, x).getY();
}

Value OpMaker::part(Value x, int64_t axis, int64_t start, int64_t limit, int64_t step) {
  if (!x)
    return {};
  nn::Shape shape = nn::shapeOf(x);
  SmallVector<int64_t> starts(shape.size(), 0), steps(shape.size(), 1), limits;
  for (const nn::Dim &dim : shape)
    limits.push_back(dim.isStatic() ? dim.factor : -1);
  starts[axis] = start;
  limits[axis] = limit;
  steps[axis] = step;
  return make<nn::SliceOp>({x}, {attr("starts", starts), attr("limits", limits), attr("steps", steps)});
}

Value OpMaker::scalar(double value, Type elementType) {
  auto type = RankedTensorType::get({}, elementType);
  Attribute element =
      isa<FloatType>(elementType)
          ? Attribute(b.getFloatAttr(elementType, value))
          : b.getIntegerAttr(elementType, elementType.isInteger(1) ? value != 0 : int64_t(value));
  return nn::ConstantOp::create(b, DenseElementsAttr::get(type, element));
}

void checkNewOperation(Operation *op, llvm::function_ref<int64_t(const nn::Dim &)> boundOf) {
  for (Value result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      continue;
    if (!countElements(llvm::map_to_vector(nn::shapeOf(type), boundOf))) {
      op->emitError("a result of shape ") << nn::str(nn::shapeOf(type)) << " is too large";
      return;
    }
  }
  if (!isa<train::ReadOp, train::WriteOp, train::BatchNormOp, train::ProgramOp, train::FunctionOp>(op))
    (void)verify(op, /*verifyRecursively=*/false);
}

} // namespace dlc::frontend
