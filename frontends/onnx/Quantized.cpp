//===- Quantized.cpp - integers that float numbers stand for
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results of QuantizeLinear are float numbers in the program, so that gradients pass. Only operators that
// move elements, or choose among them, may read such a tensor: others compute with integers otherwise than
// with floats.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Importer.h"
#include "frontends/onnx/Messages.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace dlc::onnx {

IntegerType Node::quantizedType(int input) {
  return has(input) ? importer.find(inputName(input))->quantized : IntegerType();
}

void Node::giveQuantized(Value value, IntegerType type) {
  give(0, value);
  if (wants(0))
    importer.values[outputName(0)].quantized = type;
}

Value Node::parameterFromIntegers(const HostTensor &numbers) {
  StringRef name = importer.resolve(inputName(0));
  if (!importer.find(name)->initializer)
    return {};
  // Readers of one initializer have one parameter, as they would have of floats.
  std::string key = name.str();
  for (int input : {1, 2})
    key += '\0' + (has(input) ? importer.resolve(inputName(input)).str() : std::string());
  auto [entry, isNew] = importer.fromIntegers.try_emplace(key);
  if (!isNew)
    return entry->second;
  GraphValue value;
  value.constant = std::make_shared<const HostTensor>(numbers);
  value.initializer = true;
  if (importer.isTrained(name, value)) {
    entry->second = importer.declareParameter(name, value);
    remark("the initializer of integers '" + name + "' is trained as the float numbers that it stands for");
  }
  return entry->second;
}

IntegerType Importer::quantizedInput(const ::onnx::NodeProto &proto) {
  for (const std::string &input : proto.input())
    if (GraphValue *value = input.empty() ? nullptr : find(input); value && value->quantized)
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

bool Importer::mayReadQuantized(const ::onnx::NodeProto &proto) {
  IntegerType type = quantizedInput(proto);
  StringRef op = proto.op_type();
  if (!type || movesElements(op) || op == "DequantizeLinear" || op == "Shape" || op == "Size")
    return true;
  addReason(currentNode +
            ": reads integers that QuantizeLinear made; only DequantizeLinear and operators that "
            "move elements may");
  return false;
}

void Importer::passQuantized(const ::onnx::NodeProto &proto) {
  IntegerType type = quantizedInput(proto);
  if (!type || !movesElements(proto.op_type()))
    return;
  for (const std::string &output : proto.output())
    if (!output.empty() && !aliases.count(output))
      values[output].quantized = type;
}

/// What the caller gets: of integers of 8 and 16 bits, there are arrays of uint8 alone.
Value Importer::quantizedOutput(const ::onnx::ValueInfoProto &output, const GraphValue &value) {
  if (value.quantized.isUnsignedInteger(8))
    return nn::cast({body, value.value}, value.quantized);
  remarks[{"", "the output '" + output.name() + "' holds integers of " +
                   std::to_string(value.quantized.getWidth()) + " bits; its array holds int32"}];
  return nn::cast({body, value.value}, body.getI32Type());
}

} // namespace dlc::onnx
