//===- ExportRecord.cpp - what an exporter wrote down about a model
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/ExportRecord.h"
#include "frontends/onnx/Messages.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace dlc::onnx {

/// The numbers of `metadata_props` in graphs and nodes: the field is younger than the message classes, so
/// that it is among the fields that they do not know.
constexpr int graphMetadata = 16, nodeMetadata = 9;

template <typename Message> static std::string metadataOf(const Message &message, int field, StringRef key) {
  const auto &fields = message.unknown_fields();
  for (int i = 0; i < fields.field_count(); ++i) {
    if (fields.field(i).number() != field ||
        fields.field(i).type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      continue;
    ::onnx::StringStringEntryProto entry;
    if (entry.ParseFromString(fields.field(i).length_delimited()) && StringRef(entry.key()) == key)
      return entry.value();
  }
  return {};
}

std::string rewritingRule(const ::onnx::NodeProto &node) {
  return metadataOf(node, nodeMetadata, "pkg.onnxscript.rewriter.rule_name");
}

static std::string callOf(const ::onnx::NodeProto &node) {
  return metadataOf(node, nodeMetadata, "pkg.torch.onnx.fx_node");
}

/// "aten.layer_norm.default" of "...call_function[target=torch.ops.aten.layer_norm.default](args = ...".
static StringRef calleeOf(StringRef call) { return call.split("target=").second.split(']').first; }

bool isIdleDropout(const ::onnx::NodeProto &node) {
  std::string classes = metadataOf(node, nodeMetadata, "pkg.torch.onnx.class_hierarchy"), call = callOf(node);
  return StringRef(classes).contains("torch.nn.modules.dropout.") && calleeOf(call).contains("aten.clone.");
}

bool isInTraining(const ::onnx::NodeProto &node) {
  if (node.op_type() != "BatchNormalization")
    return false;
  std::string call = callOf(node);
  return calleeOf(call).contains("batch_norm_legit_functional") ||
         any_of(node.attribute(), [](const ::onnx::AttributeProto &attribute) {
           return attribute.name() == "training_mode" && attribute.i() != 0;
         });
}

/// Lines such as "p_fc_weight: PARAMETER target='fc.weight'", then "# outputs" and lines such as
/// "add_5: BUFFER_MUTATION target='mean'".
ExportRecord::ExportRecord(const ::onnx::ModelProto &model) {
  std::string frozen = metadataOf(model.graph(), graphMetadata, "dlc.frozen");
  SmallVector<StringRef> untrained;
  StringRef(frozen).split(untrained, '\n', -1, /*KeepEmpty=*/false);
  frozenSet.insert(untrained.begin(), untrained.end());
  ofTraining = metadataOf(model.graph(), graphMetadata, "dlc.mode") == "train" ||
               any_of(model.graph().node(), isInTraining);
  std::string text =
      metadataOf(model.graph(), graphMetadata, "pkg.torch.export.ExportedProgram.graph_signature");
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
}

std::optional<int64_t> paddingIndexOf(const ::onnx::NodeProto &node) {
  std::string text = metadataOf(node, nodeMetadata, "dlc.padding_index"), call = callOf(node);
  if (text.empty() && calleeOf(call).contains("aten.embedding.")) {
    // args = (%weight, %tokens, 0), and perhaps more
    SmallVector<StringRef> arguments;
    StringRef(call).split("args = (").second.split(')').first.split(arguments, ", ");
    if (arguments.size() > 2)
      text = arguments[2].str();
  }
  int64_t index;
  return !StringRef(text).getAsInteger(10, index) && index >= 0 ? std::optional(index) : std::nullopt;
}

bool isDetach(const ::onnx::NodeProto &node) {
  return node.op_type() == "Identity" && calleeOf(callOf(node)).contains("aten.detach.");
}

Limits limitsOf(const ::onnx::NodeProto &node) {
  std::string call = callOf(node);
  StringRef callee = calleeOf(call);
  bool isNoted = !metadataOf(node, nodeMetadata, "dlc.hardtanh").empty();
  if (isNoted || callee.contains("aten.hardtanh.") || callee.contains("aten.relu6."))
    return Limits::Hardtanh;
  return callee.contains("aten.clamp") ? Limits::Clamp : Limits::Unknown;
}

bool isMeanOfUpdates(const ::onnx::NodeProto &node) {
  std::string call = callOf(node);
  return calleeOf(call).contains("aten.scatter_reduce.") && StringRef(call).contains(", mean)");
}

/// The names behind % in a call's arguments.
static std::vector<StringRef> symbolsIn(StringRef arguments) {
  std::vector<StringRef> found;
  while (!arguments.empty()) {
    arguments = arguments.split('%').second;
    found.push_back(arguments.take_while([](char c) { return isAlnum(c) || c == '_'; }));
  }
  return found;
}

/// Parameters and buffers among the arguments, in order, each once.
std::vector<std::string> ExportRecord::mentions(StringRef call) const {
  std::vector<std::string> found;
  for (StringRef symbol : symbolsIn(call.split("](").second)) {
    auto name = names.find(symbol);
    if (name != names.end() && !is_contained(found, name->second))
      found.push_back(name->second);
  }
  return found;
}

std::vector<std::string> ExportRecord::mentionedBy(const ::onnx::NodeProto &node) const {
  return mentions(callOf(node));
}

std::string ExportRecord::linearWeight(const ::onnx::NodeProto &node) const {
  std::string call = callOf(node);
  if (node.op_type() != "MatMul" || !calleeOf(call).contains("aten.linear."))
    return {};
  std::vector<StringRef> arguments = symbolsIn(StringRef(call).split("](").second);
  auto name = arguments.size() > 1 ? names.find(arguments[1]) : names.end();
  return name != names.end() && isParameter(name->second) ? name->second : std::string();
}

/// The results of the calls that nodes were made of.
static StringSet<> madeIn(const ::onnx::GraphProto &graph) {
  StringSet<> made;
  for (const ::onnx::NodeProto &node : graph.node()) {
    std::string call = callOf(node);
    if (std::vector<StringRef> results = symbolsIn(StringRef(call).split("](").first); !results.empty())
      made.insert(results.front());
  }
  return made;
}

std::vector<const ::onnx::NodeProto *>
ExportRecord::readersOfLostDetach(const ::onnx::GraphProto &graph) const {
  StringSet<> made = madeIn(graph);
  std::vector<const ::onnx::NodeProto *> readers;
  for (const ::onnx::NodeProto &node : graph.node()) {
    std::string call = callOf(node);
    auto isLost = [&](StringRef symbol) {
      return !made.contains(symbol) && (symbol == "detach" || (symbol.consume_front("detach_") &&
                                                               !symbol.empty() && all_of(symbol, isDigit)));
    };
    if (known && any_of(symbolsIn(StringRef(call).split("](").second), isLost))
      readers.push_back(&node);
  }
  return readers;
}

StringSet<> ExportRecord::lostSymbols(const ::onnx::GraphProto &graph) const {
  StringSet<> made = madeIn(graph), lost;
  for (const ::onnx::NodeProto &node : graph.node()) {
    std::string call = callOf(node);
    // One of several results of a call has no node of its own.
    for (StringRef symbol : symbolsIn(StringRef(call).split("](").second))
      if (known && !symbol.empty() && !symbol.starts_with("getitem") && !made.contains(symbol) &&
          !symbols.contains(symbol))
        lost.insert(symbol);
  }
  return lost;
}

/// How modules call what they use so; "" for places that any name fits.
static StringRef usualName(Role role, StringRef op) {
  switch (role) {
  case Role::Scale:
  case Role::Slope:
  case Role::Matrix:
  case Role::Table:
    return "weight";
  case Role::Bias:
    return "bias";
  case Role::Mean:
    return "running_mean";
  case Role::Variance:
    return "running_var";
  case Role::Other:
    return StringSwitch<StringRef>(op).Case("Mul", "weight").Case("Add", "bias").Default("");
  }
  llvm_unreachable("all roles are handled");
}

/// Whether a node of this kind can come from the call, without something else having been folded into it.
static bool fits(StringRef callee, const ::onnx::NodeProto &node, Role role) {
  StringRef op = node.op_type();
  if (op.ends_with("Normalization"))
    return callee.contains("norm");
  if (role == Role::Matrix || op == "Gemm" || op.starts_with("Conv"))
    return !callee.contains("norm");
  return true;
}

/// Calls that have no literals beside their arguments.
static bool isArithmetic(StringRef callee) {
  SmallVector<StringRef> parts;
  callee.split(parts, '.');
  if (parts.size() < 2)
    return false;
  return StringSwitch<bool>(parts[parts.size() - 2])
      .Cases({"add", "sub", "mul", "div", "rsub", "maximum", "minimum", "pow", "where", "expand"}, true)
      .Default(false);
}

ExportRecord::Answer ExportRecord::stateOf(const ::onnx::NodeProto &node, Role role, bool single) const {
  std::string call = known ? callOf(node) : std::string();
  StringRef callee = calleeOf(call);
  if (callee.empty() || !fits(callee, node, role))
    return {};
  std::vector<std::string> candidates = mentions(call);
  if (candidates.empty())
    return {Answer::NoState, {}};
  if (role == Role::Other && single && !isArithmetic(callee))
    return {};
  StringRef usual = usualName(role, node.op_type());
  auto isUsual = [&](StringRef name, StringRef which) {
    return name == which || name.ends_with((Twine(".") + which).str()) ||
           name.ends_with((Twine("_") + which).str());
  };
  std::vector<std::string> usuals;
  for (const std::string &name : candidates)
    if (isUsual(name, usual))
      usuals.push_back(name);
  if (usuals.size() == 1)
    return {Answer::State, usuals.front()};
  if (candidates.size() == 1) {
    StringRef all[] = {"weight", "bias", "running_mean", "running_var"};
    bool isAnother = role != Role::Other && any_of(all, [&](StringRef which) {
                       return which != usual && isUsual(candidates.front(), which);
                     });
    return isAnother ? Answer{} : Answer{Answer::State, candidates.front()};
  }
  // Scale before bias, whatever they are called.
  if (usuals.empty() && candidates.size() == 2 && (role == Role::Scale || role == Role::Bias))
    return {Answer::State, candidates[role == Role::Bias]};
  return {};
}

} // namespace dlc::onnx
