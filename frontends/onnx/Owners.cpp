//===- Owners.cpp - whose is what a node reads
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Owners.h"
#include "frontends/onnx/Messages.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>

using namespace llvm;

namespace dlc::onnx {

static bool isFloat(const ::onnx::TensorProto &tensor) {
  switch (tensor.data_type()) {
  case ::onnx::TensorProto::FLOAT:
  case ::onnx::TensorProto::DOUBLE:
  case ::onnx::TensorProto::FLOAT16:
  case ::onnx::TensorProto::BFLOAT16:
    return true;
  default:
    return false;
  }
}

Owners::Owners(const ::onnx::GraphProto &graph, const ExportRecord &record) : record(record) {
  for (const auto &[symbol, name] : record.statesBySymbol())
    symbols.try_emplace(name, symbol.str());
  for (const ::onnx::TensorProto &tensor : graph.initializer())
    if (isFloat(tensor)) {
      // Sizes of a hostile file may be any numbers.
      bool isSingle = all_of(tensor.dims(), [](int64_t dim) { return dim == 1; });
      initializers[tensor.name()] = isSingle;
    }
  lost = record.lostSymbols(graph);
  StringMap<unsigned> makers; // of values
  for (const ::onnx::NodeProto &node : graph.node()) {
    std::string text = record.isKnown() ? textOfCall(node) : std::string();
    if (text.empty())
      continue;
    auto [number, isNew] = numbers.try_emplace(text, groups.size());
    if (isNew)
      groups.push_back({parseCall(text), {}});
    Group &group = groups[number->second];
    group.isRewritten |= !rewritingRule(node).empty();
    groupOf[&node] = number->second;
    addSlots(group, node);
  }
  for (Group &group : groups)
    solve(group);
}

std::string Owners::symbolOf(StringRef name) const {
  auto state = symbols.find(name);
  return state == symbols.end() ? name.str() : state->second;
}

void Owners::addSlots(Group &group, const ::onnx::NodeProto &node) const {
  for (int i = 0; i < node.input_size(); ++i) {
    bool isInitializer = initializers.contains(node.input(i));
    std::string symbol = symbolOf(node.input(i));
    if (isInitializer || group.call.mentions(symbol))
      group.slots.push_back({&node, i, symbol, isInitializer});
  }
}

bool Owners::Group::isOneNode() const {
  return all_of(slots, [&](const Slot &slot) { return slot.node == slots.front().node; });
}

bool Owners::isSingle(const Slot &slot) const { return initializers.lookup(slot.node->input(slot.input)); }

bool Owners::isLost(const Argument &argument) const {
  return argument.kind == Argument::Symbol && lost.contains(argument.text);
}

void Owners::find(Slot &slot, const Argument &argument) const {
  slot.isFound = true;
  if (argument.kind != Argument::Symbol)
    slot.owner.kind = Owner::Number;
  else if (StringRef name = record.stateOf(argument.text); !name.empty())
    slot.owner = {Owner::State, name.str()};
  else if (StringRef own = record.stateOf(slot.symbol); !own.empty() && isResultOfView(argument.text))
    slot.owner = {Owner::State, own.str()};
  else
    slot.owner.kind = Owner::Computed;
}

/// Group normalization normalizes with a scale and a bias of ones and zeros that the exporter adds.
static bool isAddedByExporter(const Call &call, const ::onnx::NodeProto &node) {
  return node.op_type() == "InstanceNormalization" && call.calls("group_norm");
}

/// The arguments that may be operands, in the order in which nodes read them. Numbers of groups and epsilons
/// are none.
static SmallVector<size_t> operandsOf(const Call &call) {
  bool isNorm = StringRef(call.callee).contains("norm");
  SmallVector<size_t> operands;
  for (auto [i, argument] : enumerate(call.arguments))
    if (argument.kind != Argument::Other && !(isNorm && argument.kind == Argument::Number))
      operands.push_back(i);
  bool isBiasFirst = call.calls("addmm") || call.calls("addmv") || call.calls("baddbmm");
  if ((isBiasFirst && operands.size() >= 3) || (call.calls("rsub") && operands.size() >= 2))
    std::rotate(operands.begin(), operands.begin() + 1, operands.begin() + (isBiasFirst ? 3 : 2));
  return operands;
}

/// Which operand a node reads there: one by one where the call is of one node, else of a linear layer, which
/// may be a transposition, a product and a sum.
static std::optional<unsigned> operandOf(const Call &call, bool isOneNode, const ::onnx::NodeProto &node,
                                         int input) {
  StringRef op = node.op_type();
  if (!call.calls("linear"))
    return isOneNode ? std::optional<unsigned>(input) : std::nullopt;
  if (op == "MatMul" || op == "Gemm")
    return input;
  return op == "Transpose" ? std::optional<unsigned>(1)
         : op == "Add"     ? std::optional<unsigned>(2)
                           : std::nullopt;
}

void Owners::solve(Group &group) const {
  group.taken.assign(group.call.arguments.size(), false);
  auto take = [&](Slot &slot, size_t i) {
    if (slot.isFound || i >= group.taken.size() || group.taken[i] ||
        group.call.arguments[i].kind != Argument::Symbol || group.call.arguments[i].text != slot.symbol)
      return;
    group.taken[i] = true;
    find(slot, group.call.arguments[i]);
  };
  for (Slot &slot : group.slots)
    if (slot.isInitializer && isAddedByExporter(group.call, *slot.node))
      find(slot, {Argument::None, ""});
  // In its own place, or anywhere, under its own name.
  SmallVector<size_t> operands = operandsOf(group.call);
  bool isOneNode = group.isOneNode(), isInPlace = true;
  auto placeOf = [&](const Slot &slot) {
    std::optional<unsigned> operand = operandOf(group.call, isOneNode, *slot.node, slot.input);
    return operand && *operand < operands.size() ? operands[*operand] : group.taken.size();
  };
  for (Slot &slot : group.slots)
    take(slot, placeOf(slot));
  for (Slot &slot : group.slots)
    for (size_t i = 0; i < group.taken.size(); ++i) {
      isInPlace &= slot.isFound || slot.symbol != group.call.arguments[i].text;
      take(slot, i);
    }
  // Where the node reads all others as the call does, it reads what has another name so, too.
  if (isInPlace && !group.isRewritten)
    for (Slot &slot : group.slots)
      if (size_t i = placeOf(slot); !slot.isFound && slot.isInitializer && i < group.taken.size() &&
                                    !group.taken[i] && mayBe(group, slot, group.call.arguments[i])) {
        group.taken[i] = true;
        find(slot, group.call.arguments[i]);
      }
  findByElimination(group);
}

/// Calls of several nodes that read their operands as they are, but for views.
static bool keepsElements(const Call &call) {
  return call.calls("linear") || call.calls("prelu") || StringRef(call.callee).contains("norm");
}

/// Whether an initializer may stand for another argument of the call. One that has its own name elsewhere was
/// not merged with this one.
bool Owners::mayBe(const Group &group, const Slot &slot, const Argument &argument) const {
  if (argument.kind != Argument::Symbol)
    return true;
  StringRef name = record.stateOf(argument.text), own = record.stateOf(slot.symbol);
  if (name.empty())
    return isLost(argument);
  return own.empty() ? group.isOneNode() || keepsElements(group.call) : !initializers.contains(name);
}

/// What is left on both sides, in order.
void Owners::findByElimination(Group &group) const {
  SmallVector<const Argument *> left;
  bool hasNumbers = false;
  for (auto [argument, isTaken] : zip(group.call.arguments, group.taken)) {
    bool isState = argument.kind == Argument::Symbol && !record.stateOf(argument.text).empty();
    if (!isTaken && (isState || (isLost(argument) && !group.isRewritten)))
      left.push_back(&argument);
    hasNumbers |= !isTaken && argument.kind == Argument::Number;
  }
  bool isOneNode = group.isOneNode();
  SmallVector<Slot *> open;
  for (Slot &slot : group.slots) {
    if (slot.isFound || !slot.isInitializer)
      continue;
    // A formula may read an operand more than once, and only one element is like a number.
    bool isOwn = group.call.mentions(slot.symbol),
         isAgain = isOwn && (!isOneNode || (left.empty() && !(hasNumbers && isSingle(slot))));
    if (isAgain)
      find(slot, {Argument::Symbol, slot.symbol});
    else
      open.push_back(&slot);
  }
  // Nodes that stand for several calls have the note of one, such as the last product of a normalization.
  if (group.isRewritten &&
      (open.size() != 1 || left.size() != 1 || record.isBuffer(record.stateOf(left[0]->text))))
    return;
  if (left.empty()) {
    for (Slot *slot : open)
      slot->owner.kind = Owner::Number;
    return;
  }
  if (open.size() != left.size()) // some are numbers of the formula
    erase_if(open, [&](Slot *slot) { return isSingle(*slot); });
  bool isOne = left.size() == 1 && all_of(open, [&](Slot *slot) { return slot->symbol == open[0]->symbol; });
  if (open.size() != left.size() && !isOne)
    return;
  for (auto [i, slot] : enumerate(open))
    if (const Argument &argument = *left[isOne ? 0 : i]; mayBe(group, *slot, argument))
      find(*slot, argument);
}

Owner Owners::of(const ::onnx::NodeProto &node, int input) const {
  auto number = groupOf.find(&node);
  if (number == groupOf.end())
    return {};
  for (const Slot &slot : groups[number->second].slots)
    if (slot.node == &node && slot.input == input)
      return slot.owner;
  return {};
}

} // namespace dlc::onnx
