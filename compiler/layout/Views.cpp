//===- Views.cpp - reshapes that move nothing ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/layout/Views.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dlc::layout {

bool isView(Operation *op) { return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op); }

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
  ArrayRef<int64_t> sizes = cast<RankedTensorType>(finer(view).getType()).getShape();
  return llvm::all_of(groupsOf(view), [&](ArrayRef<int64_t> group) {
    return llvm::count_if(group, [&](int64_t dim) { return sizes[dim] != 1; }) <= 1;
  });
}

std::optional<Order> orderThrough(Operation *view, Value side, ArrayRef<int64_t> order) {
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

void setOrders(Operation *view, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
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
  view->getResult(0).setType(
      RankedTensorType::get(applyPermutation(type.getShape(), to), type.getElementType()));
}

} // namespace dlc::layout
