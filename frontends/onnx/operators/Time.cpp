//===- Time.cpp - ONNX operators of the family Time ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

/// Refuses lengths outside [0, size] where they are known.
static bool checkLengths(Node &node, int64_t size) {
  const HostTensor *known = node.constant(1);
  if (!known || known->isFloat())
    return true;
  for (int64_t i = 0, count = known->count(); i < count; ++i)
    if (int64_t length = known->integer(known->splat ? 0 : i); length < 0 || length > size) {
      node.error("expects lengths from 0 to " + Twine(size) + ", got " + Twine(length));
      return false;
    }
  return true;
}

static void reverseSequence(Node &node) {
  const int64_t time = node.integer("time_axis", 0), batch = node.integer("batch_axis", 1);
  if (time < 0 || time > 1 || batch < 0 || batch > 1 || time == batch)
    return node.error("expects time_axis and batch_axis to be 0 and 1, or 1 and 0, got " + Twine(time) +
                      " and " + Twine(batch));
  nn::Shape shape = node.shape(0);
  if (shape.size() < 2)
    return node.error("expects a tensor of at least 2 dims, got " + nn::str(shape));
  if (const nn::Dim &steps = shape[time]; steps.isStatic()) {
    if (!checkLengths(node, steps.factor))
      return;
    node.limitIndices(node.value(1), 0, nn::Dim(steps.factor + 1));
  }
  node.give(0, node.make<nn::ReverseSequenceOp>({node.value(0), node.value(1)},
                                                {node.attr("time", time), node.attr("batch", batch)}));
}

static const Operator timeOperators[] = {
    {"ReverseSequence", 10, reverseSequence, 2, 2, "batch_axis time_axis"},
};
ArrayRef<Operator> operatorsOfTime() { return timeOperators; }

} // namespace dlc::onnx
