//===- ExportRecord.cpp - what an exporter wrote down about a model
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/ExportRecord.h"
#include "frontends/onnx/Calls.h"
#include "frontends/onnx/Messages.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace dlc::onnx {

const char *const exportHint =
    "; export with torch.onnx.export(..., optimize=False), see docs/exporting-from-pytorch.md";

std::string rewritingRule(const ::onnx::NodeProto &node) {
  return metadataOf(node, "pkg.onnxscript.rewriter.rule_name");
}

bool isIdleDropout(const ::onnx::NodeProto &node) {
  return StringRef(metadataOf(node, "pkg.torch.onnx.class_hierarchy"))
             .contains("torch.nn.modules.dropout.") &&
         callOf(node).calls("clone");
}

bool isInTraining(const ::onnx::NodeProto &node) {
  if (node.op_type() != "BatchNormalization")
    return false;
  return callOf(node).calls("_native_batch_norm_legit_functional") ||
         any_of(node.attribute(), [](const ::onnx::AttributeProto &attribute) {
           return attribute.name() == "training_mode" && attribute.i() != 0;
         });
}

/// Names that tools/export/from_pytorch.py notes: other names of parameters that are in the file
/// ("alias=name"), and parameters that get no gradient in PyTorch either. That they are not in the file is in
/// order.
static llvm::StringSet<> absentInOrder(const ::onnx::GraphProto &graph) {
  llvm::StringSet<> names;
  for (StringRef key : {"dlc.tied", "dlc.unused"}) {
    std::string text = metadataOf(graph, key);
    SmallVector<StringRef> lines;
    StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef line : lines)
      names.insert(line.split('=').first);
  }
  return names;
}

/// Lines such as "p_fc_weight: PARAMETER target='fc.weight'", then "# outputs" and lines such as
/// "add_5: BUFFER_MUTATION target='mean'".
ExportRecord::ExportRecord(const ::onnx::ModelProto &model) {
  std::string frozen = metadataOf(model.graph(), "dlc.frozen");
  SmallVector<StringRef> untrained;
  StringRef(frozen).split(untrained, '\n', -1, /*KeepEmpty=*/false);
  frozenSet.insert(untrained.begin(), untrained.end());
  ofTraining = metadataOf(model.graph(), "dlc.mode") == "train" || any_of(model.graph().node(), isInTraining);
  calls =
      any_of(model.graph().node(), [](const ::onnx::NodeProto &node) { return !textOfCall(node).empty(); });
  std::string text = metadataOf(model.graph(), "pkg.torch.export.ExportedProgram.graph_signature");
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  bool isOutput = false;
  for (StringRef line : lines) {
    auto [symbol, rest] = line.split(": ");
    if (rest.consume_front("BUFFER_MUTATION target='"))
      changedList.push_back(rest.split('\'').first.str());
    isOutput |= line.starts_with("# outputs");
    if (isOutput)
      continue;
    symbols.insert(symbol);
    bool isParameter = rest.consume_front("PARAMETER target='");
    if (!isParameter && !rest.consume_front("BUFFER target='") &&
        !rest.consume_front("CONSTANT_TENSOR target='"))
      continue;
    StringRef name = rest.split('\'').first;
    if (!names.try_emplace(symbol, name.str()).second)
      continue;
    known = true;
    if (!isParameter)
      bufferSet.insert(name);
    else if (parameterSet.insert(name).second)
      parameterList.push_back(name.str());
  }
  llvm::StringSet<> present, absent = absentInOrder(model.graph());
  for (const ::onnx::TensorProto &tensor : model.graph().initializer())
    present.insert(tensor.name());
  llvm::erase_if(parameterList,
                 [&](const std::string &name) { return absent.contains(name) && !present.contains(name); });
}

std::optional<int64_t> paddingIndexOf(const ::onnx::NodeProto &node) {
  std::string text = metadataOf(node, "dlc.padding_index");
  // %weight, %tokens, 0, and perhaps more
  if (Call call = callOf(node); text.empty() && call.calls("embedding") && call.arguments.size() > 2)
    text = call.arguments[2].text;
  int64_t index;
  return !StringRef(text).getAsInteger(10, index) && index >= 0 ? std::optional(index) : std::nullopt;
}

bool isDetach(const ::onnx::NodeProto &node) {
  return node.op_type() == "Identity" && callOf(node).calls("detach");
}

Limits limitsOf(const ::onnx::NodeProto &node) {
  Call call = callOf(node);
  bool isNoted = !metadataOf(node, "dlc.hardtanh").empty();
  if (isNoted || call.calls("hardtanh") || call.calls("relu6"))
    return Limits::Hardtanh;
  bool isClamp = call.calls("clamp") || call.calls("clamp_min") || call.calls("clamp_max");
  return isClamp ? Limits::Clamp : Limits::Unknown;
}

bool isMeanOfUpdates(const ::onnx::NodeProto &node) {
  Call call = callOf(node);
  return call.calls("scatter_reduce") && any_of(call.arguments, [](const Argument &argument) {
           return argument.kind == Argument::Other && argument.text == "mean";
         });
}

/// Parameters and buffers among the arguments, in order, each once.
std::vector<std::string> ExportRecord::mentionedBy(const ::onnx::NodeProto &node) const {
  std::vector<std::string> found;
  for (const Argument &argument : callOf(node).arguments)
    if (StringRef name = argument.kind == Argument::Symbol ? stateOf(argument.text) : "";
        !name.empty() && !is_contained(found, name))
      found.push_back(name.str());
  return found;
}

StringRef ExportRecord::stateOf(StringRef symbol) const {
  auto name = names.find(symbol);
  return name == names.end() ? StringRef() : StringRef(name->second);
}

/// The results of the calls that nodes were made of.
static StringSet<> madeIn(const ::onnx::GraphProto &graph) {
  StringSet<> made;
  for (const ::onnx::NodeProto &node : graph.node())
    if (Call call = callOf(node); !call.result.empty())
      made.insert(call.result);
  return made;
}

std::vector<const ::onnx::NodeProto *>
ExportRecord::readersOfLostDetach(const ::onnx::GraphProto &graph) const {
  StringSet<> made = madeIn(graph);
  std::vector<const ::onnx::NodeProto *> readers;
  auto isLost = [&](const Argument &argument) {
    StringRef symbol = argument.text;
    return argument.kind == Argument::Symbol && !made.contains(symbol) &&
           (symbol == "detach" ||
            (symbol.consume_front("detach_") && !symbol.empty() && all_of(symbol, isDigit)));
  };
  for (const ::onnx::NodeProto &node : graph.node())
    if (known && any_of(callOf(node).arguments, isLost))
      readers.push_back(&node);
  return readers;
}

StringSet<> ExportRecord::lostSymbols(const ::onnx::GraphProto &graph) const {
  StringSet<> made = madeIn(graph), lost;
  if (!known)
    return lost;
  for (const ::onnx::NodeProto &node : graph.node())
    for (const Argument &argument : callOf(node).arguments) {
      StringRef symbol = argument.text;
      // One of several results of a call has no node of its own, and a size may be a number.
      bool isTensor = !symbol.empty() && !symbol.starts_with("getitem") && !symbol.starts_with("sym_");
      if (argument.kind == Argument::Symbol && isTensor && !made.contains(symbol) &&
          !symbols.contains(symbol))
        lost.insert(symbol);
    }
  return lost;
}

} // namespace dlc::onnx
