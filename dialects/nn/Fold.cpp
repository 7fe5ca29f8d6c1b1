//===- Fold.cpp - nn: operations that fold away
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds give an operand or a constant; they never depend on values in a way that NaN or infinity would
// change.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Infer.h"

using namespace mlir;
using namespace nn;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getY().getType())
    return getX();
  if (auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getX()))
    return constant.reshape(cast<ShapedType>(getY().getType()));
  // Only the last of several reshapes counts.
  if (auto before = getX().getDefiningOp<ReshapeOp>()) {
    getXMutable().set(before.getX());
    return getY();
  }
  return {};
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> permutation = getPermutation();
  if (llvm::equal(permutation, llvm::seq<int64_t>(permutation.size())))
    return getX();
  if (auto constant = dyn_cast_or_null<SplatElementsAttr>(adaptor.getX()))
    return constant.resizeSplat(cast<ShapedType>(getY().getType()));
  if (auto before = getX().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> both;
    for (int64_t dim : permutation)
      both.push_back(before.getPermutation()[dim]);
    setPermutation(both);
    getXMutable().set(before.getX());
    return getY();
  }
  return {};
}

OpFoldResult ExpandOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getY().getType())
    return getX();
  auto type = cast<RankedTensorType>(getY().getType());
  if (auto constant = dyn_cast_or_null<SplatElementsAttr>(adaptor.getX()); constant && type.hasStaticShape())
    return constant.resizeSplat(type);
  if (auto before = getX().getDefiningOp<ExpandOp>()) {
    getXMutable().set(before.getX());
    return getY();
  }
  return {};
}
