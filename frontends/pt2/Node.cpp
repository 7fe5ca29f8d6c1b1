//===- Node.cpp - what the import of a node reads, and gives ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/pt2/Node.h"
#include "frontends/pt2/NodeTexts.h"
#include "frontends/pt2/Services.h"

using namespace mlir;

namespace dlc::pt2 {

using Kind = Argument::Kind;

Node::Node(Services &services, const NodeInfo &info)
    : ProgramNode(services.program, services.diagnostics, shortTarget(info.target), info.name),
      services(services), info(info) {}

//===-- Arguments --------------------------------------------------------------===//

const Argument *Node::find(StringRef name) const {
  for (const NamedArgument &argument : info.inputs)
    if (argument.name == name)
      return argument.value.kind == Kind::None ? nullptr : &argument.value;
  return nullptr;
}

bool Node::has(StringRef name) const { return find(name); }
bool Node::hasNumbers(StringRef name) const {
  const Argument *argument = find(name);
  return argument && argument->kind != Kind::String;
}

void Node::wrong(StringRef name, StringRef expected) {
  const Argument *argument = find(name);
  std::string found = argument && (argument->kind == Kind::SymInt || argument->kind == Kind::SymNumber)
                          ? "'" + argument->text + "', which is computed"
                      : argument ? argument->field
                                 : "none";
  error("expected " + expected + " for the argument '" + name + "', got " + found);
}

Value Node::value(StringRef name) {
  const Argument *argument = find(name);
  if (!argument)
    return {};
  if (argument->kind == Kind::Tensor)
    return services.states.materialize(*services.values.find(argument->text));
  wrong(name, "a tensor");
  return {};
}

Value Node::operand(StringRef name, Type type) {
  const Argument *argument = find(name);
  if (!argument) {
    wrong(name, "a tensor or a number");
    return {};
  }
  if (argument->kind == Kind::Tensor)
    return cast(value(name), type);
  if (argument->kind == Kind::SymInt) {
    std::optional<nn::Dim> size = this->size(name);
    if (!size)
      return {};
    if (size->isStatic())
      return scalar(double(size->factor), type);
    // The size of a named dim is counted when the program runs.
    Value ones = expand(scalar(1, b.getI64Type()), {*size});
    return cast(nn::sumAll({b, ones}), type);
  }
  if (argument->kind == Kind::Bool)
    return scalar(argument->integer != 0, type);
  std::optional<double> number = fixedNumber(name);
  if (!number) {
    wrong(name, "a tensor or a number");
    return {};
  }
  return scalar(*number, type);
}

nn::Shape Node::shape(StringRef name) {
  Value x = value(name);
  return x ? nn::shapeOf(x) : nn::Shape();
}

SmallVector<Value> Node::values(StringRef name) {
  const Argument *argument = find(name);
  SmallVector<Value> result;
  if (!argument || argument->kind != Kind::Tensors) {
    wrong(name, "a list of tensors");
    return {};
  }
  for (const Element &element : argument->elements) {
    GraphValue *known = element.name.empty() ? nullptr : services.values.find(element.name);
    result.push_back(known ? services.states.materialize(*known) : Value());
    if (known && !result.back())
      return {};
  }
  return result;
}

std::optional<double> Node::fixedNumber(StringRef name) {
  const Argument *argument = find(name);
  if (!argument)
    return std::nullopt;
  if (argument->kind == Kind::Float)
    return argument->number;
  if (argument->kind == Kind::Int)
    return double(argument->integer);
  if (argument->kind == Kind::Bool)
    return double(argument->integer != 0);
  return std::nullopt;
}

double Node::number(StringRef name, double fallback) {
  std::optional<double> number = fixedNumber(name);
  if (!number && has(name))
    wrong(name, "a number that is known when the module is exported");
  return number.value_or(fallback);
}

int64_t Node::integer(StringRef name, int64_t fallback) {
  const Argument *argument = find(name);
  if (!argument)
    return fallback;
  if (argument->kind == Kind::Int || argument->kind == Kind::ScalarType)
    return argument->integer;
  if (std::optional<nn::Dim> known = argument->kind == Kind::SymInt ? size(name) : std::nullopt;
      known && known->isStatic())
    return known->factor;
  wrong(name, "a whole number that is known when the module is exported");
  return fallback;
}

bool Node::boolean(StringRef name, bool fallback) {
  const Argument *argument = find(name);
  if (argument && argument->kind != Kind::Bool)
    wrong(name, "true or false");
  return argument && argument->kind == Kind::Bool ? argument->integer != 0 : fallback;
}

std::string Node::text(StringRef name, StringRef fallback) {
  const Argument *argument = find(name);
  if (argument && argument->kind != Kind::String)
    wrong(name, "a text");
  return argument && argument->kind == Kind::String ? argument->text : fallback.str();
}

std::optional<Numbers> Node::integers(StringRef name) {
  std::optional<nn::Shape> all = has(name) ? sizes(name) : std::nullopt;
  if (!all)
    return std::nullopt;
  Numbers numbers;
  for (const nn::Dim &dim : *all) {
    if (!dim.isStatic()) {
      wrong(name, "numbers that are known when the module is exported");
      return std::nullopt;
    }
    numbers.push_back(dim.factor);
  }
  return numbers;
}

std::optional<SmallVector<double>> Node::numbers(StringRef name) {
  const Argument *argument = find(name);
  if (!argument)
    return std::nullopt;
  SmallVector<double> numbers;
  for (const Element &element : argument->elements) {
    if (!element.name.empty())
      return wrong(name, "numbers that are known when the module is exported"), std::nullopt;
    numbers.push_back(element.number);
  }
  return numbers;
}

std::optional<nn::Dim> Node::dimOf(const Element &element) {
  if (element.name.empty())
    return nn::Dim(element.integer);
  GraphValue *known = services.values.find(element.name);
  return known ? known->dim : std::nullopt;
}

std::optional<nn::Dim> Node::size(StringRef name) {
  const Argument *argument = find(name);
  std::optional<nn::Dim> known;
  if (argument && argument->kind == Kind::Int)
    known = nn::Dim(argument->integer);
  else if (argument && argument->kind == Kind::SymInt)
    known = dimOf({argument->text, 0, 0});
  if (!known)
    wrong(name, "a size");
  return known;
}

bool Node::isSize(StringRef name, const nn::Dim &size) {
  const Argument *argument = find(name);
  return argument && argument->kind == Kind::SymInt && dimOf({argument->text, 0, 0}) == size;
}

std::optional<nn::Shape> Node::sizes(StringRef name) {
  const Argument *argument = find(name);
  if (argument && (argument->kind == Kind::Int || argument->kind == Kind::SymInt)) {
    std::optional<nn::Dim> one = size(name);
    return one ? std::optional(nn::Shape{*one}) : std::nullopt;
  }
  nn::Shape shape;
  if (!argument || (argument->kind != Kind::Ints && !argument->elements.empty())) {
    wrong(name, "a list of sizes");
    return std::nullopt;
  }
  for (const Element &element : argument->elements) {
    std::optional<nn::Dim> dim = dimOf(element);
    if (!dim) {
      wrong(name, "a list of sizes");
      return std::nullopt;
    }
    shape.push_back(*dim);
  }
  return shape;
}

std::optional<int64_t> Node::dim(StringRef name, int64_t fallback, int64_t rank) {
  int64_t given = integer(name, fallback);
  if (rank == 0 && (given == 0 || given == -1))
    return 0; // PyTorch has it so
  return axis(given, rank);
}

std::optional<Numbers> Node::dims(StringRef name, int64_t rank) {
  std::optional<Numbers> given = integers(name);
  if (!given && has(name))
    return std::nullopt;
  if (!given || given->empty())
    return llvm::to_vector(llvm::seq<int64_t>(rank));
  return axes(*given, rank);
}

//===-- Results ----------------------------------------------------------------===//

std::vector<std::string> Node::outputs() const {
  std::vector<std::string> names;
  for (const Argument &output : info.outputs) {
    if (output.kind != Kind::Tensors)
      names.push_back(output.text);
    for (const Element &element : output.elements)
      names.push_back(element.name);
  }
  return names;
}

bool Node::wants(int output) const {
  std::vector<std::string> names = outputs();
  return output < int(names.size()) && services.accesses.isRead(names[output]);
}

Type Node::resultType(int output) {
  std::vector<std::string> names = outputs();
  auto meta = output < int(names.size()) ? services.model.graph.tensors.find(names[output])
                                         : services.model.graph.tensors.end();
  Type type = meta == services.model.graph.tensors.end() ? Type()
                                                         : elementTypeOf(meta->second.dtype, program.context);
  if (!type && meta != services.model.graph.tensors.end())
    error("gives " + dtypeName(meta->second.dtype) + ", which dlc does not have");
  return type ? type : b.getF32Type();
}

void Node::give(int output, Value value) {
  std::vector<std::string> names = outputs();
  if (value && output < int(names.size()) && !names[output].empty())
    services.values[names[output]].value = value;
}

void Node::give(nn::Dim size) {
  std::vector<std::string> names = outputs();
  if (!names.empty() && !names[0].empty())
    services.values[names[0]].dim = std::move(size);
}

void Node::giveAll(ArrayRef<Value> values) {
  if (int(values.size()) != outputCount())
    return error("gives " + Twine(values.size()) + " tensors, but the file says that there are " +
                 Twine(outputCount()));
  for (auto [i, value] : llvm::enumerate(values))
    give(int(i), value);
}

//===-- The program ------------------------------------------------------------===//

void Node::warn(const Twine &message) {
  diagnostics.warn(describe(info) + ": " + message.str() + sourceOf(info));
}

void Node::countMode(bool isTraining, bool isNorm) {
  if (isTraining)
    ++services.modes.trained;
  else
    ++(isNorm ? services.modes.evaluatedNorms : services.modes.evaluatedDropouts);
}

std::string Node::buffer(StringRef name) {
  const Argument *argument = find(name);
  GraphValue *known =
      argument && argument->kind == Kind::Tensor ? services.values.find(argument->text) : nullptr;
  if (!known || !known->state || known->state->kind != InputSpec::Kind::Buffer ||
      known->state->arg.text != argument->text) {
    error("expected a buffer of the module for the argument '" + name + "'");
    return "";
  }
  return services.states.declareBuffer(*known->state);
}

} // namespace dlc::pt2
