//===- Layers.cpp - parameters of an imported model, by layer
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which initializers are trained, which of them are several layers' parameters at once, and what of the
// author's module the file does not have any more.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Calls.h"
#include "frontends/onnx/Importer.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/Ties.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace dlc::onnx {

/// "'a', 'b', 'c' and 5 more".
std::string listed(ArrayRef<std::string> names) {
  constexpr size_t most = 4;
  std::string text;
  for (auto [i, name] : llvm::enumerate(names.take_front(most)))
    text += (i == 0 ? "'" : i + 1 == names.size() ? " and '" : ", '") + name + "'";
  return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more" : text;
}

const char *const exportHint =
    "; export with torch.onnx.export(..., optimize=False), see docs/exporting-from-pytorch.md";

//===-- Ties -------------------------------------------------------------------------===//

/// Copies of shared initializers may not take more memory than this.
static constexpr size_t maxUntiedBytes = size_t(1) << 30;

void Importer::untie() {
  Ties ties(*model.mutable_graph(), record, onnxOptions.keepTies);
  size_t bytes = 0;
  std::vector<std::string> computed;
  for (int i = 0, count = model.graph().initializer_size(); i < count; ++i) {
    std::string name = model.graph().initializer(i).name();
    GraphValue original = values[name];
    if (!original.constant || !original.constant->isFloat())
      continue;
    Untied untied = ties.untie(name, *original.constant);
    bytes += original.constant->data.size() * (std::max<size_t>(untied.aliases.size(), 1) - 1);
    if (bytes > maxUntiedBytes)
      return addReason("initializers are shared by so many layers that one copy for each takes too much "
                       "memory (--keep-ties keeps them shared)");
    std::vector<std::string> users, names;
    for (const Untied::Alias &alias : untied.aliases) {
      GraphValue &value = values[alias.name] = original;
      value.isParameter = alias.isParameter;
      value.isConstant = alias.isConstant;
      std::string formula = alias.isComputed && !options.predictOnly ? formulaOf(*original.constant) : "";
      if (!formula.empty())
        warnings.push_back("the exporter computed '" + alias.name + "', which is " + formula +
                           " now and will not follow it (read by nodes " + listed(alias.users) +
                           "). What is trained is another network" + exportHint);
      else if (alias.isComputed)
        computed.push_back(alias.name);
      if (alias.isConstant || alias.isStatistic || alias.users.empty())
        continue;
      if (!llvm::is_contained(users, alias.users.front()))
        users.push_back(alias.users.front());
      names.push_back(alias.name);
    }
    if (names.size() > 1 && !options.predictOnly)
      remarks[{"", "the initializer '" + name + "' holds the equal initial values of several layers (nodes " +
                       listed(users) + "): each trains its own, " + listed(names) +
                       " (--keep-ties trains one for all)"}];
  }
  if (!computed.empty() && !options.predictOnly)
    remarks[{"",
             "the exporter computed " + listed(computed) +
                 ", which the training leaves as they are; if they depend on parameters, another network is "
                 "trained than yours: then export with optimize=False"}];
  warnOfLosses(ties);
}

//===-- What is trained --------------------------------------------------------------===//

template <typename T> static bool allFinite(const HostTensor &tensor) {
  for (size_t at = 0; at + sizeof(T) <= tensor.data.size(); at += sizeof(T)) {
    T element;
    std::memcpy(&element, tensor.data.data() + at, sizeof(T));
    if (!std::isfinite(element))
      return false;
  }
  return true;
}

static bool isFinite(const HostTensor &tensor) {
  return tensor.type.getElementType().isF64() ? allFinite<double>(tensor) : allFinite<float>(tensor);
}

/// Float initializers are parameters, unless their place or their elements say that they are numbers of a
/// formula.
bool Importer::decideTrained(StringRef name, const GraphValue &value) {
  const HostTensor &tensor = *value.constant;
  bool isAsked = llvm::is_contained(options.train, name);
  // PyTorch's exporters write parameters as initializers and nothing else.
  bool isTorch = model.producer_name() == "pytorch";
  if (!value.initializer && (isTorch || !positions.weights.contains(name) || tensor.count() <= 1))
    return false;
  auto say = [&](frontend::Remarks &list, const std::string &what) {
    if (!options.predictOnly)
      list[{"", what}];
    return false;
  };
  std::string quoted = "'" + name.str() + "'", option = " (--train='*' --train=" + quoted + " trains it too)";
  bool isParameter = value.isParameter || (record.isParameter(name) && !value.isConstant);
  if (!isFinite(tensor) && !isParameter) {
    if (isAsked)
      warnings.push_back("--train=" + quoted +
                         " has no effect: the initializer has infinite or NaN elements");
    return say(notes, "the initializer " + quoted + " has infinite or NaN elements and is not trained");
  }
  if (isAsked || isParameter)
    return true;
  if (value.isConstant || record.isBuffer(name))
    return say(notes, (record.isBuffer(name) ? "the buffer " : "the number ") + quoted +
                          " is not trained, as in the exported module" + option);
  // The older exporter's files do not say which are parameters and which are buffers.
  bool isOfModule = isTorch && !record.isKnown() && !isMadeByExporter(name);
  if (isOfModule && (name.ends_with(".running_mean") || name.ends_with(".running_var")))
    return say(notes, "the running statistic " + quoted + " is not trained" + option);
  bool isOwn = tensor.type.getRank() > 0 && positions.own.contains(name);
  if (tensor.count() != 1 || isOwn)
    return true;
  // Scales that modules learn are calculated with; limits and numbers to fill in are often buffers.
  if (isOfModule && positions.terms.contains(name)) {
    (void)say(remarks,
              "the module's " + quoted +
                  " has one element: it is trained, as parameters are; if it is a buffer, --freeze=" +
                  quoted + " leaves it as it is");
    return true;
  }
  if (isOfModule) {
    if (!options.predictOnly)
      warnings.push_back("the module's " + quoted +
                         " has one element and is no operand of arithmetic: it is not trained; if it is a "
                         "parameter and no buffer, give --train=" +
                         quoted);
    return false;
  }
  if (isMadeByExporter(name) || !positions.terms.contains(name))
    return say(notes, "the number " + quoted + " of a formula is not trained" + option);
  return say(remarks, "the initializer " + quoted +
                          " has one element and is no layer's own parameter: it is not trained" + option);
}

/// Decided once, so that messages are there once.
bool Importer::isTrained(StringRef name, GraphValue &value) {
  if (!value.trained)
    value.trained = decideTrained(name, value);
  return *value.trained;
}

//===-- What is lost -----------------------------------------------------------------===//

/// A bias that was zero may have been dropped. PyTorch's files say so themselves.
void Importer::warnOfMissingBiases() {
  GraphIndex index(*model.mutable_graph());
  auto isConstant = [&](const std::string &name) {
    auto found = values.find(index.beforeViews(name));
    return found != values.end() && found->second.constant;
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
      warnings.push_back(
          "node" + std::string(nodes.size() > 1 ? "s " : " ") + listed(nodes) + " (" + op +
          "): " + (nodes.size() > 1 ? "have" : "has") +
          " no bias, while others of the kind have one; if an optimizer dropped one that was zero, "
          "it is not trained: export without optimizations");
}

/// Constant folding of PyTorch's older exporter, which lists no parameters.
void Importer::warnOfFolding() {
  std::vector<std::string> folded;
  for (const ::onnx::TensorProto &tensor : model.graph().initializer()) {
    const GraphValue &value = values[tensor.name()];
    if (StringRef(tensor.name()).starts_with("onnx::") && value.constant && value.constant->isFloat() &&
        value.constant->count() > 1)
      folded.push_back(tensor.name());
  }
  if (!folded.empty() && !record.isKnown())
    warnings.push_back(
        "the exporter computed the initializers " + listed(folded) +
        " of parameters that are not in the file. If these are more than transposed, or tied to others, what "
        "is trained is another network; export with torch.onnx.export(..., do_constant_folding=False), see "
        "docs/exporting-from-pytorch.md");
}

/// PyTorch's newer exporter writes an InstanceNorm in training mode without its running statistics.
void Importer::warnOfStatistics() {
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
    warnings.push_back("node" + std::string(nodes.size() > 1 ? "s " : " ") + listed(nodes) +
                       " (InstanceNormalization): the module keeps running statistics "
                       "(track_running_stats=True), which the file does not have: evaluation and prediction "
                       "normalize with each instance's own, as training does, and predict otherwise than the "
                       "module");
}

void Importer::warnOfLosses(const Ties &ties) {
  warnOfStatistics();
  if (options.predictOnly)
    return;
  llvm::StringSet<> mentioned;
  for (const ::onnx::NodeProto &node : model.graph().node())
    for (const std::string &name : record.mentionedBy(node))
      mentioned.insert(name);
  // A parameter that no node mentions may have been folded into other tensors, be unused, or have another
  // name.
  std::vector<std::string> lost;
  bool mayBeFolded = ties.readsOthers() || !record.lostSymbols(model.graph()).empty();
  for (const std::string &name : record.parameters())
    if (!values.contains(name) && !ties.parameterUses().count(name) &&
        (mentioned.contains(name) || mayBeFolded))
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
    warnings.push_back("the module's parameters " + listed(lost) +
                       " are not in the file: the exporter folded them into other numbers or dropped them" +
                       (nodes.empty() ? "" : ", at nodes " + listed(nodes)) + rules +
                       ". What is trained is another network" + exportHint);
  else if (!nodes.empty())
    warnings.push_back("the exporter folded or dropped parameters at nodes " + listed(nodes) + rules +
                       ". What is trained is another network" + exportHint);
  else if (model.producer_name() != "pytorch")
    warnOfMissingBiases();
  warnOfFolding();
  std::vector<std::string> readers;
  for (const ::onnx::NodeProto *node : record.readersOfLostDetach(model.graph()))
    readers.push_back(nameOf(*node).str());
  if (!readers.empty())
    warnings.push_back("what nodes " + listed(readers) +
                       " read is detached in the module, but not in the file, which the exporter optimized: "
                       "gradients flow there. What is trained is another network" +
                       exportHint);
  // One matrix of the module, transposed for one of its readers.
  for (const auto &[name, places] : ties.parameterUses()) {
    std::vector<std::string> initializers, readers;
    for (const Ties::ParameterUse &place : places)
      if (!llvm::is_contained(initializers, place.initializer) &&
          values[place.initializer].constant->count() ==
              values[places.front().initializer].constant->count()) {
        initializers.push_back(place.initializer);
        readers.push_back(place.node);
      }
    if (initializers.size() > 1 && record.isParameter(name))
      warnings.push_back("nodes " + listed(readers) + " share the module's parameter '" + name +
                         "', but the file has a copy for each (" + listed(initializers) +
                         "), which are trained apart" + exportHint);
  }
}

/// Once the nodes are imported: what is not trained, or not updated.
void Importer::tellOfStates() {
  if (options.predictOnly)
    return;
  if (!frozen.empty())
    remarks[{"", "the exported module does not train " + listed(frozen) +
                     ", and neither does dlc (--train=NAME with a name in full trains it)"}];
  std::vector<std::string> changed;
  for (const std::string &name : record.changedBuffers())
    if (auto found = values.find(name);
        !buffers.contains(name) && found != values.end() && found->second.value)
      changed.push_back(name);
  if (!changed.empty())
    warnings.push_back(
        "the module gives its buffers " + listed(changed) +
        " other values in forward, which ONNX does not say: they stay as they are. What is trained "
        "is another network");
}

} // namespace dlc::onnx
