//===- Quantized.cpp - integers that float numbers stand for ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Quantized.h"
#include "frontends/onnx/Messages.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace dlc::onnx {

/// The type of the integers that the node reads; null where it reads none.
static IntegerType quantizedInput(const ::onnx::NodeProto &node, const GraphNames &names) {
  for (const std::string &input : node.input())
    if (const GraphValue *value = input.empty() ? nullptr : names.find(input); value && value->quantized)
      return value->quantized;
  return {};
}

/// Whether all results of the operator consist of elements of its operands.
static bool movesElements(StringRef op) {
  return llvm::StringSwitch<bool>(op)
      .Cases({"Concat", "DepthToSpace", "Expand", "Flatten", "Gather", "GatherElements", "GatherND",
              "Identity", "MaxPool", "Reshape", "Slice", "SpaceToDepth", "Split", "Squeeze", "Tile",
              "Transpose", "Unsqueeze"},
             true)
      .Default(false);
}

bool mayReadQuantized(const ::onnx::NodeProto &node, const GraphNames &names,
                      frontend::Diagnostics &diagnostics) {
  IntegerType type = quantizedInput(node, names);
  StringRef op = node.op_type();
  if (!type || movesElements(op) || op == "DequantizeLinear" || op == "Shape" || op == "Size")
    return true;
  diagnostics.addNodeReason(
      "reads integers that QuantizeLinear made; only DequantizeLinear and operators that "
      "move elements may");
  return false;
}

void passQuantized(const ::onnx::NodeProto &node, GraphNames &names) {
  IntegerType type = quantizedInput(node, names);
  if (!type || !movesElements(node.op_type()))
    return;
  for (const std::string &output : node.output())
    if (!output.empty() && !names.isAlias(output))
      names[output].quantized = type;
}

} // namespace dlc::onnx
