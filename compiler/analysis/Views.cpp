//===- Views.cpp - tensors that are parts of others ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/analysis/Views.h"
#include "dialects/train/DimNames.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using train::JoinOp;

namespace dlc::analysis {

nn::Shape rowMajor(ArrayRef<nn::Dim> shape) {
  nn::Shape strides(shape.size(), nn::Dim(1));
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

static bool isReshape(Operation *op) {
  return isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
}

bool isView(Operation *op) { return isReshape(op) || isa_and_nonnull<tensor::ExtractSliceOp>(op); }

Value withoutReshapes(Value value) {
  while (isReshape(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

OpOperand *joinedBy(Value value) {
  for (OpOperand &use : value.getUses()) {
    if (isa<JoinOp>(use.getOwner()))
      return &use;
    if (isReshape(use.getOwner()))
      if (OpOperand *joined = joinedBy(use.getOwner()->getResult(0)))
        return joined;
  }
  return nullptr;
}

//===-- Reshapes ---------------------------------------------------------------===//

using Groups = SmallVector<ReassociationIndices>;

// The strides of the side with more dims, whose shape is `fine`.
static nn::Shape expanded(ArrayRef<nn::Dim> strides, ArrayRef<nn::Dim> fine, const Groups &groups) {
  nn::Shape result(fine.size(), nn::Dim(1)); // a single number has no groups
  for (auto [stride, group] : llvm::zip(strides, groups)) {
    nn::Dim next = stride;
    for (int64_t dim : llvm::reverse(group)) {
      result[dim] = next;
      next = next * fine[dim];
    }
  }
  return result;
}

// The strides of the side with fewer dims; nullopt where dims that become one do not lie one in the other.
static std::optional<nn::Shape> collapsed(ArrayRef<nn::Dim> strides, ArrayRef<nn::Dim> fine,
                                          const Groups &groups) {
  nn::Shape result;
  for (const ReassociationIndices &group : groups) {
    std::optional<nn::Dim> stride, next; // of the last dim, and what that of the one before must be
    for (int64_t dim : llvm::reverse(group)) {
      if (fine[dim].isOne())
        continue;
      if (next && strides[dim] != *next)
        return std::nullopt;
      stride = stride ? stride : strides[dim];
      next = strides[dim] * fine[dim];
    }
    result.push_back(stride.value_or(nn::Dim(1)));
  }
  return result;
}

static Groups groupsOf(Operation *reshape) {
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape))
    return collapse.getReassociationIndices();
  return cast<tensor::ExpandShapeOp>(reshape).getReassociationIndices();
}

// The strides of the other side of a reshape, where `side` has `strides`.
static std::optional<nn::Shape> through(Operation *reshape, Value side, ArrayRef<nn::Dim> strides) {
  Value from = reshape->getOperand(0), to = reshape->getResult(0);
  Value fine = isa<tensor::CollapseShapeOp>(reshape) ? from : to;
  Groups groups = groupsOf(reshape);
  if (side == fine)
    return collapsed(strides, shapeOf(fine), groups);
  return expanded(strides, shapeOf(fine), groups);
}

//===-- Slices and joins -------------------------------------------------------===//

// Elements of a part begin `positions` * `stride` after those of the whole.
static bool addOffset(View &view, int64_t positions, const nn::Dim &stride) {
  if (positions != 0 && !stride.isStatic())
    return false;
  view.offset += positions == 0 ? 0 : positions * stride.factor;
  return true;
}

static std::optional<View> ofSlice(tensor::ExtractSliceOp slice) {
  std::optional<View> view = viewOf(slice.getSource());
  if (!view)
    return std::nullopt;
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  nn::Shape strides;
  for (auto [dim, stride] : llvm::enumerate(view->strides)) {
    if (!addOffset(*view, slice.getStaticOffset(dim), stride))
      return std::nullopt;
    if (!dropped[dim])
      strides.push_back(stride * nn::Dim(slice.getStaticStride(dim)));
  }
  view->strides = strides;
  return view;
}

std::optional<View> viewAsPart(Value value, OpOperand &operand) {
  auto join = cast<JoinOp>(operand.getOwner());
  unsigned part = operand.getOperandNumber();
  std::optional<View> view = viewOf(join.getWhole());
  if (!view || !addOffset(*view, join.startOf(part), view->strides[join.getAxis()]))
    return std::nullopt;
  if (join.lacksAxis(part))
    view->strides.erase(view->strides.begin() + join.getAxis());
  for (Value shown = operand.get(); shown != value;) {
    Operation *reshape = shown.getDefiningOp();
    std::optional<nn::Shape> strides = through(reshape, shown, view->strides);
    if (!strides)
      return std::nullopt;
    view->strides = *strides;
    shown = reshape->getOperand(0);
  }
  return view;
}

std::optional<View> viewOf(Value value) {
  Operation *producer = value.getDefiningOp();
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(producer))
    return ofSlice(slice);
  if (isReshape(producer)) {
    std::optional<View> view = viewOf(producer->getOperand(0));
    std::optional<nn::Shape> strides;
    if (view)
      strides = through(producer, producer->getOperand(0), view->strides);
    if (!strides)
      return std::nullopt;
    view->strides = *strides;
    return view;
  }
  if (OpOperand *operand = joinedBy(value))
    return viewAsPart(value, *operand);
  return View{value, 0, rowMajor(shapeOf(value))};
}

std::optional<nn::Shape> partStrides(Value value) {
  nn::Shape shape = shapeOf(value), expected = rowMajor(shape), strides = viewOf(value)->strides;
  for (auto [dim, stride, plain] : llvm::zip_equal(shape, strides, expected))
    if (!dim.isOne() && stride != plain)
      return strides;
  return std::nullopt;
}

} // namespace dlc::analysis
