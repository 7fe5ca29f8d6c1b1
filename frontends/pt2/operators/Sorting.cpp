//===- Sorting.cpp - ATen operators that order and add up ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Sorting.h"
#include "frontends/pt2/Node.h"
#include "frontends/pt2/OperatorTables.h"

using namespace mlir;

namespace dlc::pt2 {

/// A dim of known size up to `most`; nullopt after an error.
static std::optional<int64_t> knownDim(Node &node, int64_t fallback, int64_t most) {
  nn::Shape shape = node.shape("self");
  std::optional<int64_t> dim = node.dim("dim", fallback, shape.size());
  if (!dim || shape.empty())
    return std::nullopt;
  if (shape[*dim].isStatic() && shape[*dim].factor <= most)
    return dim;
  node.error("expects a known size of at most " + Twine(most) + " along dim " + Twine(*dim) + ", got shape " +
             nn::str(shape));
  return std::nullopt;
}

static void giveInOrder(Node &node, int64_t dim, int64_t count, bool largest) {
  auto [elements, places] = frontend::elementsInOrder(node, node.value("self"), dim, count, largest);
  node.give(0, elements);
  node.give(1, places);
}

static void topK(Node &node) {
  std::optional<int64_t> dim = knownDim(node, -1, frontend::maxSorted);
  int64_t k = node.integer("k", 1);
  if (!dim)
    return;
  if (k < 0 || k > node.shape("self")[*dim].factor)
    return node.error("k must be from 0 to the size of the dim, got " + Twine(k));
  giveInOrder(node, *dim, k, node.boolean("largest", true));
}

static void sort(Node &node) {
  if (std::optional<int64_t> dim = knownDim(node, -1, frontend::maxSorted))
    giveInOrder(node, *dim, node.shape("self")[*dim].factor, node.boolean("descending", false));
}

static void cumulativeSum(Node &node) {
  std::optional<int64_t> dim = knownDim(node, 0, nn::maxElements);
  if (dim)
    node.give(frontend::cumulativeSum(node, node.operand("self", node.resultType()), *dim));
}

static const Operator sortingOperators[] = {
    {"aten.topk", topK, "self k dim largest sorted"},
    {"aten.sort", sort, "self dim descending stable"},
    {"aten.cumsum", cumulativeSum, "self dim dtype"},
};

ArrayRef<Operator> operatorsOfSorting() { return sortingOperators; }

} // namespace dlc::pt2
