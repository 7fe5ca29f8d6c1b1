//===- Weights.cpp - which constants are weights
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some exporters write weights as Constant nodes, or as ConstantOfShape. What a constant is for shows
// in the place where it is used.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Importer.h"
#include "frontends/onnx/Messages.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace dlc::onnx {

/// The first weight input and how many follow.
static std::pair<int, int> weightInputs(StringRef op) {
  return llvm::StringSwitch<std::pair<int, int>>(op)
      .Case("MatMul", {0, 2})
      .Case("Gemm", {0, 3})
      .Case("Add", {0, 2})
      .Case("BatchNormalization", {1, 2})
      .Case("LayerNormalization", {1, 2})
      .Cases({"PRelu", "RMSNormalization"}, {1, 1})
      .Default({0, 0});
}

static bool isView(StringRef op) {
  return llvm::StringSwitch<bool>(op)
      .Cases({"Transpose", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity", "Cast", "Expand"}, true)
      .Default(false);
}

llvm::StringSet<> findWeightPositions(ArrayRef<const ::onnx::NodeProto *> nodes) {
  llvm::StringSet<> positions;
  // Consumers first, so that a view knows what its result is for.
  for (const ::onnx::NodeProto *node : llvm::reverse(nodes)) {
    auto [first, count] = weightInputs(node->op_type());
    for (int i = first; i < std::min(first + count, node->input_size()); ++i)
      positions.insert(node->input(i));
    if (isView(node->op_type()) && node->input_size() > 0 && node->output_size() > 0 &&
        positions.contains(node->output(0)))
      positions.insert(node->input(0));
  }
  return positions;
}

} // namespace dlc::onnx
