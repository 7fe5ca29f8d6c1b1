//===- Sorting.cpp - ONNX operators along an axis: the largest elements, running sums
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Sorting.h"
#include "frontends/onnx/Indices.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

//===-- TopK -----------------------------------------------------------------------===//

/// k from an attribute or an input; nullopt after an error.
static std::optional<int64_t> countOf(Node &node, int64_t size) {
  SmallVector<int64_t> count{node.integer("k", 0)};
  if (node.since >= 10) {
    std::optional<SmallVector<int64_t>> given = node.integers(1, "k");
    if (!given)
      return std::nullopt;
    count = *given;
  }
  if (count.size() == 1 && count[0] >= 0 && count[0] <= size)
    return count[0];
  node.error("k must be one number from 0 to the size of the axis, " + Twine(size) + ", got " +
             (count.size() == 1 ? std::to_string(count[0]) : std::to_string(count.size()) + " numbers"));
  return std::nullopt;
}

/// The k largest elements in order, with their places.
static void topK(Node &node) {
  nn::Shape shape = node.shape(0);
  std::optional<int64_t> axis = node.axis(node.integer("axis", -1), shape.size());
  if (!axis)
    return;
  if (!shape[*axis].isStatic() || shape[*axis].factor > frontend::maxSorted)
    return node.error("expects a static size of at most " + Twine(frontend::maxSorted) + " along axis " +
                      Twine(*axis) + ", got " + nn::str(shape));
  int64_t size = shape[*axis].factor;
  std::optional<int64_t> k = countOf(node, size);
  if (!k)
    return;
  bool largest = node.since < 11 || node.integer("largest", 1) != 0;
  auto [elements, places] = frontend::elementsInOrder(node, node.value(0), *axis, *k, largest);
  node.give(0, elements);
  node.give(1, places);
}

//===-- CumSum ---------------------------------------------------------------------===//

static void cumSum(Node &node) {
  nn::Shape shape = node.shape(0);
  std::optional<SmallVector<int64_t>> given = node.integers(1, "the axis");
  if (!given)
    return;
  if (given->size() != 1)
    return node.error("the axis must be one number, got " + Twine(given->size()));
  std::optional<int64_t> axis = node.axis(given->front(), shape.size());
  if (!axis)
    return;
  if (!shape[*axis].isStatic())
    return node.error("expects a static size along axis " + Twine(*axis) + ", got " + nn::str(shape));
  int64_t size = shape[*axis].factor;
  bool reverse = node.integer("reverse", 0) != 0;
  auto turned = [&](Value x) -> Value {
    return reverse && x ? nn::ReverseOp::create(node.b, x, ArrayRef<int64_t>{*axis}).getY() : x;
  };
  Value y = turned(node.value(0));
  if (node.integer("exclusive", 0) != 0 && size > 0)
    y = frontend::shifted(node, y, *axis, 1);
  node.give(0, turned(frontend::cumulativeSum(node, y, *axis)));
}

static const Operator sortingOperators[] = {
    {"TopK", 1, topK, 1, 1, "axis k"},
    {"TopK", 10, topK, 2, 2, "axis"},
    {"TopK", 11, topK, 2, 2, "axis largest sorted"},
    {"CumSum", 11, cumSum, 2, 2, "exclusive reverse"},
};

ArrayRef<Operator> operatorsOfSorting() { return sortingOperators; }

} // namespace dlc::onnx
