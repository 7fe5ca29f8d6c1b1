//===- Importer.cpp - from messages to a train program
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Importer.h"
#include "frontends/common/CustomOps.h"
#include "frontends/onnx/Messages.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace dlc::onnx {

StringRef nameOf(const ::onnx::NodeProto &node) {
  return node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
}

std::string describe(const ::onnx::NodeProto &node) {
  return ("node '" + nameOf(node) + "' (" + node.op_type() + ")").str();
}

Importer::Importer(::onnx::ModelProto &model, StringRef path, const ImportOptions &options, bool checking,
                   MLIRContext &context)
    : ProgramImporter(path, options, checking, context), model(model), record(model),
      folder(llvm::sys::path::parent_path(path)), onnxOptions(options) {}

/// Several nodes may read one tensor.
void Importer::addUnreadable(const std::string &reason, const std::string &tensor) {
  if (unreadableNames.insert(tensor).second)
    unreadable[reason].push_back(tensor);
}

void Importer::importGraph() {
  readOpset();
  if (!readCustomOps())
    return;
  declareInitializers(model.graph());
  recognizeBags();
  joinCopies();
  untie();
  recognizeDropout();
  collectNames();
  declareInputs();
  remarkOnNarrowFloats();
  readDeclaredShapes();
  importNodes(*model.mutable_graph());
  currentNode.clear();
  tellOfStates();
  tellOfDropout();
  writeOutputs();
  if (onnxOptions.runningVariance && forward.getOps<train::BatchNormOp>().empty())
    warnings.push_back("--running-variance has no effect: the model has no batch normalization that keeps "
                       "statistics");
  for (const auto &[reason, tensors] : unreadable)
    addReason(reason + ": " + (tensors.size() == 1 ? "" : std::to_string(tensors.size()) + " of them: ") +
              frontend::listOf(tensors));
}

void Importer::finish() {
  if (!onnxOptions.customOps.empty() && !frontend::dropUnusedCustomOps(program))
    warnings.push_back("--custom-ops has no effect: the model has no node of the operations in '" +
                       onnxOptions.customOps + "'");
  checkTrained();
}

void Importer::readOpset() {
  opset = -1;
  for (const auto &import : model.opset_import())
    if (import.domain().empty() || import.domain() == "ai.onnx")
      opset = import.version();
  if (opset >= minOpset && opset <= maxOpset)
    return;
  addReason(opset < 0 ? "the model does not say its opset of the domain ai.onnx"
                      : "opset " + std::to_string(opset) + " is not supported: dlc reads opsets " +
                            std::to_string(minOpset) + " to " + std::to_string(maxOpset));
  opset =
      opset >= 0 && opset < minOpset ? minOpset : maxOpset; // what else is wrong shows with the nearest one
}

void Importer::importNodes(::onnx::GraphProto &graph) {
  std::vector<const ::onnx::NodeProto *> nodes = sortNodes(graph);
  positions.insert(findPositions(nodes, GraphIndex(graph)));
  findCustomParameters(nodes);
  if (&graph == &model.graph()) // those in attributes are gone afterwards
    imported = nodes;
  for (const ::onnx::NodeProto *node : nodes)
    importNode(*node);
}

void Importer::importNode(const ::onnx::NodeProto &proto) {
  currentNode = describe(proto);
  unsigned before = errors;
  bool ready = true;
  Operation *custom = customOps.lookup(fullName(proto));
  const Operator *version = custom ? nullptr : checkNode(proto);
  bool known = custom ? checkCustom(proto, custom) : version != nullptr;
  for (const std::string &input : proto.input()) {
    GraphValue *value = input.empty() ? nullptr : find(input);
    if (value && !value->parts.empty() && proto.op_type() == "SequenceAt")
      continue;
    if (value && !value->failed && !value->reason.empty()) {
      if (value->initializer)
        addUnreadable(value->reason, "'" + input + "'");
      else
        addReason(currentNode + ": tensor '" + input + "': " + value->reason);
    }
    ready &= input.empty() || (value && !value->failed && value->reason.empty());
  }
  if (known && ready && mayReadQuantized(proto)) {
    body.setLoc(locationOf(nameOf(proto)));
    Node node(*this, proto, body, opset, version ? version->since : 1);
    if (custom)
      importCustom(node, custom);
    else if (!foldDims(node, proto.op_type()))
      version->import(node);
    passQuantized(proto);
  }
  for (const std::string &output : proto.output()) {
    if (output.empty() || aliases.count(output))
      continue;
    GraphValue &value = values[output];
    // An output that no operator gave is told where it is read.
    if (!known || !ready || errors != before)
      value.failed = true;
    else if (!value.value && !value.constant && !value.dims && value.parts.empty())
      value.reason = "dlc does not compute this output of " + currentNode;
  }
  if (errors == before)
    for (const std::string &output : proto.output())
      checkDeclaredShape(output);
}

/// What to do about an operator that cannot be supported; "" where nothing is known.
static StringRef adviceOn(StringRef op) {
  if (op == "NonZero")
    return ": how many elements its result has depends on the data, and a compiled program has fixed sizes; "
           "exporters write it for indexing by a mask (x[mask]), for which torch.where or a product with the "
           "mask "
           "keeps the size, and for layers of graphs that change the edges: there give add_self_loops=False "
           "(of "
           "torch_geometric's GCNConv, GATConv) and put the loops into the edges that are passed in";
  return "";
}

const Operator *Importer::checkNode(const ::onnx::NodeProto &proto) {
  std::string name = ("'" + nameOf(proto) + "'").str();
  bool known = false;
  std::string full = fullName(proto);
  const Operator *version = findOperator(full, opset, known);
  if (!version) {
    unsupported["operator " + full + " is not supported" +
                (known                     ? " in opset " + std::to_string(opset)
                 : full == proto.op_type() ? adviceOn(full).str()
                                           : "; --custom-ops=FILE can name code of yours for it")]
        .push_back(name);
    return nullptr;
  }
  unsigned before = errors;
  int given = proto.input_size(); // those at the end may be left out by empty names
  while (given > 0 && proto.input(given - 1).empty())
    --given;
  if (given > version->maxInputs)
    addReason(currentNode + ": expects at most " + Twine(version->maxInputs) + " inputs, got " +
              Twine(given));
  for (int i = 0; i < version->requiredInputs; ++i)
    if (i >= proto.input_size() || proto.input(i).empty())
      addReason(currentNode + ": input " + Twine(i) + " is missing");
  if (proto.output_size() == 0)
    addReason(currentNode + ": has no output");
  SmallVector<StringRef> attributes;
  if (proto.attribute_size() > 0)
    StringRef(version->attributes).split(attributes, ' ');
  for (const auto &attribute : proto.attribute())
    if (!llvm::is_contained(attributes, StringRef(attribute.name())))
      addReason(currentNode + ": attribute '" + attribute.name() + "' is not supported");
  return errors == before ? version : nullptr;
}

} // namespace dlc::onnx
