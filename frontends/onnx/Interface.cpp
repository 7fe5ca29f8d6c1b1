//===- Interface.cpp - what a model takes and gives ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Interface.h"
#include "frontends/onnx/Messages.h"

using namespace mlir;

namespace dlc::onnx {

//===-- Inputs -----------------------------------------------------------------------===//

/// What kind of value it is, for messages.
static std::string kindOf(const ::onnx::TypeProto &type) {
  switch (type.value_case()) {
  case ::onnx::TypeProto::kSequenceType:
    return "sequences";
  case ::onnx::TypeProto::kMapType:
    return "maps";
  case ::onnx::TypeProto::kOptionalType:
    return "optional values";
  default:
    return type.value_case() == ::onnx::TypeProto::VALUE_NOT_SET ? "values without a type" : "sparse tensors";
  }
}

static GraphValue valueOf(Value value) {
  GraphValue graphValue;
  graphValue.value = value;
  return graphValue;
}

/// Some exporters write -1 for a size that they do not know.
static frontend::InputDims dimsOf(const ::onnx::ValueInfoProto &input) {
  frontend::InputDims result{input.name(), {}};
  for (const auto &dim : input.type().tensor_type().shape().dim()) {
    bool isSymbolic = !dim.has_dim_value() || dim.dim_value() == -1;
    result.dims.push_back({isSymbolic ? 1 : dim.dim_value(), isSymbolic, dim.dim_param()});
  }
  return result;
}

void Interface::declareInputs() {
  std::vector<const ::onnx::ValueInfoProto *> inputs;
  for (const ::onnx::ValueInfoProto &input : graph.input()) {
    GraphValue *initializer = names.find(input.name());
    if (!initializer)
      inputs.push_back(&input);
    else if (!initializer->initializer)
      diagnostics.addReason("input '" + input.name() + "' is there twice");
    if (!initializer)
      names[input.name()].failed = true; // until it is declared
  }
  std::vector<frontend::InputDims> dims;
  for (const ::onnx::ValueInfoProto *input : inputs)
    dims.push_back(dimsOf(*input));
  program.dimNames.findBatch(dims);
  for (const ::onnx::ValueInfoProto *input : inputs) {
    std::string where = "input '" + input->name() + "'";
    Type element = elementTypeOf(input->type().tensor_type().elem_type(), &program.context);
    if (!input->type().has_tensor_type()) {
      diagnostics.addReason(where + ": " + kindOf(input->type()) + " are not supported");
      continue;
    }
    if (!element) {
      diagnostics.addUnreadable(unsupportedType(input->type().tensor_type().elem_type()), where);
      continue;
    }
    if (!input->type().tensor_type().has_shape()) {
      diagnostics.addReason(where + " has no shape");
      continue;
    }
    if (Value value = program.declareInput(dimsOf(*input), element))
      names[input->name()] = valueOf(value);
  }
  program.declareDims(!inputs.empty(), "model with a symbolic batch");
}

void Interface::remarkOnNarrowFloats() {
  for (auto type : {::onnx::TensorProto::FLOAT16, ::onnx::TensorProto::BFLOAT16}) {
    std::string places; // whose arrays are wider than the file says
    bool isThere = llvm::any_of(
        graph.initializer(), [&](const ::onnx::TensorProto &tensor) { return tensor.data_type() == type; });
    auto add = [&](StringRef kind, const ::onnx::ValueInfoProto &info) {
      const GraphValue *known = names.find(info.name());
      if (info.type().tensor_type().elem_type() != type || (known && known->initializer))
        return;
      isThere = true;
      places += (Twine(places.empty() ? "" : ", ") + kind + " '" + info.name() + "'").str();
    };
    for (const ::onnx::ValueInfoProto &input : graph.input())
      add("input", input);
    for (const ::onnx::ValueInfoProto &output : graph.output())
      add("output", output);
    if (isThere)
      diagnostics.remark("tensors of type " + dataTypeName(type) +
                         " are read as float32 and computed in float32" +
                         (places.empty() ? "" : "; the arrays of " + places + " hold float32, too"));
  }
}

/// What the caller gets: of integers of 8 and 16 bits, there are arrays of uint8 alone.
Value Interface::quantizedOutput(const ::onnx::ValueInfoProto &output, const GraphValue &value) {
  if (value.quantized.isUnsignedInteger(8))
    return nn::cast({program.body, value.value}, value.quantized);
  diagnostics.remark("the output '" + output.name() + "' holds integers of " +
                     std::to_string(value.quantized.getWidth()) + " bits; its array holds int32");
  return nn::cast({program.body, value.value}, program.body.getI32Type());
}

void Interface::writeOutputs(States &states) {
  llvm::StringSet<> written;
  if (graph.output_size() == 0)
    diagnostics.addReason("the model has no output");
  for (const ::onnx::ValueInfoProto &output : graph.output()) {
    std::string where = "output '" + output.name() + "'";
    GraphValue *graphValue = names.find(output.name());
    if (!written.insert(output.name()).second) {
      diagnostics.addReason(where + " is there twice");
      continue;
    }
    if (graphValue && graphValue->failed)
      continue; // told already
    if (!graphValue || !graphValue->reason.empty()) {
      diagnostics.addReason(where + ": " + (graphValue ? graphValue->reason : "nothing produces it"));
      continue;
    }
    program.body.setLoc(program.locationOf(output.name()));
    Value value = states.valueOfOutput(output.name());
    if (!value)
      continue;
    int32_t declared = output.type().tensor_type().elem_type();
    if (graphValue->quantized)
      value = quantizedOutput(output, *graphValue);
    Type element = nn::elementTypeOf(value);
    if (!graphValue->quantized && declared != 0 && elementTypeOf(declared, &program.context) != element) {
      diagnostics.addReason(where + " is declared as " + dataTypeName(declared) + ", but its values are " +
                            typeName(element));
      continue;
    }
    program.writeOutput(output.name(), value);
  }
}

} // namespace dlc::onnx
