//===- Shape.cpp - ONNX nodes for operations that move elements --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/export/Writer.h"

using namespace mlir;

namespace dlc::onnx {

namespace {

/// The row of sizes of a shape; an error at the operation where a dim is none of the inputs'.
FailureOr<std::string> sizesFor(Writer &w, Operation *op, ArrayRef<nn::Dim> shape) {
  FailureOr<std::string> row = w.sizes(shape);
  if (failed(row))
    return op->emitError("cannot be exported: no input has the dims of ") << nn::str(shape);
  return row;
}

LogicalResult constant(Writer &w, nn::ConstantOp op) {
  w.alias(op.getY(), w.constant(op.getValue()));
  return success();
}

/// One open size follows from the others; of several, the sizes are computed.
LogicalResult reshape(Writer &w, nn::ReshapeOp op) {
  nn::Shape shape = nn::shapeOf(op.getType());
  auto isOpen = [](const nn::Dim &dim) { return !dim.isStatic(); };
  FailureOr<std::string> row = failure();
  if (llvm::count_if(shape, isOpen) > 1) {
    row = sizesFor(w, op, shape);
  } else {
    SmallVector<int64_t> sizes;
    for (const nn::Dim &dim : shape)
      sizes.push_back(dim.isStatic() ? dim.factor : -1);
    row = w.integers(sizes);
  }
  if (failed(row))
    return failure();
  w.result(op.getY(), "Reshape", {w[op.getX()], *row}, {{"allowzero", int64_t(1)}});
  return success();
}

LogicalResult transpose(Writer &w, nn::TransposeOp op) {
  w.result(op.getY(), "Transpose", {w[op.getX()]}, {{"perm", op.getPermutation().vec()}});
  return success();
}

/// A size of 1 leaves a dim as it is.
LogicalResult expand(Writer &w, nn::ExpandOp op) {
  nn::Shape from = nn::shapeOf(op.getX().getType()), to = nn::shapeOf(op.getType());
  for (size_t i = 0; i < from.size(); ++i)
    if (nn::Dim &dim = to[to.size() - 1 - i]; from[from.size() - 1 - i] == dim)
      dim = 1;
  FailureOr<std::string> row = sizesFor(w, op, to);
  if (failed(row))
    return failure();
  w.result(op.getY(), "Expand", {w[op.getX()], *row});
  return success();
}

LogicalResult concat(Writer &w, nn::ConcatOp op) {
  Names inputs;
  for (Value input : op.getInputs())
    inputs.push_back(w[input]);
  w.result(op.getY(), "Concat", inputs, {{"axis", int64_t(op.getAxis())}});
  return success();
}

LogicalResult slice(Writer &w, nn::SliceOp op) {
  SmallVector<int64_t> axes, starts, limits, steps;
  for (auto [axis, dim] : llvm::enumerate(nn::shapeOf(op.getX().getType()))) {
    int64_t start = op.getStarts()[axis], limit = op.getLimits()[axis], step = op.getSteps()[axis];
    if (!dim.isStatic() || (start == 0 && limit == dim.factor && step == 1))
      continue;
    axes.push_back(axis);
    starts.push_back(start);
    limits.push_back(limit);
    steps.push_back(step);
  }
  w.result(op.getY(), "Slice",
           {w[op.getX()], w.integers(starts), w.integers(limits), w.integers(axes), w.integers(steps)});
  return success();
}

LogicalResult reverse(Writer &w, nn::ReverseOp op) {
  ArrayRef<int64_t> axes = op.getAxes();
  SmallVector<int64_t> starts(axes.size(), -1), limits(axes.size(), INT64_MIN), steps(axes.size(), -1);
  w.result(op.getY(), "Slice",
           {w[op.getX()], w.integers(starts), w.integers(limits), w.integers(axes), w.integers(steps)});
  return success();
}

LogicalResult pad(Writer &w, nn::PadOp op) {
  if (llvm::any_of(op.getInterior(), [](int64_t count) { return count != 0; }))
    return op.emitError("cannot be exported: ONNX has no padding between neighbours");
  std::vector<int64_t> pads(op.getLow().begin(), op.getLow().end());
  pads.insert(pads.end(), op.getHigh().begin(), op.getHigh().end());
  Names inputs{w[op.getX()], w.integers(pads)};
  if (op.getMode() == nn::PadMode::constant)
    inputs.push_back(w.scalar(op.getValue().convertToDouble(), getElementTypeOrSelf(op.getType())));
  w.result(op.getY(), "Pad", inputs, {{"mode", nn::stringifyPadMode(op.getMode()).str()}});
  return success();
}

LogicalResult gather(Writer &w, nn::GatherOp op) {
  w.result(op.getY(), "Gather", {w[op.getX()], w[op.getIndices()]}, {{"axis", int64_t(op.getAxis())}});
  return success();
}

/// Updates of slices along the first axis go to zeros; others are exchanged with it and back.
LogicalResult scatterAdd(Writer &w, nn::ScatterAddOp op) {
  int64_t axis = op.getAxis(), rank = cast<RankedTensorType>(op.getType()).getRank();
  int64_t indexRank = cast<RankedTensorType>(op.getIndices().getType()).getRank();
  std::vector<int64_t> toFront, back; // of the updates' dims, and of the result's
  for (int64_t i = 0; i < indexRank; ++i)
    toFront.push_back(axis + i);
  for (int64_t i = 0; i < rank - 1 + indexRank; ++i)
    if (i < axis || i >= axis + indexRank)
      toFront.push_back(i);
  for (int64_t i = 1; i <= axis; ++i)
    back.push_back(i);
  back.push_back(0);
  for (int64_t i = axis + 1; i < rank; ++i)
    back.push_back(i);
  nn::Shape shape = nn::shapeOf(op.getType()), moved = shape;
  std::rotate(moved.begin(), moved.begin() + axis, moved.begin() + axis + 1);
  FailureOr<std::string> sizes = sizesFor(w, op, moved);
  if (failed(sizes))
    return failure();
  std::string zeros = w.step("Expand", {w.scalar(0, getElementTypeOrSelf(op.getType())), *sizes});
  std::string indices = w.step("Cast", {w[op.getIndices()]}, {{"to", int64_t(::onnx::TensorProto::INT64)}});
  indices = w.step("Unsqueeze", {indices, w.integers({-1})});
  std::string updates =
      axis == 0 ? w[op.getUpdates()] : w.step("Transpose", {w[op.getUpdates()]}, {{"perm", toFront}});
  ExportedAttributes add{{"reduction", std::string("add")}};
  if (axis == 0)
    w.result(op.getY(), "ScatterND", {zeros, indices, updates}, add);
  else
    w.result(op.getY(), "Transpose", {w.step("ScatterND", {zeros, indices, updates}, add)}, {{"perm", back}});
  return success();
}

/// The positions as a row, then along the axis, then everywhere else.
LogicalResult iota(Writer &w, nn::IotaOp op) {
  nn::Shape shape = nn::shapeOf(op.getType());
  auto size = sizesFor(w, op, shape[op.getAxis()]);
  auto whole = sizesFor(w, op, shape);
  if (failed(size) || failed(whole))
    return failure();
  Type i64 = IntegerType::get(op.getContext(), 64);
  std::string count = w.step("Squeeze", {*size});
  std::string row = w.step("Range", {w.scalar(0, i64), count, w.scalar(1, i64)});
  row = w.step("Cast", {row}, {{"to", int64_t(exportedType(getElementTypeOrSelf(op.getType())))}});
  SmallVector<int64_t> after;
  for (size_t i = 1; i < shape.size() - op.getAxis(); ++i)
    after.push_back(i);
  if (!after.empty())
    row = w.step("Unsqueeze", {row, w.integers(after)});
  w.result(op.getY(), "Expand", {row, *whole});
  return success();
}

} // namespace

void addShapeRules(ExportRules &rules) {
  rules.add(constant);
  rules.add(reshape);
  rules.add(transpose);
  rules.add(expand);
  rules.add(concat);
  rules.add(slice);
  rules.add(reverse);
  rules.add(pad);
  rules.add(gather);
  rules.add(scatterAdd);
  rules.add(iota);
}

} // namespace dlc::onnx
