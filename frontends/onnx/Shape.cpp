//===- Shape.cpp - ONNX operators of the family Shape: views and joins
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that take parts of tensors are in Part.cpp.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Node.h"

using namespace mlir;

namespace dlc::onnx {

//===-- Views ----------------------------------------------------------------------===//

/// 0 keeps a dim (without `allowzero`), -1 stands for what is left.
static void reshape(Node &node) {
  nn::Shape x = node.shape(0), y;
  std::optional<DimTensor> target = node.dims(1);
  if (!target) {
    (void)node.integers(1, "the shape");
    return;
  }
  bool allowZero = node.integer("allowzero", 0) != 0;
  std::optional<size_t> open;
  for (const nn::Dim &dim : target->elements) {
    if (dim.isStatic() && dim.factor == -1) {
      if (open)
        return node.error("the shape has two dims of -1");
      open = y.size();
      y.push_back(1);
    } else if (dim.isStatic() && dim.factor == 0 && !allowZero) {
      if (y.size() >= x.size())
        return node.error("the shape keeps dim " + Twine(y.size()) + " of an operand of shape " + nn::str(x));
      y.push_back(x[y.size()]);
    } else if (dim.factor < 0 || dim.factor > maxDim) {
      return node.error("the shape has a dim of " + dim.str());
    } else {
      y.push_back(dim);
    }
  }
  if (!node.checkSize(y))
    return;
  nn::Dim total = nn::elementCount(x), others = nn::elementCount(y);
  if (open) {
    std::optional<nn::Dim> rest = nn::divide(total, others);
    if (!rest)
      return node.error("cannot reshape " + nn::str(x) + " into parts of " + others.str() + " elements");
    y[*open] = *rest;
  }
  node.give(0, node.reshape(node.value(0), y));
}

static void flatten(Node &node) {
  nn::Shape shape = node.shape(0);
  int64_t rank = shape.size(), axis = node.integer("axis", 1);
  if (axis < -rank || axis > rank)
    return node.error("axis " + Twine(axis) + " is not in [" + Twine(-rank) + ", " + Twine(rank) + "]");
  ArrayRef<nn::Dim> dims(shape);
  axis += axis < 0 ? rank : 0;
  node.give(0, node.reshape(node.value(0), {nn::elementCount(dims.take_front(axis)),
                                            nn::elementCount(dims.drop_front(axis))}));
}

/// Axes are an attribute, from opset 13 on an input; nullopt with `isGiven` after an error.
static std::optional<SmallVector<int64_t>> axesOf(Node &node, int64_t rank, bool &isGiven) {
  std::optional<SmallVector<int64_t>> given = node.integerList("axes");
  isGiven = given || node.has(1);
  if (node.has(1))
    given = node.integers(1, "axes");
  return given ? node.axes(*given, rank) : std::nullopt;
}

static void squeeze(Node &node) {
  nn::Shape x = node.shape(0), y;
  bool isGiven;
  std::optional<SmallVector<int64_t>> axes = axesOf(node, x.size(), isGiven);
  if (isGiven && !axes)
    return;
  for (auto [i, dim] : llvm::enumerate(x)) {
    bool drop = axes ? llvm::is_contained(*axes, int64_t(i)) : dim.isOne();
    if (drop && !dim.isOne())
      return node.error("dim " + Twine(i) + " has the size " + dim.str() + ", not 1");
    if (!drop)
      y.push_back(dim);
  }
  node.give(0, node.reshape(node.value(0), y));
}

static void unsqueeze(Node &node) {
  nn::Shape x = node.shape(0), y;
  std::optional<SmallVector<int64_t>> given = node.integerList("axes");
  if (!given && !(given = node.integers(1, "axes")))
    return;
  std::optional<SmallVector<int64_t>> axes = node.axes(*given, x.size() + given->size());
  if (!axes)
    return;
  auto next = x.begin();
  for (size_t i = 0; i < x.size() + axes->size(); ++i)
    y.push_back(llvm::is_contained(*axes, int64_t(i)) ? nn::Dim(1) : *next++);
  node.give(0, node.reshape(node.value(0), y));
}

static void transpose(Node &node) {
  SmallVector<int64_t> reversed = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(node.rank(0))));
  SmallVector<int64_t> permutation = node.integerList("perm").value_or(reversed);
  node.give(0, node.make<nn::TransposeOp>({node.value(0)}, node.attr("permutation", permutation)));
}

//===-- Repetition -------------------------------------------------------------------===//

static void expand(Node &node) {
  std::optional<DimTensor> target = node.dims(1);
  if (!target) {
    (void)node.integers(1, "the shape");
    return;
  }
  for (const nn::Dim &dim : target->elements)
    if (dim.factor < 0 || dim.factor > maxDim)
      return node.error("the shape has a dim of " + dim.str());
  std::optional<nn::Shape> shape = nn::broadcast(node.shape(0), target->elements);
  if (!shape)
    return node.error("cannot expand " + nn::str(node.shape(0)) + " to " + nn::str(target->elements));
  node.give(0, node.expand(node.value(0), *shape));
}

/// Each dim is split into (1, size), the first stretched, both joined again.
static void tile(Node &node) {
  nn::Shape x = node.shape(0), split, stretched, y;
  std::optional<SmallVector<int64_t>> repeats = node.integers(1, "repeats");
  if (!repeats)
    return;
  if (repeats->size() != x.size())
    return node.error("expects " + Twine(x.size()) + " repeats, got " + Twine(repeats->size()));
  for (auto [dim, count] : llvm::zip_equal(x, *repeats)) {
    if (count < 0 || count > maxDim)
      return node.error("cannot repeat " + Twine(count) + " times");
    split.append({nn::Dim(1), dim});
    stretched.append({nn::Dim(count), dim});
    y.push_back(dim * nn::Dim(count));
  }
  node.give(0, node.reshape(node.expand(node.reshape(node.value(0), split), stretched), y));
}

static void concat(Node &node) {
  std::optional<int64_t> axis = node.axis(node.integer("axis", 1), node.rank(0));
  if (!axis)
    return;
  SmallVector<Value> inputs;
  for (int i = 0; i < node.inputCount(); ++i) {
    if (!node.has(i))
      return node.error("input " + Twine(i) + " is missing");
    inputs.push_back(node.value(i));
  }
  node.give(0,
            inputs.size() == 1 ? inputs.front() : node.make<nn::ConcatOp>(inputs, node.attr("axis", *axis)));
}

static const Row rows[] = {
    {"Reshape", 5, reshape, 2, 2, ""},
    {"Reshape", 14, reshape, 2, 2, "allowzero"},
    {"Flatten", 1, flatten, 1, 1, "axis"},
    {"Squeeze", 1, squeeze, 1, 1, "axes"},
    {"Squeeze", 13, squeeze, 1, 2, ""},
    {"Unsqueeze", 1, unsqueeze, 1, 1, "axes"},
    {"Unsqueeze", 13, unsqueeze, 2, 2, ""},
    {"Transpose", 1, transpose, 1, 1, "perm"},
    {"Expand", 8, expand, 2, 2, ""},
    {"Tile", 6, tile, 2, 2, ""},
    {"Concat", 4, concat, 1, anyNumber, "axis"},
};

ArrayRef<Row> shapeRows() { return rows; }

} // namespace dlc::onnx
