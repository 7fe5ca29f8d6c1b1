//===- FoldViews.cpp - shape arithmetic at import: what only looks different
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Fold.h"

using namespace mlir;

namespace dlc::onnx {

/// The axes as the file has them.
static std::optional<SmallVector<int64_t>> givenAxes(Node &node) {
  if (node.hasAttribute("axes"))
    return node.integerList("axes");
  Folded given = node.dims(1);
  if (!given || !given->isStatic())
    return std::nullopt;
  return llvm::map_to_vector(given->elements, [](const nn::Dim &dim) { return dim.factor; });
}

std::optional<SmallVector<int64_t>> knownAxes(Node &node, int64_t rank) {
  std::optional<SmallVector<int64_t>> axes = givenAxes(node);
  if (!axes)
    return std::nullopt;
  for (int64_t &axis : *axes) {
    if (axis < -rank || axis >= rank)
      return std::nullopt;
    axis += axis < 0 ? rank : 0;
  }
  llvm::sort(*axes);
  bool isDistinct = std::adjacent_find(axes->begin(), axes->end()) == axes->end();
  return isDistinct ? axes : std::nullopt;
}

Folded foldSqueeze(Node &node, DimTensor x) {
  std::optional<SmallVector<int64_t>> axes;
  if (node.hasAttribute("axes") || node.has(1))
    if (axes = knownAxes(node, x.shape.size()); !axes)
      return std::nullopt;
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(x.shape)) {
    bool drop = axes ? llvm::is_contained(*axes, int64_t(i)) : size == 1;
    if (drop && size != 1)
      return std::nullopt;
    if (!drop)
      shape.push_back(size);
  }
  x.shape = std::move(shape);
  return x;
}

Folded foldUnsqueeze(Node &node, DimTensor x) {
  std::optional<SmallVector<int64_t>> given = givenAxes(node);
  if (!given || int64_t(x.shape.size() + given->size()) > maxRank)
    return std::nullopt;
  std::optional<SmallVector<int64_t>> axes = knownAxes(node, x.shape.size() + given->size());
  if (!axes)
    return std::nullopt;
  for (int64_t axis : *axes)
    x.shape.insert(x.shape.begin() + axis, 1);
  return x;
}

Folded foldReshape(Node &node, DimTensor x) {
  Folded target = node.dims(1);
  if (!target || !target->isStatic() || target->elements.size() > 1)
    return std::nullopt;
  if (target->elements.empty()) { // a scalar
    x.shape.clear();
    return x.elements.size() == 1 ? Folded(std::move(x)) : std::nullopt;
  }
  int64_t size = target->elements[0].factor;
  if (size != -1 && size != int64_t(x.elements.size()))
    return std::nullopt;
  x.shape.assign(1, x.elements.size());
  return x;
}

} // namespace dlc::onnx
