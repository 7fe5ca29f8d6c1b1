//===- Inline.cpp - graphs within the graph -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/pt2/Inline.h"

using namespace llvm;

namespace dlc::pt2 {

namespace {
/// Names within a graph as they are called outside.
class Renaming {
public:
  Renaming(std::string prefix) : prefix(std::move(prefix)) {}
  void set(const std::string &inside, const Argument &outside) { known[inside] = outside.text; }
  std::string of(const std::string &name) const {
    auto found = known.find(name);
    return name.empty() ? "" : found == known.end() ? prefix + name : found->second;
  }
  void apply(Argument &argument) const {
    using Kind = Argument::Kind;
    if (argument.kind == Kind::Tensor || argument.kind == Kind::SymInt || argument.kind == Kind::SymNumber)
      argument.text = of(argument.text);
    for (Element &element : argument.elements)
      element.name = of(element.name);
  }

private:
  std::string prefix;
  StringMap<std::string> known;
};
} // namespace

/// Whether the node is `set_grad_enabled` of a graph whose inputs are given by name.
static bool canBeInlined(const NodeInfo &node) {
  using Kind = Argument::Kind;
  if (node.target != "torch.ops.higher_order.wrap_with_set_grad_enabled" || node.inputs.size() < 2 ||
      node.inputs[0].value.kind != Kind::Bool || node.inputs[1].value.kind != Kind::Graph)
    return false;
  const Graph &inside = *node.inputs[1].value.graph;
  if (inside.inputs.size() + 2 != node.inputs.size())
    return false;
  for (auto [inner, outer] : zip_equal(inside.inputs, drop_begin(node.inputs, 2)))
    if (inner.text.empty() || outer.value.text.empty())
      return false;
  return true;
}

/// The node's results by name, in order.
static std::vector<std::string> resultsOf(const NodeInfo &node) {
  std::vector<std::string> names;
  for (const Argument &output : node.outputs) {
    if (output.kind != Argument::Kind::Tensors)
      names.push_back(output.text);
    for (const Element &element : output.elements)
      names.push_back(element.name);
  }
  return names;
}

static void append(const NodeInfo &node, Graph &graph, std::vector<NodeInfo> &nodes) {
  Graph inside = *node.inputs[1].value.graph;
  inlineGradModes(inside);
  Renaming renaming(node.name + ".");
  for (auto [inner, outer] : zip_equal(inside.inputs, drop_begin(node.inputs, 2)))
    renaming.set(inner.text, outer.value);
  for (NodeInfo &each : inside.nodes) {
    each.name = node.name + "." + each.name;
    for (NamedArgument &argument : each.inputs)
      renaming.apply(argument.value);
    for (Argument &output : each.outputs)
      renaming.apply(output);
    nodes.push_back(std::move(each));
  }
  for (const auto &tensor : inside.tensors)
    graph.tensors.try_emplace(renaming.of(tensor.first().str()), tensor.second);
  bool hasGradients = node.inputs[0].value.integer != 0;
  for (auto [inner, outer] : zip(inside.outputs, resultsOf(node))) {
    NodeInfo result;
    result.target = hasGradients ? "torch.ops.aten.alias.default" : "torch.ops.aten.detach.default";
    result.name = outer;
    result.stackTrace = node.stackTrace;
    result.inputs.push_back({"self", inner});
    renaming.apply(result.inputs.back().value);
    result.outputs.emplace_back();
    result.outputs.back().kind = Argument::Kind::Tensor;
    result.outputs.back().text = outer;
    nodes.push_back(std::move(result));
  }
}

void inlineGradModes(Graph &graph) {
  std::vector<NodeInfo> nodes;
  for (NodeInfo &node : graph.nodes) {
    if (canBeInlined(node))
      append(node, graph, nodes);
    else
      nodes.push_back(std::move(node));
  }
  graph.nodes = std::move(nodes);
}

} // namespace dlc::pt2
