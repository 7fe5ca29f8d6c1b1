//===- ViewOrders.cpp - operations that move nothing ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/layout/ViewOrders.h"
#include "compiler/analysis/Views.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dlc::layout {

bool movesNothing(Operation *op) { return analysis::isView(op) || isa<train::JoinOp>(op); }

//===-- Parts ------------------------------------------------------------------===//

llvm::SmallBitVector droppedDims(tensor::ExtractSliceOp slice) {
  llvm::SmallBitVector dropped(slice.getSourceType().getRank()); // no tensor has a dim of size 1
  for (auto [dim, size] : llvm::enumerate(slice.getStaticSizes()))
    dropped[dim] = size == 1;
  return dropped;
}

Order withoutDims(ArrayRef<int64_t> order, const llvm::SmallBitVector &dropped) {
  Order result;
  for (int64_t dim : order)
    if (!dropped[dim])
      result.push_back(dim - llvm::count_if(dropped.set_bits(), [&](int64_t other) { return other < dim; }));
  return result;
}

/// The other way: a dim that was dropped stands before the next dim that was not.
static Order withDims(ArrayRef<int64_t> order, const llvm::SmallBitVector &dropped) {
  SmallVector<int64_t> kept;
  for (int64_t dim = 0; dim < int64_t(dropped.size()); ++dim)
    if (!dropped[dim])
      kept.push_back(dim);
  Order result;
  for (int64_t dim : order) {
    int64_t first = kept[dim];
    while (first > 0 && dropped[first - 1])
      --first;
    for (; first <= kept[dim]; ++first)
      result.push_back(first);
  }
  for (int64_t last = dropped.size(); last-- > 0 && dropped[last];)
    result.insert(result.begin(), last);
  return result;
}

static llvm::SmallBitVector droppedDims(train::JoinOp join) {
  llvm::SmallBitVector dropped(cast<RankedTensorType>(join.getWhole().getType()).getRank());
  dropped[join.getAxis()] = join.lacksAxis(0);
  return dropped;
}

//===-- Reshapes ---------------------------------------------------------------===//

static SmallVector<ReassociationIndices> groupsOf(Operation *view) {
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(view))
    return collapse.getReassociationIndices();
  return cast<tensor::ExpandShapeOp>(view).getReassociationIndices();
}

/// The side with more dims.
static Value finer(Operation *view) {
  return isa<tensor::CollapseShapeOp>(view) ? view->getOperand(0) : view->getResult(0);
}

bool onlyLeavesOutOnes(Operation *view) {
  if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(view))
    return false;
  ArrayRef<int64_t> sizes = cast<RankedTensorType>(finer(view).getType()).getShape();
  return llvm::all_of(groupsOf(view), [&](ArrayRef<int64_t> group) {
    return llvm::count_if(group, [&](int64_t dim) { return sizes[dim] != 1; }) <= 1;
  });
}

std::optional<Order> orderThrough(Operation *view, Value side, ArrayRef<int64_t> order) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(view))
    return side == slice.getSource() ? withoutDims(order, droppedDims(slice))
                                     : withDims(order, droppedDims(slice));
  if (auto join = dyn_cast<train::JoinOp>(view))
    return side == join.getWhole() ? withoutDims(order, droppedDims(join))
                                   : withDims(order, droppedDims(join));
  SmallVector<ReassociationIndices> groups = groupsOf(view);
  Order result;
  if (groups.empty()) // one number
    return side == finer(view) ? result : identity(cast<RankedTensorType>(finer(view).getType()).getRank());
  if (side != finer(view)) {
    for (int64_t dim : order)
      llvm::append_range(result, groups[dim]);
    return result;
  }
  while (!order.empty()) {
    auto group = llvm::find_if(groups, [&](ArrayRef<int64_t> dims) { return dims.front() == order.front(); });
    if (group == groups.end() || ArrayRef<int64_t>(*group) != order.take_front(group->size()))
      return std::nullopt;
    result.push_back(group - groups.begin());
    order = order.drop_front(group->size());
  }
  return result;
}

static RankedTensorType inOrder(Type type, ArrayRef<int64_t> order) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(applyPermutation(tensor.getShape(), order), tensor.getElementType());
}

static void setOrders(tensor::ExtractSliceOp slice, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
  applyPermutationToVector(sizes, from);
  SmallVector<Value> dynamicSizes;
  SmallVector<int64_t> staticSizes;
  dispatchIndexOpFoldResults(sizes, dynamicSizes, staticSizes);
  slice.setStaticOffsets(applyPermutation(slice.getStaticOffsets(), from));
  slice.setStaticStrides(applyPermutation(slice.getStaticStrides(), from));
  slice.setStaticSizes(staticSizes);
  slice.getSizesMutable().assign(dynamicSizes);
  slice.getResult().setType(inOrder(slice.getType(), to));
}

void setOrders(Operation *view, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(view))
    return setOrders(slice, from, to);
  Builder b(view->getContext());
  SmallVector<ReassociationIndices> groups = groupsOf(view), ordered;
  bool isFiner = view->getOperand(0) == finer(view);
  int64_t next = 0;
  for (int64_t dim : groups.empty() ? ArrayRef<int64_t>() : isFiner ? to : from) {
    ReassociationIndices &group = ordered.emplace_back();
    for (unsigned member = 0; member < groups[dim].size(); ++member)
      group.push_back(next++);
  }
  ArrayAttr reassociation = getReassociationIndicesAttribute(b, ordered);
  auto type = cast<RankedTensorType>(view->getResult(0).getType());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(view)) {
    collapse.setReassociationAttr(reassociation);
  } else {
    auto expand = cast<tensor::ExpandShapeOp>(view);
    SmallVector<OpFoldResult> sizes = expand.getMixedOutputShape();
    applyPermutationToVector(sizes, to);
    SmallVector<Value> dynamicSizes;
    SmallVector<int64_t> staticSizes;
    dispatchIndexOpFoldResults(sizes, dynamicSizes, staticSizes);
    expand.setReassociationAttr(reassociation);
    expand.getOutputShapeMutable().assign(dynamicSizes);
    expand.setStaticOutputShape(staticSizes);
  }
  view->getResult(0).setType(inOrder(type, to));
}

} // namespace dlc::layout
