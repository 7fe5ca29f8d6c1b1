//===- Bodies.cpp - graphs in attributes ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Bodies.h"
#include "frontends/onnx/Messages.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace dlc::onnx {

using NewNames = llvm::StringMap<std::string>; // by old ones

static void rename(::onnx::GraphProto &graph, const NewNames &newNames) {
  auto apply = [&](std::string *name) {
    if (auto found = newNames.find(*name); found != newNames.end())
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
      NewNames outer = newNames; // its own inputs may be called as something outside
      if (node.op_type() != "If")
        for (const ::onnx::ValueInfoProto &input : attribute.g().input())
          outer.erase(input.name());
      rename(*attribute.mutable_g(), outer);
    }
  }
}

void Bodies::declare(::onnx::GraphProto &graph) {
  NewNames newNames;
  for (const ::onnx::TensorProto &tensor : graph.initializer())
    newNames[tensor.name()] = names.freeName(tensor.name());
  rename(graph, newNames);
  names.readInitializers(graph);
  for (::onnx::NodeProto &node : *graph.mutable_node())
    for (::onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g()) {
        declare(*attribute.mutable_g());
        attribute.mutable_g()->clear_initializer(); // known by name from here on
      }
}

std::vector<std::string> Bodies::import(const ::onnx::GraphProto &body, ArrayRef<std::string> inputs,
                                        bool mayNotCount) {
  ::onnx::GraphProto graph = body;
  NewNames newNames;
  for (auto [input, name] : llvm::zip(graph.input(), inputs))
    newNames[input.name()] = name;
  // Another branch, the same body before or a graph around may use a name; in one graph each has one value.
  for (const ::onnx::NodeProto &node : graph.node())
    for (const std::string &output : node.output())
      if (!output.empty())
        newNames[output] = names.freeName(output);
  rename(graph, newNames);
  imported += graph.node_size();
  std::string node = diagnostics.currentNode;
  Location location = program.body.getLoc();
  llvm::SaveAndRestore<bool> here(isInBodyThatMayNotCount, isInBodyThatMayNotCount || mayNotCount);
  importNodes(graph);
  diagnostics.currentNode = node;
  program.body.setLoc(location);
  std::vector<std::string> results;
  for (const ::onnx::ValueInfoProto &output : graph.output())
    results.push_back(output.name());
  return results;
}

} // namespace dlc::onnx
