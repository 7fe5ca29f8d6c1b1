//===- Graph.cpp - the names of a graph: inputs, outputs, order of nodes
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Importer.h"
#include "frontends/onnx/Messages.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace dlc::onnx {

void Importer::declareInitializers(const ::onnx::GraphProto &graph) {
  for (const ::onnx::TensorProto &tensor : graph.initializer()) {
    auto [entry, isNew] = values.try_emplace(tensor.name());
    if (!isNew) {
      addReason("the initializer '" + tensor.name() + "' is there twice");
      continue;
    }
    llvm::Expected<HostTensor> content = readTensor(tensor, folder, &context);
    GraphValue &value = entry->second;
    value.initializer = true;
    if (content)
      value.constant = std::make_shared<const HostTensor>(std::move(*content));
    else
      value.reason = llvm::toString(content.takeError());
  }
  for (const ::onnx::SparseTensorProto &tensor : graph.sparse_initializer())
    values[tensor.values().name()].reason = "sparse initializers are not supported";
}

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

void Importer::declareInputs() {
  std::vector<const ::onnx::ValueInfoProto *> inputs;
  for (const ::onnx::ValueInfoProto &input : model.graph().input()) {
    GraphValue *initializer = find(input.name());
    if (!initializer)
      inputs.push_back(&input);
    else if (!initializer->initializer)
      addReason("input '" + input.name() + "' is there twice");
    if (!initializer)
      values[input.name()].failed = true; // until it is declared
  }
  std::vector<frontend::InputDims> dims;
  for (const ::onnx::ValueInfoProto *input : inputs)
    dims.push_back(dimsOf(*input));
  dimNames.findBatch(dims);
  for (const ::onnx::ValueInfoProto *input : inputs) {
    std::string where = "input '" + input->name() + "'";
    Type element = elementTypeOf(input->type().tensor_type().elem_type(), &context);
    if (!input->type().has_tensor_type()) {
      addReason(where + ": " + kindOf(input->type()) + " are not supported");
      continue;
    }
    if (!element) {
      addUnreadable(unsupportedType(input->type().tensor_type().elem_type()), where);
      continue;
    }
    if (!input->type().tensor_type().has_shape()) {
      addReason(where + " has no shape");
      continue;
    }
    if (Value value = declareInput(dimsOf(*input), element))
      values[input->name()] = valueOf(value);
  }
  declareDims(!inputs.empty(), "model with a symbolic batch");
}

/// What is stored in 16 bits is computed in 32.
void Importer::remarkOnNarrowFloats() {
  const ::onnx::GraphProto &graph = model.graph();
  for (auto type : {::onnx::TensorProto::FLOAT16, ::onnx::TensorProto::BFLOAT16}) {
    std::string places; // whose arrays are wider than the file says
    bool isThere = llvm::any_of(
        graph.initializer(), [&](const ::onnx::TensorProto &tensor) { return tensor.data_type() == type; });
    auto add = [&](StringRef kind, const ::onnx::ValueInfoProto &info) {
      const GraphValue *known = find(info.name());
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
      remarks[{"", "tensors of type " + dataTypeName(type) + " are read as float32 and computed in float32" +
                       (places.empty() ? "" : "; the arrays of " + places + " hold float32, too")}];
  }
}

/// What a graph in an attribute reads of the graphs around it. Branches of If have no inputs of their own;
/// some programs list there what the branch reads.
static void addOuterNames(const ::onnx::GraphProto &graph, bool isBranch, std::vector<std::string> &names);

/// All names that a node reads.
static std::vector<std::string> namesRead(const ::onnx::NodeProto &node) {
  std::vector<std::string> names(node.input().begin(), node.input().end());
  for (const ::onnx::AttributeProto &attribute : node.attribute())
    if (attribute.has_g())
      addOuterNames(attribute.g(), node.op_type() == "If", names);
  return names;
}

static void addOuterNames(const ::onnx::GraphProto &graph, bool isBranch, std::vector<std::string> &names) {
  llvm::StringSet<> inner;
  for (const ::onnx::ValueInfoProto &input : graph.input())
    if (!isBranch)
      inner.insert(input.name());
  for (const ::onnx::TensorProto &tensor : graph.initializer())
    inner.insert(tensor.name());
  for (const ::onnx::NodeProto &node : graph.node())
    inner.insert(node.output().begin(), node.output().end());
  auto add = [&](const std::string &name) {
    if (!inner.contains(name))
      names.push_back(name);
  };
  for (const ::onnx::NodeProto &node : graph.node())
    llvm::for_each(namesRead(node), add);
  for (const ::onnx::ValueInfoProto &output : graph.output())
    add(output.name());
}

std::vector<const ::onnx::NodeProto *> Importer::sortNodes(const ::onnx::GraphProto &graph) {
  llvm::StringMap<const ::onnx::NodeProto *> producers;
  for (const ::onnx::NodeProto &node : graph.node())
    for (const std::string &output : node.output())
      if (!output.empty() && (!producers.try_emplace(output, &node).second || find(output)))
        addReason(describe(node) + ": '" + output + "' has another producer already");

  std::vector<const ::onnx::NodeProto *> sorted;
  enum class State { Open, Done };
  llvm::DenseMap<const ::onnx::NodeProto *, State> states;
  // Depth first from the outputs, with a stack of our own: graphs can be deep.
  struct Visit {
    const ::onnx::NodeProto *node;
    std::vector<std::string> names;
    size_t next = 0;
  };
  std::vector<Visit> stack;
  auto visit = [&](const std::string &name, const Twine &reader) {
    if (name.empty() || find(name))
      return;
    auto found = producers.find(name);
    if (found == producers.end()) {
      addReason(reader + ": reads '" + name + "', which nothing produces");
      values[name].failed = true;
      return;
    }
    auto [state, isNew] = states.try_emplace(found->second, State::Open);
    if (isNew)
      stack.push_back({found->second, namesRead(*found->second)});
    else if (state->second == State::Open)
      addReason(reader + ": reads '" + name + "', which depends on it: the graph has a loop");
  };
  for (const ::onnx::ValueInfoProto &output : graph.output()) {
    visit(output.name(), "output '" + output.name() + "'");
    while (!stack.empty()) {
      Visit &last = stack.back();
      if (last.next < last.names.size()) {
        std::string name = last.names[last.next++];
        visit(name, describe(*last.node));
      } else {
        states[last.node] = State::Done;
        sorted.push_back(last.node);
        stack.pop_back();
      }
    }
  }
  return sorted;
}

void Importer::writeOutputs() {
  llvm::StringSet<> written;
  if (model.graph().output_size() == 0)
    addReason("the model has no output");
  for (const ::onnx::ValueInfoProto &output : model.graph().output()) {
    std::string where = "output '" + output.name() + "'";
    GraphValue *graphValue = find(output.name());
    if (!written.insert(output.name()).second) {
      addReason(where + " is there twice");
      continue;
    }
    if (graphValue && graphValue->failed)
      continue; // told already
    if (!graphValue || !graphValue->reason.empty()) {
      addReason(where + ": " + (graphValue ? graphValue->reason : "nothing produces it"));
      continue;
    }
    body.setLoc(locationOf(output.name()));
    Value value = materialize(output.name(), *graphValue);
    if (!value)
      continue;
    int32_t declared = output.type().tensor_type().elem_type();
    if (graphValue->quantized)
      value = quantizedOutput(output, *graphValue);
    Type element = nn::elementTypeOf(value);
    if (!graphValue->quantized && declared != 0 && elementTypeOf(declared, &context) != element) {
      addReason(where + " is declared as " + dataTypeName(declared) + ", but its values are " +
                typeName(element));
      continue;
    }
    writeOutput(output.name(), value);
  }
}

} // namespace dlc::onnx
