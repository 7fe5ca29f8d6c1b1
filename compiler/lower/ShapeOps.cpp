//===- ShapeOps.cpp - a tensor's elements under another shape -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/lower/Lowering.h"

namespace dlc::lower {

// Groups of neighbouring dims of equal products: `from` becomes `to` group by group.
static void groupDims(ArrayRef<nn::Dim> from, ArrayRef<nn::Dim> to, nn::Shape &common,
                      SmallVector<mlir::ReassociationIndices> &fromGroups,
                      SmallVector<mlir::ReassociationIndices> &toGroups) {
  for (unsigned i = 0, j = 0; i < from.size() && j < to.size();) {
    nn::Dim left = from[i], right = to[j];
    mlir::ReassociationIndices &fromGroup = fromGroups.emplace_back(), &toGroup = toGroups.emplace_back();
    fromGroup.push_back(i++);
    toGroup.push_back(j++);
    while (left != right) {
      bool growLeft = left.isStatic() && right.isStatic() ? left.factor < right.factor
                                                          : nn::divide(right, left).has_value();
      if ((growLeft || j == to.size()) && i < from.size()) {
        left = left * from[i];
        fromGroup.push_back(i++);
      } else {
        assert(j < to.size() && "a reshape keeps the number of elements");
        right = right * to[j];
        toGroup.push_back(j++);
      }
    }
    common.push_back(left);
  }
}

Value Lowering::reshape(Value tensor, ArrayRef<nn::Dim> from, ArrayRef<nn::Dim> to) {
  if (from == to)
    return tensor;
  mlir::Type elementType = mlir::cast<mlir::RankedTensorType>(tensor.getType()).getElementType();
  nn::Shape common;
  SmallVector<mlir::ReassociationIndices> fromGroups, toGroups;
  nn::Shape fromDims = withoutOnes(from), toDims = withoutOnes(to);
  groupDims(fromDims, toDims, common, fromGroups, toGroups);
  // Dims of size 1 join the group at their left; the first ones join the first group.
  auto withOnes = [](ArrayRef<nn::Dim> dims, SmallVector<mlir::ReassociationIndices> &groups) {
    SmallVector<mlir::ReassociationIndices> result;
    unsigned next = 0;
    mlir::ReassociationIndices leading;
    for (const mlir::ReassociationIndices &group : groups) {
      mlir::ReassociationIndices &merged = result.emplace_back(leading);
      leading.clear();
      for (unsigned members = 0; members < group.size(); ++next) {
        merged.push_back(next);
        members += !dims[next].isOne();
      }
    }
    for (; next < dims.size(); ++next)
      if (!result.empty())
        result.back().push_back(next);
    groups = std::move(result);
  };
  withOnes(from, fromGroups);
  withOnes(to, toGroups);
  if (from.size() != common.size())
    tensor = mlir::tensor::CollapseShapeOp::create(b, plainType(nn::tensorType(common, elementType)), tensor,
                                                   fromGroups);
  if (to.size() != common.size()) {
    SmallVector<mlir::OpFoldResult> sizes;
    for (const nn::Dim &dim : to)
      sizes.push_back(dim.isStatic() ? mlir::OpFoldResult(b.getIndexAttr(dim.factor)) : sizeOf(b, dim));
    tensor = mlir::tensor::ExpandShapeOp::create(b, plainType(nn::tensorType(to, elementType)), tensor,
                                                 toGroups, sizes);
  }
  return tensor;
}

Value Lowering::view(Value value, ArrayRef<nn::Dim> shape) {
  nn::Shape from = withoutOnes(nn::shapeOf(value.getType())), to = withoutOnes(shape);
  if (from == to)
    return value;
  Value view = reshape(tensor(value), from, to);
  replace(view, view);
  return view;
}

} // namespace dlc::lower
