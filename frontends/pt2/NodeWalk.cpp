//===- NodeWalk.cpp - what an exported program computes --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's operators may write into their first argument. Here every value is written once: the name of the
// argument stands for the result from then on. Values that may share its numbers with it (views) would have
// to change, too: that is refused where one of them is read later.
//===----------------------------------------------------------------------===//
#include "frontends/pt2/NodeWalk.h"
#include "compiler/support/Messages.h"
#include "frontends/pt2/Node.h"
#include "frontends/pt2/NodeTexts.h"
#include "frontends/pt2/OperatorTables.h"
#include "frontends/pt2/Sizes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace dlc::pt2 {

/// What only checks, and what says where and how numbers lie.
static bool isChecking(StringRef target) {
  return llvm::StringSwitch<bool>(shortTarget(target))
      .Cases({"aten._assert_tensor_metadata.default", "aten._assert_async.msg", "aten._assert_scalar.default",
              "aten.sym_constrain_range.default", "aten.sym_constrain_range_for_size.default"},
             true)
      .Cases({"_operator.ge", "_operator.le", "_operator.gt", "_operator.lt", "_operator.eq", "_operator.ne",
              "_operator.and_"},
             true)
      .Default(false);
}
static bool isOfMemory(StringRef argument) {
  return llvm::is_contained({"device", "layout", "pin_memory", "memory_format", "non_blocking",
                             "cudnn_enabled", "cudnn_enable", "copy", "implicit"},
                            argument);
}

//===-- Checks -----------------------------------------------------------------===//

/// Whether all that the node reads is there; says of a name why not, once.
bool NodeWalk::isReady(const NodeInfo &info) {
  bool ready = true;
  auto check = [&](const std::string &name) {
    if (name.empty())
      return;
    GraphValue *value = values.find(name);
    if (!value) {
      diagnostics.addNodeReason("reads '" + name + "', which nothing before it produces");
      values[name].failed = true;
      ready = false;
    } else if (!value->failed && !value->reason.empty()) {
      diagnostics.addNodeReason("reads '" + name + "': " + value->reason);
      value->failed = true;
    }
    ready &= value && !value->failed;
  };
  for (const NamedArgument &argument : info.inputs) {
    using Kind = Argument::Kind;
    Kind kind = argument.value.kind;
    if (kind == Kind::Tensor || kind == Kind::SymInt || kind == Kind::SymNumber)
      check(argument.value.text);
    for (const Element &element : argument.value.elements)
      check(element.name);
  }
  return ready;
}

bool NodeWalk::checkArguments(const NodeInfo &info, const Operator &op) {
  SmallVector<StringRef> known;
  StringRef(op.arguments).split(known, ' ');
  unsigned before = diagnostics.errors();
  for (const NamedArgument &argument : info.inputs)
    if (argument.value.kind != Argument::Kind::None && !isOfMemory(argument.name) &&
        !llvm::is_contained(known, argument.name))
      diagnostics.addNodeReason("the argument '" + argument.name + "' is not supported" + sourceOf(info));
  return diagnostics.errors() == before;
}

/// The shape that the file says, where it can be one of dlc's.
std::optional<nn::Shape> NodeWalk::declaredShape(const TensorMeta &meta) const {
  nn::Shape shape;
  for (const Size &size : meta.sizes) {
    if (size.expression.empty()) {
      shape.push_back(size.number);
      continue;
    }
    std::optional<Product> product = parseProduct(size.expression);
    if (!product)
      return std::nullopt;
    nn::Dim dim(product->factor);
    for (const std::string &symbol : product->symbols) {
      const nn::Dim *named = program.dimNames.find(symbol);
      if (!named)
        return std::nullopt;
      dim = dim * *named;
    }
    shape.push_back(dim);
  }
  return shape;
}

/// What an operator gave is what PyTorch computed when it exported the module.
void NodeWalk::checkDeclared(const std::string &name) {
  auto meta = model.graph.tensors.find(name);
  GraphValue *value = values.find(name);
  if (meta == model.graph.tensors.end() || !value || !value->value)
    return;
  std::optional<nn::Shape> shape = declaredShape(meta->second);
  Type element = elementTypeOf(meta->second.dtype, program.context);
  if (element && element != nn::elementTypeOf(value->value))
    diagnostics.addNodeReason("gives " + typeForUsers(value->value.getType()) +
                              ", but the file says that it is " + dtypeName(meta->second.dtype));
  else if (shape && *shape != nn::shapeOf(value->value))
    diagnostics.addNodeReason("gives the shape " + nn::str(nn::shapeOf(value->value)) +
                              ", but the file says that it is " + nn::str(*shape));
}

//===-- The walk ---------------------------------------------------------------===//

/// Operators are counted, with the author's line of the first node.
void NodeWalk::addUnsupported(const NodeInfo &info) {
  diagnostics.addUnsupported("operator " + shortTarget(info.target).str() + " is not supported",
                             ("'" + Twine(info.name) + "'" + sourceOf(info)).str());
}

/// The names of all tensors and sizes that a node gives.
static std::vector<std::string> outputsOf(const NodeInfo &info) {
  std::vector<std::string> names;
  for (const Argument &output : info.outputs) {
    if (output.kind != Argument::Kind::Tensors)
      names.push_back(output.text);
    for (const Element &element : output.elements)
      names.push_back(element.name);
  }
  return names;
}

/// The first argument is what the operator has written from now on.
void NodeWalk::replaceFirst(const NodeInfo &info, const std::string &result) {
  const Argument *first = info.inputs.empty() ? nullptr : &info.inputs.front().value;
  if (!first || first->kind != Argument::Kind::Tensor)
    return;
  GraphValue *given = values.find(result);
  if (!given || !given->value)
    return;
  Value written = given->value;
  unsigned storage = values[first->text].storage;
  for (const auto &entry : values.all()) {
    StringRef other = entry.first();
    bool isReadLater = services.accesses.isReadAfter(other, currentIndex);
    if (entry.second.storage != storage || other == first->text || other == result || !isReadLater)
      continue;
    diagnostics.addNodeReason("writes into '" + first->text + "', which may share its numbers with '" +
                              other +
                              "', which is read later; save the program without such writes: "
                              "torch.export.save(program.run_decompositions({}), file)" +
                              sourceOf(info));
    return;
  }
  if (std::string symbol = services.states.parameterOf(first->text); !symbol.empty()) {
    diagnostics.addNodeReason("writes into the parameter '" + symbol +
                              "'; only the optimizer changes parameters" + sourceOf(info));
    return;
  }
  values[first->text].value = written;
  values[result].storage = storage;
}

void NodeWalk::importNodes() {
  for (auto [index, node] : llvm::enumerate(model.graph.nodes)) {
    currentIndex = index;
    importNode(node);
  }
}

void NodeWalk::importNode(const NodeInfo &info) {
  diagnostics.currentNode = describe(info);
  unsigned before = diagnostics.errors();
  std::vector<std::string> outputs = outputsOf(info);
  bool isInPlace = false;
  const Operator *op = findOperator(info.target, isInPlace);
  bool isDropped = isChecking(info.target);
  bool isCounter = !info.inputs.empty() && services.accesses.isCounter(info.inputs.front().value.text);
  if (isCounter)
    diagnostics.note("a buffer of whole numbers that nothing else reads is left out");
  for (const std::string &name : outputs)
    if (!name.empty() && values.find(name) && !isDropped)
      diagnostics.addNodeReason("'" + name + "' has another producer already");
  bool ready = isDropped || isCounter || isReady(info);
  if (!op && !isDropped && !isCounter)
    addUnsupported(info);
  if (op && ready && !isDropped && !isCounter && diagnostics.errors() == before &&
      checkArguments(info, *op)) {
    program.body.setLoc(program.locationOf(info.name));
    Node node(services, info);
    op->import(node);
  }
  const GraphValue first = info.inputs.empty() ? GraphValue() : values.lookup(info.inputs.front().value.text);
  for (const std::string &name : outputs) {
    if (name.empty())
      continue;
    GraphValue &value = values[name];
    bool isView = op && (op->sharing == Sharing::View ||
                         (op->sharing == Sharing::WhereEqual && value.value == first.value));
    value.storage = isView && first.storage ? first.storage : values.newStorage();
    if (isDropped || isCounter)
      value.reason = "it is the result of a check, which dlc leaves out";
    // An output that no operator gave is told where it is read.
    else if (!op || !ready || diagnostics.errors() != before)
      value.failed = true;
    else if (!value.value && !value.dim)
      value.reason = "dlc does not compute this result of " + diagnostics.currentNode;
  }
  if (diagnostics.errors() != before || !op || !ready || isDropped || isCounter)
    return;
  if (isInPlace && !outputs.empty())
    replaceFirst(info, outputs.front());
  for (const std::string &name : outputs)
    checkDeclared(name);
}

} // namespace dlc::pt2
