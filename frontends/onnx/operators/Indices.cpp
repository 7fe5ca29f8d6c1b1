//===- Indices.cpp - ONNX operators of the family Shape: elements at given indices
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Indices.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

static void gatherElements(Node &node) {
  if (std::optional<int64_t> axis = axisOfElements(node))
    node.give(0, gatherElements(node, node.value(0), indicesOf(node), *axis));
}

/// Elements or slices at positions along the dims after the batch's.
static void gatherNd(Node &node) {
  Rows rows = rowsAt(node, node.integer("batch_dims", 0));
  if (rows.places)
    node.give(0, node.make<nn::GatherOp>({node.reshape(node.value(0), rows.joined), rows.places},
                                         node.attr("axis", int64_t(0))));
}

static const Operator indicesOperators[] = {
    {"GatherElements", 11, gatherElements, 2, 2, "axis"},
    {"GatherND", 11, gatherNd, 2, 2, ""},
    {"GatherND", 12, gatherNd, 2, 2, "batch_dims"},
};

ArrayRef<Operator> operatorsOfIndices() { return indicesOperators; }

} // namespace dlc::onnx
