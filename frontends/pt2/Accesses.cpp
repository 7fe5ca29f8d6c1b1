//===- Accesses.cpp - which nodes read and write which names ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/pt2/Accesses.h"
#include "frontends/pt2/OperatorTables.h"

using namespace mlir;

namespace dlc::pt2 {

Accesses::Accesses(const Model &model) {
  findLastReads(model.graph);
  findChanged(model);
}

void Accesses::findLastReads(const Graph &graph) {
  auto read = [&](const Argument &argument, size_t index) {
    if (!argument.text.empty())
      lastReads[argument.text] = index;
    for (const Element &element : argument.elements)
      if (!element.name.empty())
        lastReads[element.name] = index;
  };
  for (auto [index, node] : llvm::enumerate(graph.nodes))
    for (const NamedArgument &argument : node.inputs)
      read(argument.value, index);
  for (const Argument &output : graph.outputs)
    read(output, graph.nodes.size());
}

/// The input of a batch normalization's statistics, or of a write in place.
static bool isChangedBy(const NodeInfo &node, const NamedArgument &argument) {
  if (argument.value.kind != Argument::Kind::Tensor)
    return false;
  bool isInPlace = false;
  (void)findOperator(node.target, isInPlace);
  bool isFirst = &argument == &node.inputs.front();
  return (isInPlace && isFirst) || argument.name == "running_mean" || argument.name == "running_var";
}

/// Which inputs are written, before any is read as a constant. A buffer of integers that only its own update
/// reads, as batch normalizations have one, is left out.
void Accesses::findChanged(const Model &model) {
  const Graph &graph = model.graph;
  llvm::StringSet<> read;
  for (const NodeInfo &node : graph.nodes)
    for (const NamedArgument &argument : node.inputs) {
      if (isChangedBy(node, argument))
        changed.insert(argument.value.text);
      bool isUpdate = isChangedBy(node, argument) && node.inputs.size() == 2 && !node.outputs.empty();
      if (isUpdate && !lastReads.contains(node.outputs.front().text))
        continue;
      read.insert(argument.value.text);
      for (const Element &element : argument.value.elements)
        read.insert(element.name);
    }
  for (const Argument &output : graph.outputs)
    read.insert(output.text);
  llvm::StringMap<std::string> names;
  for (const InputSpec &spec : model.inputs) {
    auto meta = graph.tensors.find(spec.arg.text);
    bool isInteger = meta != graph.tensors.end() && meta->second.dtype == int64_t(DType::Long);
    if (spec.kind != InputSpec::Kind::Buffer)
      continue;
    names[spec.target] = spec.arg.text;
    if (isInteger && !read.contains(spec.arg.text))
      counters.insert(spec.arg.text);
  }
  for (const OutputSpec &spec : model.outputs)
    if (spec.kind == OutputSpec::Kind::BufferMutation && names.contains(spec.target))
      changed.insert(names[spec.target]);
}

} // namespace dlc::pt2
