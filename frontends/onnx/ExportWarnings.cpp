//===- ExportWarnings.cpp - what a file does not have of its module --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/ExportWarnings.h"
#include "frontends/onnx/Calls.h"
#include "frontends/onnx/GraphNames.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/NodeProtos.h"
#include "frontends/onnx/Ties.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace dlc::onnx {

//===-- Parameters and statistics ----------------------------------------------------===//

/// A bias that was zero may have been dropped. PyTorch's files say so themselves.
void ExportWarnings::warnOfMissingBiases(::onnx::GraphProto &graph) {
  GraphIndex index(graph);
  auto isConstant = [&](const std::string &name) {
    const GraphValue *found = names.find(index.beforeViews(name));
    return found && found->constant;
  };
  // An Add behind the product, with a constant.
  auto isAddedTo = [&](const std::string &product) {
    return llvm::any_of(index.readers(product), [&](const GraphIndex::Reader &reader) {
      return reader.first->op_type() == "Add" && reader.first->input_size() == 2 &&
             isConstant(reader.first->input(1 - reader.second));
    });
  };
  std::map<std::string, std::vector<std::string>> with, without;
  for (const ::onnx::NodeProto &node : model.graph().node()) {
    const std::string &op = node.op_type();
    bool isLayer = llvm::is_contained({"Gemm", "LayerNormalization", "MatMul", "Conv", "ConvTranspose"}, op);
    if (!isLayer || node.input_size() < 2 || node.output_size() == 0 || !isConstant(node.input(1)))
      continue;
    bool hasBias =
        (op != "MatMul" && node.input_size() > 2 && !node.input(2).empty()) || isAddedTo(node.output(0));
    (hasBias ? with : without)[op].push_back(nameOf(node).str());
  }
  for (const auto &[op, nodes] : without)
    if (with.count(op))
      diagnostics.warn(
          "node" + std::string(nodes.size() > 1 ? "s " : " ") + frontend::quotedList(nodes) + " (" + op +
          "): " + (nodes.size() > 1 ? "have" : "has") +
          " no bias, while others of the kind have one; if an optimizer dropped one that was zero, "
          "it is not trained: export without optimizations");
}

/// Constant folding of PyTorch's older exporter, which lists no parameters.
void ExportWarnings::warnOfFolding() {
  std::vector<std::string> folded;
  for (const ::onnx::TensorProto &tensor : model.graph().initializer()) {
    const HostTensor *floats = names.floatsOf(tensor.name());
    if (StringRef(tensor.name()).starts_with("onnx::") && floats && floats->count() > 1)
      folded.push_back(tensor.name());
  }
  if (!folded.empty() && !record.isKnown())
    diagnostics.warn(
        "the exporter computed the initializers " + frontend::quotedList(folded) +
        " of parameters that are not in the file. If these are more than transposed, or tied to others, what "
        "is trained is another network; export with torch.onnx.export(..., do_constant_folding=False), see "
        "docs/exporting-from-pytorch.md");
}

/// PyTorch's newer exporter writes an InstanceNorm in training mode without its running statistics.
void ExportWarnings::warnOfStatistics() {
  std::vector<std::string> nodes;
  for (const ::onnx::NodeProto &node : model.graph().node()) {
    Call call = node.op_type() == "InstanceNormalization" ? callOf(node) : Call();
    bool hasStatistics = llvm::any_of(call.arguments, [&](const Argument &argument) {
      return argument.kind == Argument::Symbol && record.isBuffer(record.stateOf(argument.text));
    });
    if (hasStatistics && call.calls("instance_norm"))
      nodes.push_back(nameOf(node).str());
  }
  if (!nodes.empty())
    diagnostics.warn("node" + std::string(nodes.size() > 1 ? "s " : " ") + frontend::quotedList(nodes) +
                     " (InstanceNormalization): the module keeps running statistics "
                     "(track_running_stats=True), which the file does not have: evaluation and prediction "
                     "normalize with each instance's own, as training does, and predict otherwise than the "
                     "module");
}

/// A parameter that no node mentions may have been folded into other tensors, be unused, or have another
/// name.
void ExportWarnings::warnOfMissing(::onnx::GraphProto &graph, const Ties &ties) {
  llvm::StringSet<> mentioned;
  for (const ::onnx::NodeProto &node : model.graph().node())
    for (const std::string &name : record.mentionedBy(node))
      mentioned.insert(name);
  std::vector<std::string> lost;
  bool mayBeFolded = ties.readsOthers() || !record.lostSymbols(model.graph()).empty();
  for (const std::string &name : record.parameters())
    if (!names.find(name) && !ties.parameterUses().count(name) && (mentioned.contains(name) || mayBeFolded))
      lost.push_back(name);
  std::vector<std::string> nodes;
  std::string rules;
  for (const ::onnx::NodeProto &node : model.graph().node()) {
    std::string rule = rewritingRule(node);
    bool isLost = llvm::any_of(record.mentionedBy(node),
                               [&](const std::string &name) { return llvm::is_contained(lost, name); });
    // Without a list of parameters the rule's name has to do. A batch norm may have none.
    bool isSuspect =
        StringRef(rule).contains("BatchNorm") || (!record.isKnown() && StringRef(rule).contains("Bias"));
    if (!isLost && !isSuspect)
      continue;
    nodes.push_back(nameOf(node).str());
    if (!rule.empty() && !StringRef(rules).contains(rule))
      rules += (rules.empty() ? "" : ", ") + rule;
  }
  if (!rules.empty())
    rules = " (" + rules + ")";
  if (!lost.empty())
    diagnostics.warn("the module's parameters " + frontend::quotedList(lost) +
                     " are not in the file: the exporter folded them into other numbers or dropped them" +
                     (nodes.empty() ? "" : ", at nodes " + frontend::quotedList(nodes)) + rules +
                     ". What is trained is another network" + exportHint);
  else if (!nodes.empty())
    diagnostics.warn("the exporter folded or dropped parameters at nodes " + frontend::quotedList(nodes) +
                     rules + ". What is trained is another network" + exportHint);
  else if (model.producer_name() != "pytorch")
    warnOfMissingBiases(graph);
}

void ExportWarnings::warnOfDetached() {
  std::vector<std::string> readers;
  for (const ::onnx::NodeProto *node : record.readersOfLostDetach(model.graph()))
    readers.push_back(nameOf(*node).str());
  if (!readers.empty())
    diagnostics.warn("what nodes " + frontend::quotedList(readers) +
                     " read is detached in the module, but not in the file, which the exporter optimized: "
                     "gradients flow there. What is trained is another network" +
                     exportHint);
}

/// One matrix of the module, transposed for one of its readers.
void ExportWarnings::warnOfSeparated(const Ties &ties) {
  auto sizeOf = [&](const std::string &initializer) { return names.find(initializer)->constant->count(); };
  for (const auto &[name, places] : ties.parameterUses()) {
    std::vector<std::string> initializers, readers;
    for (const Ties::ParameterUse &place : places)
      if (!llvm::is_contained(initializers, place.initializer) &&
          sizeOf(place.initializer) == sizeOf(places.front().initializer)) {
        initializers.push_back(place.initializer);
        readers.push_back(place.node);
      }
    if (initializers.size() > 1 && record.isParameter(name))
      diagnostics.warn("nodes " + frontend::quotedList(readers) + " share the module's parameter '" + name +
                       "', but the file has a copy for each (" + frontend::quotedList(initializers) +
                       "), which are trained apart" + exportHint);
  }
}

void ExportWarnings::warnOfParameters(::onnx::GraphProto &graph, const Ties &ties) {
  warnOfStatistics();
  if (predictOnly)
    return;
  warnOfMissing(graph, ties);
  warnOfFolding();
  warnOfDetached();
  warnOfSeparated(ties);
}

//===-- Dropout ----------------------------------------------------------------------===//

/// In evaluation mode dropout is nothing, and PyTorch's exporters write nothing. The newer one leaves a copy,
/// or the mention of one, with the name of the module it was made of; the older one leaves no trace, and
/// exports in evaluation mode unless it is told otherwise.
void ExportWarnings::tellOfDropout() {
  if (predictOnly || record.isOfTraining() || model.producer_name() != "pytorch")
    return;
  std::vector<std::string> idle;
  bool hasDropout = false;
  for (const ::onnx::NodeProto &node : model.graph().node()) {
    hasDropout |= node.op_type() == "Dropout";
    if (isIdleDropout(node))
      idle.push_back("'" + nameOf(node).str() + "'");
  }
  const char *advice = "; tools/export/from_pytorch.py exports for training";
  if (!idle.empty())
    diagnostics.warn(
        (idle.size() == 1 ? "node " : "nodes ") + llvm::join(idle, ", ") +
        " stood for dropout, which the exporter left out as the module was in evaluation mode. It is "
        "trained without" +
        advice);
  else if (record.isKnown() && llvm::any_of(record.lostSymbols(model.graph()).keys(),
                                            [](StringRef symbol) { return symbol.starts_with("clone"); }))
    diagnostics.warn(
        std::string("the exporter left out copies, which dropout in evaluation mode is for it: if the "
                    "module has dropout, it is trained without") +
        advice);
  else if (!record.isKnown() && !hasDropout)
    diagnostics.remark(
        std::string(
            "PyTorch's older exporter takes the module in evaluation mode unless it is told "
            "otherwise, and then leaves dropout out without a trace: if the module has dropout, it is "
            "trained without") +
        advice);
}

} // namespace dlc::onnx
