//===- Node.cpp - what the import of an ONNX node reads, makes and gives
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Node.h"
#include "frontends/onnx/Importer.h"
#include "frontends/onnx/Messages.h"

using namespace mlir;

namespace dlc::onnx {

//===-- Inputs ---------------------------------------------------------------===//

Node::Node(Importer &importer, const ::onnx::NodeProto &proto, ImplicitLocOpBuilder &b, int64_t opset,
           int64_t since)
    : ProgramNode(importer, b, proto.op_type(), nameOf(proto)), opset(opset), since(since),
      importer(importer), proto(proto) {}

int Node::inputCount() const { return proto.input_size(); }
bool Node::has(int input) const { return input < proto.input_size() && !proto.input(input).empty(); }
StringRef Node::inputName(int input) const {
  return input < proto.input_size() ? StringRef(proto.input(input)) : StringRef();
}

Value Node::value(int input) {
  return has(input)
             ? importer.materialize(importer.resolve(inputName(input)), *importer.find(inputName(input)))
             : Value();
}

const HostTensor *Node::constant(int input) { return has(input) ? constantOf(inputName(input)) : nullptr; }

std::optional<double> Node::fixedNumber(int input) {
  const HostTensor *known = constant(input);
  return known && known->count() == 1 ? fixedNumbers(input) : std::nullopt;
}

std::optional<double> Node::fixedNumbers(int input) {
  const HostTensor *known = constant(input);
  if (!known || known->count() == 0)
    return std::nullopt;
  for (int64_t i = 1; i < known->count(); ++i)
    if (known->number(i) != known->number(0))
      return std::nullopt;
  StringRef name = importer.resolve(inputName(input));
  bool isTrained = known->isFloat() && importer.isTrained(name, *importer.find(name));
  return isTrained ? std::nullopt : std::optional(known->number(0));
}

std::optional<DimTensor> Node::dims(int input) {
  if (!has(input))
    return std::nullopt;
  GraphValue &graphValue = *importer.find(inputName(input));
  if (const HostTensor *known = graphValue.dims ? nullptr : constant(input))
    graphValue.dims = asDims(*known);
  return graphValue.dims;
}

std::optional<SmallVector<int64_t>> Node::integers(int input, StringRef what) {
  std::optional<DimTensor> known = dims(input);
  if (!has(input)) {
    error("expected " + what + ", in input " + Twine(input) + " or an attribute, and found neither");
    return std::nullopt;
  }
  if (!known || !known->isStatic()) {
    error(what + " must be known at compile time, but '" + inputName(input) + "' is computed or an input");
    return std::nullopt;
  }
  return llvm::map_to_vector(known->elements, [](const nn::Dim &dim) { return dim.factor; });
}

nn::Shape Node::shape(int input) {
  GraphValue &graphValue = *importer.find(inputName(input));
  if (graphValue.value)
    return nn::shapeOf(graphValue.value);
  ArrayRef<int64_t> sizes =
      graphValue.constant ? graphValue.constant->type.getShape() : ArrayRef<int64_t>(graphValue.dims->shape);
  return nn::Shape(sizes.begin(), sizes.end());
}

ArrayRef<Value> Node::parts(int input) { return importer.find(inputName(input))->parts; }

Type Node::elementType(int input) {
  GraphValue &graphValue = *importer.find(inputName(input));
  if (graphValue.value)
    return nn::elementTypeOf(graphValue.value);
  return graphValue.constant ? graphValue.constant->type.getElementType() : graphValue.dims->elementType;
}

//===-- Results --------------------------------------------------------------===//

int Node::outputCount() const { return proto.output_size(); }
bool Node::wants(int output) const { return output < proto.output_size() && !proto.output(output).empty(); }
std::string Node::outputName(int output) const {
  return wants(output) ? proto.output(output) : std::string();
}

void Node::give(int output, Value value) {
  if (wants(output) && value)
    importer.values[proto.output(output)].value = value;
}

void Node::give(int output, HostTensor tensor) {
  if (wants(output))
    importer.values[proto.output(output)].constant = std::make_shared<const HostTensor>(std::move(tensor));
}

void Node::give(int output, DimTensor dims) {
  if (!wants(output))
    return;
  GraphValue &graphValue = importer.values[proto.output(output)];
  if (dims.isStatic())
    graphValue.constant = std::make_shared<const HostTensor>(dims.host());
  graphValue.dims = std::move(dims);
}

void Node::give(int output, std::vector<Value> parts) {
  if (!wants(output))
    return;
  GraphValue &graphValue = importer.values[proto.output(output)];
  graphValue.parts = std::move(parts);
  graphValue.reason = "a sequence of tensors, which only SequenceAt can read";
}

void Node::giveInput(int input) {
  if (wants(0))
    importer.aliases[outputName(0)] = importer.resolve(inputName(input)).str();
}

void Node::giveName(int output, StringRef name) {
  if (wants(output))
    importer.aliases[outputName(output)] = importer.resolve(name).str();
}

std::optional<::onnx::GraphProto> Node::graph(StringRef name) {
  const ::onnx::AttributeProto *found = attribute(name);
  if (!found || !found->has_g()) {
    error("attribute '" + name + "' must be a graph");
    return std::nullopt;
  }
  ::onnx::GraphProto graph = found->g();
  importer.declareInside(graph);
  return graph;
}

std::optional<std::vector<std::string>> Node::importBody(const ::onnx::GraphProto &body,
                                                         ArrayRef<std::string> inputs, bool mayNotCount) {
  std::vector<std::string> results = importer.importBody(body, inputs, mayNotCount);
  for (const std::string &name : results)
    if (const GraphValue *found = importer.find(name); !found || found->failed)
      return std::nullopt;
  return results;
}

bool Node::mayNotCount() const { return importer.isInBodyThatMayNotCount; }

int64_t Node::maxTrips() const { return importer.onnxOptions.maxTrips; }

int64_t Node::bodyNodes() const { return importer.bodyNodes; }

Value Node::valueOf(StringRef name) {
  GraphValue *found = importer.find(name);
  return found && !found->failed && found->reason.empty() && found->parts.empty()
             ? importer.materialize(importer.resolve(name), *found)
             : Value();
}

const HostTensor *Node::constantOf(StringRef name) {
  GraphValue &graphValue = *importer.find(name);
  if (!graphValue.constant && graphValue.value)
    if (auto known = dyn_cast_or_null<DenseElementsAttr>(importer.evaluate(graphValue.value)))
      graphValue.constant = std::make_shared<const HostTensor>(hostTensor(known));
  return graphValue.constant.get();
}

std::string Node::addValue(StringRef name, Value value) {
  std::string given = importer.freeName(name);
  importer.values[given].value = value;
  return given;
}

std::string Node::addConstant(StringRef name, HostTensor tensor) {
  std::string given = importer.freeName(name);
  importer.values[given].constant = std::make_shared<const HostTensor>(std::move(tensor));
  return given;
}

void Node::warn(const Twine &message) { importer.warnings.push_back(describe(proto) + ": " + message.str()); }

} // namespace dlc::onnx
