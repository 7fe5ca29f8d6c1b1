//===- NodeWalk.cpp - the import of a graph's nodes ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/NodeWalk.h"
#include "frontends/onnx/Fold.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/Node.h"
#include "frontends/onnx/NodeOrder.h"
#include "frontends/onnx/NodeProtos.h"
#include "frontends/onnx/OperatorTables.h"
#include "frontends/onnx/Quantized.h"

using namespace mlir;

namespace dlc::onnx {

std::vector<const ::onnx::NodeProto *> NodeWalk::importNodes(::onnx::GraphProto &graph) {
  std::vector<const ::onnx::NodeProto *> nodes = sortNodes(graph, names, diagnostics);
  trainable.addPositions(findPositions(nodes, GraphIndex(graph)));
  customNodes.findParameters(nodes, trainable);
  for (const ::onnx::NodeProto *node : nodes)
    importNode(*node);
  return nodes;
}

void NodeWalk::importNode(const ::onnx::NodeProto &proto) {
  diagnostics.currentNode = describe(proto);
  unsigned before = diagnostics.errors();
  Operation *custom = customNodes.find(proto);
  const Operator *version = custom ? nullptr : findVersion(proto);
  bool isKnown = custom ? customNodes.check(proto, custom) : version && checkNode(proto, *version);
  bool isReady = areInputsReady(proto);
  if (isKnown && isReady && mayReadQuantized(proto, names, diagnostics)) {
    services.program.body.setLoc(services.program.locationOf(nameOf(proto)));
    Node node(services, proto, version ? version->since : 1);
    if (custom)
      customNodes.import(node, custom);
    else if (!foldDims(node, proto.op_type()))
      version->import(node);
    passQuantized(proto, names);
  }
  bool hasErrors = diagnostics.errors() != before;
  finishOutputs(proto, isKnown && isReady && !hasErrors);
  if (!hasErrors)
    for (const std::string &output : proto.output())
      services.declaredShapes.check(output, names, diagnostics);
}

/// Whether all that the node reads is there; says of what cannot be read why not.
bool NodeWalk::areInputsReady(const ::onnx::NodeProto &proto) {
  bool ready = true;
  for (const std::string &input : proto.input()) {
    const GraphValue *value = input.empty() ? nullptr : names.find(input);
    if (value && !value->parts.empty() && proto.op_type() == "SequenceAt")
      continue;
    if (value && !value->failed && !value->reason.empty()) {
      if (value->initializer)
        diagnostics.addUnreadable(value->reason, "'" + input + "'");
      else
        diagnostics.addNodeReason("tensor '" + input + "': " + value->reason);
    }
    ready &= input.empty() || (value && !value->failed && value->reason.empty());
  }
  return ready;
}

void NodeWalk::finishOutputs(const ::onnx::NodeProto &proto, bool isImported) {
  for (const std::string &output : proto.output()) {
    if (output.empty() || names.isAlias(output))
      continue;
    GraphValue &value = names[output];
    // An output that no operator gave is told where it is read.
    if (!isImported)
      value.failed = true;
    else if (!value.value && !value.constant && !value.dims && value.parts.empty())
      value.reason = "dlc does not compute this output of " + diagnostics.currentNode;
  }
}

//===-- Operators --------------------------------------------------------------------===//

/// What to do about an operator that cannot be supported; "" where nothing is known.
static StringRef adviceOn(StringRef op) {
  if (op == "NonZero")
    return ": how many elements its result has depends on the data, and a compiled program has fixed sizes; "
           "exporters write it for indexing by a mask (x[mask]), for which torch.where or a product with the "
           "mask keeps the size, and for layers of graphs that change the edges: there give "
           "add_self_loops=False (of torch_geometric's GCNConv, GATConv) and put the loops into the edges "
           "that are passed in";
  return "";
}

const Operator *NodeWalk::findVersion(const ::onnx::NodeProto &proto) {
  bool known = false;
  std::string full = fullName(proto);
  const Operator *version = findOperator(full, services.opset, known);
  if (!version)
    diagnostics.addUnsupported("operator " + full + " is not supported" +
                                   (known ? " in opset " + std::to_string(services.opset)
                                    : full == proto.op_type()
                                        ? adviceOn(full).str()
                                        : "; --custom-ops=FILE can name code of yours for it"),
                               "'" + nameOf(proto).str() + "'");
  return version;
}

/// Whether the node has the inputs and attributes of the operator; reports where not.
bool NodeWalk::checkNode(const ::onnx::NodeProto &proto, const Operator &version) {
  unsigned before = diagnostics.errors();
  int given = proto.input_size(); // those at the end may be left out by empty names
  while (given > 0 && proto.input(given - 1).empty())
    --given;
  if (given > version.maxInputs)
    diagnostics.addNodeReason("expects at most " + Twine(version.maxInputs) + " inputs, got " + Twine(given));
  for (int i = 0; i < version.requiredInputs; ++i)
    if (i >= proto.input_size() || proto.input(i).empty())
      diagnostics.addNodeReason("input " + Twine(i) + " is missing");
  if (proto.output_size() == 0)
    diagnostics.addNodeReason("has no output");
  SmallVector<StringRef> attributes;
  if (proto.attribute_size() > 0)
    StringRef(version.attributes).split(attributes, ' ');
  for (const auto &attribute : proto.attribute())
    if (!llvm::is_contained(attributes, StringRef(attribute.name())))
      diagnostics.addNodeReason("attribute '" + attribute.name() + "' is not supported");
  return diagnostics.errors() == before;
}

} // namespace dlc::onnx
