//===- NodeOrder.cpp - the nodes of a graph, producers first ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/NodeOrder.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/NodeProtos.h"

using namespace mlir;

namespace dlc::onnx {

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

std::vector<const ::onnx::NodeProto *> sortNodes(const ::onnx::GraphProto &graph, GraphNames &names,
                                                 frontend::Diagnostics &diagnostics) {
  llvm::StringMap<const ::onnx::NodeProto *> producers;
  for (const ::onnx::NodeProto &node : graph.node())
    for (const std::string &output : node.output())
      if (!output.empty() && (!producers.try_emplace(output, &node).second || names.find(output)))
        diagnostics.addReason(describe(node) + ": '" + output + "' has another producer already");

  std::vector<const ::onnx::NodeProto *> sorted;
  enum class State { Open, Done };
  llvm::DenseMap<const ::onnx::NodeProto *, State> states;
  // Depth first from the outputs, with a stack of our own: graphs can be deep.
  struct Visit {
    const ::onnx::NodeProto *node;
    std::vector<std::string> inputs;
    size_t next = 0;
  };
  std::vector<Visit> stack;
  auto visit = [&](const std::string &name, const Twine &reader) {
    if (name.empty() || names.find(name))
      return;
    auto found = producers.find(name);
    if (found == producers.end()) {
      diagnostics.addReason(reader + ": reads '" + name + "', which nothing produces");
      names[name].failed = true;
      return;
    }
    auto [state, isNew] = states.try_emplace(found->second, State::Open);
    if (isNew)
      stack.push_back({found->second, namesRead(*found->second)});
    else if (state->second == State::Open)
      diagnostics.addReason(reader + ": reads '" + name + "', which depends on it: the graph has a loop");
  };
  for (const ::onnx::ValueInfoProto &output : graph.output()) {
    visit(output.name(), "output '" + output.name() + "'");
    while (!stack.empty()) {
      Visit &last = stack.back();
      if (last.next < last.inputs.size()) {
        std::string name = last.inputs[last.next++];
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

} // namespace dlc::onnx
