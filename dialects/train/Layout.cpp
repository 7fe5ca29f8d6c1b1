//===- Layout.cpp - train: how the elements of a tensor lie in memory ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/train/Train.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace train;

SmallVector<SmallVector<int64_t, 2>> LayoutAttr::cuts(ArrayRef<int64_t> sizes) const {
  SmallVector<SmallVector<int64_t, 2>> result;
  ArrayRef<int64_t> pieces = isCut() ? getShape() : sizes;
  SmallVector<int64_t> sorted(getPermutation());
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(pieces.size())))
    return {};
  for (int64_t size : sizes) {
    SmallVector<int64_t, 2> &cut = result.emplace_back();
    int64_t product = 1;
    do {
      if (pieces.empty())
        return {};
      cut.push_back(pieces.front());
      product *= pieces.front();
      pieces = pieces.drop_front();
    } while (!ShapedType::isDynamic(size) && product > 0 && product < size);
    if (ShapedType::isDynamic(size) ? cut.front() != size : product != size)
      return {};
  }
  return pieces.empty() ? result : SmallVector<SmallVector<int64_t, 2>>();
}

RankedTensorType LayoutAttr::of(RankedTensorType type) const {
  SmallVector<int64_t> pieces;
  for (ArrayRef<int64_t> cut : cuts(type.getShape()))
    llvm::append_range(pieces, cut);
  return RankedTensorType::get(applyPermutation(pieces, getPermutation()), type.getElementType());
}

AffineMap LayoutAttr::of(AffineMap map, RankedTensorType type) const {
  SmallVector<AffineExpr> pieces;
  for (auto [expr, cut] : llvm::zip_equal(map.getResults(), cuts(type.getShape()))) {
    int64_t inner = ShapedType::isDynamic(cut.front()) ? 1 : llvm::product_of(cut);
    for (auto [index, size] : llvm::enumerate(cut)) {
      AffineExpr piece = expr;
      if (index > 0) // what lies in one of the pieces around it
        piece = piece % inner;
      if (cut.size() > 1)
        inner /= size;
      if (index + 1 < cut.size())
        piece = piece.floorDiv(inner);
      pieces.push_back(piece);
    }
  }
  return AffineMap::get(map.getNumDims(), 0, applyPermutation(pieces, getPermutation()), map.getContext());
}
