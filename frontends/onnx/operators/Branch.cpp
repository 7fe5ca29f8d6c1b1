//===- Branch.cpp - ONNX operator If: graphs in attributes
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exporters write If for questions that the shapes answer. The nodes of the branch that is taken become nodes
// of the graph around it. Where the condition is known only when the program runs, both branches are
// computed, and each result is selected.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Importer.h"
#include "frontends/onnx/Messages.h"

using namespace mlir;

namespace dlc::onnx {

using Names = llvm::StringMap<std::string>; // new ones by old ones

static void rename(::onnx::GraphProto &graph, const Names &names) {
  auto apply = [&](std::string *name) {
    if (auto found = names.find(*name); found != names.end())
      *name = found->second;
  };
  for (::onnx::TensorProto &tensor : *graph.mutable_initializer())
    apply(tensor.mutable_name());
  for (::onnx::ValueInfoProto &output : *graph.mutable_output())
    apply(output.mutable_name());
  for (::onnx::NodeProto &node : *graph.mutable_node()) {
    for (std::string &name : *node.mutable_input())
      apply(&name);
    for (std::string &name : *node.mutable_output())
      apply(&name);
    for (::onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g())
        rename(*attribute.mutable_g(), names);
  }
}

/// Branches may use the same names; in one graph each name has one value.
void Importer::renameTaken(::onnx::GraphProto &branch) {
  Names names;
  auto add = [&](const std::string &name) {
    if (name.empty() || !find(name))
      return;
    std::string other = name;
    do
      other = name + "_" + std::to_string(++lastSuffixes[name]);
    while (modelNames.contains(other));
    modelNames.insert(other);
    names[name] = other;
  };
  for (const ::onnx::TensorProto &tensor : branch.initializer())
    add(tensor.name());
  for (const ::onnx::NodeProto &node : branch.node())
    for (const std::string &output : node.output())
      add(output);
  rename(branch, names);
}

std::vector<std::string> Importer::importBranch(const ::onnx::GraphProto &branch) {
  ::onnx::GraphProto graph = branch;
  renameTaken(graph);
  std::string node = currentNode;
  Location location = body.getLoc();
  declareInitializers(graph);
  for (const ::onnx::TensorProto &tensor : graph.initializer())
    modelNames.insert(tensor.name());
  importNodes(graph);
  currentNode = node;
  body.setLoc(location);
  std::vector<std::string> results;
  for (const ::onnx::ValueInfoProto &output : graph.output())
    results.push_back(output.name());
  return results;
}

/// What both branches give, selected by the condition.
static void selectResults(Node &node) {
  auto taken = node.importBranch("then_branch"), other = node.importBranch("else_branch");
  if (!taken || !other)
    return;
  Value condition = node.reshape(node.value(0), {});
  for (int i = 0; i < node.outputCount(); ++i) {
    if (i >= int(taken->size()) || i >= int(other->size()))
      return node.error("has " + Twine(node.outputCount()) + " outputs, its branches have " +
                        Twine(taken->size()) + " and " + Twine(other->size()));
    Value a = node.valueOf((*taken)[i]), b = node.valueOf((*other)[i]);
    if (!a || !b)
      return; // told at their nodes
    if (a.getType() != b.getType())
      return node.error(
          "output " + Twine(i) + ": the condition '" + node.inputName(0) +
          "' is computed or an input, so both branches must give the same shape and type, got " +
          nn::str(nn::shapeOf(a)) + " of " + typeName(nn::elementTypeOf(a)) + " and " +
          nn::str(nn::shapeOf(b)) + " of " + typeName(nn::elementTypeOf(b)));
    node.give(i, node.make<nn::SelectOp>({condition, a, b}));
  }
}

static void branch(Node &node) {
  nn::Shape shape = node.shape(0);
  if (!node.elementType(0).isInteger(1) || nn::elementCount(shape) != nn::Dim(1))
    return node.error("expects one truth value as condition, got shape " + nn::str(shape) + " of " +
                      typeName(node.elementType(0)));
  const HostTensor *known = node.constant(0);
  if (!known)
    return selectResults(node);
  auto results = node.importBranch(known->integer(0) ? "then_branch" : "else_branch");
  if (!results)
    return;
  if (int(results->size()) != node.outputCount())
    return node.error("has " + Twine(node.outputCount()) + " outputs, its branch has " +
                      Twine(results->size()));
  for (auto [i, name] : llvm::enumerate(*results))
    node.giveName(int(i), name);
}

static const Operator operators[] = {
    {"If", 1, branch, 1, 1, "then_branch else_branch"},
};

ArrayRef<Operator> operatorsOfBranch() { return operators; }

} // namespace dlc::onnx
