//===- Bodies.cpp - graphs in attributes ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The branches of an If and the bodies of Loop and Scan become nodes of the graph around them, a body once
// for each time that it runs. Initializers inside are there once.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Importer.h"
#include "frontends/onnx/Messages.h"
#include "llvm/Support/SaveAndRestore.h"

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
    for (::onnx::AttributeProto &attribute : *node.mutable_attribute()) {
      if (!attribute.has_g())
        continue;
      Names outer = names; // its own inputs may be called as something outside
      if (node.op_type() != "If")
        for (const ::onnx::ValueInfoProto &input : attribute.g().input())
          outer.erase(input.name());
      rename(*attribute.mutable_g(), outer);
    }
  }
}

std::string Importer::freeName(StringRef name) {
  std::string other = name.str();
  while (find(other) || !modelNames.insert(other).second)
    other = (name + "_" + Twine(++lastSuffixes[name])).str();
  return other;
}

void Importer::declareInside(::onnx::GraphProto &graph) {
  Names names;
  for (const ::onnx::TensorProto &tensor : graph.initializer())
    names[tensor.name()] = freeName(tensor.name());
  rename(graph, names);
  declareInitializers(graph);
  for (::onnx::NodeProto &node : *graph.mutable_node())
    for (::onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g()) {
        declareInside(*attribute.mutable_g());
        attribute.mutable_g()->clear_initializer(); // known by name from here on
      }
}

std::vector<std::string> Importer::importBody(const ::onnx::GraphProto &body, ArrayRef<std::string> inputs,
                                              bool mayNotCount) {
  ::onnx::GraphProto graph = body;
  Names names;
  for (auto [input, name] : llvm::zip(graph.input(), inputs))
    names[input.name()] = name;
  // Another branch, the same body before or a graph around may use a name; in one graph each has one value.
  for (const ::onnx::NodeProto &node : graph.node())
    for (const std::string &output : node.output())
      if (!output.empty())
        names[output] = freeName(output);
  rename(graph, names);
  bodyNodes += graph.node_size();
  std::string node = currentNode;
  Location location = this->body.getLoc();
  llvm::SaveAndRestore<bool> here(isInBodyThatMayNotCount, isInBodyThatMayNotCount || mayNotCount);
  importNodes(graph);
  currentNode = node;
  this->body.setLoc(location);
  std::vector<std::string> results;
  for (const ::onnx::ValueInfoProto &output : graph.output())
    results.push_back(output.name());
  return results;
}

} // namespace dlc::onnx
