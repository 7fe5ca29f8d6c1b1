//===- Node.cpp - one ONNX node while it is imported -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Node.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/NodeProtos.h"
#include "frontends/onnx/Services.h"
#include <cmath>

using namespace mlir;

namespace dlc::onnx {

//===-- Inputs ---------------------------------------------------------------===//

Node::Node(Services &services, const ::onnx::NodeProto &proto, int64_t since)
    : ProgramNode(services.program, services.diagnostics, proto.op_type(), nameOf(proto)),
      opset(services.opset), since(since), services(services), proto(proto) {}

int Node::inputCount() const { return proto.input_size(); }
bool Node::has(int input) const { return input < proto.input_size() && !proto.input(input).empty(); }
StringRef Node::inputName(int input) const {
  return input < proto.input_size() ? StringRef(proto.input(input)) : StringRef();
}

Value Node::value(int input) { return has(input) ? services.states.valueOf(inputName(input)) : Value(); }

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
  return services.states.isTrained(inputName(input)) ? std::nullopt : std::optional(known->number(0));
}

std::optional<DimTensor> Node::dims(int input) {
  if (!has(input))
    return std::nullopt;
  GraphValue &graphValue = *services.names.find(inputName(input));
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
  GraphValue &graphValue = *services.names.find(inputName(input));
  if (graphValue.value)
    return nn::shapeOf(graphValue.value);
  ArrayRef<int64_t> sizes =
      graphValue.constant ? graphValue.constant->type.getShape() : ArrayRef<int64_t>(graphValue.dims->shape);
  return nn::Shape(sizes.begin(), sizes.end());
}

ArrayRef<Value> Node::parts(int input) { return services.names.find(inputName(input))->parts; }

Type Node::elementType(int input) {
  GraphValue &graphValue = *services.names.find(inputName(input));
  if (graphValue.value)
    return nn::elementTypeOf(graphValue.value);
  return graphValue.constant ? graphValue.constant->type.getElementType() : graphValue.dims->elementType;
}

IntegerType Node::quantizedType(int input) {
  return has(input) ? services.names.find(inputName(input))->quantized : IntegerType();
}

//===-- Attributes -----------------------------------------------------------===//

const ::onnx::AttributeProto *Node::attribute(StringRef name) const { return findAttribute(proto, name); }

bool Node::hasAttribute(StringRef name) const { return attribute(name) != nullptr; }

/// Attributes that say yes or no, whatever operator has them. Readers take other numbers differently: as yes,
/// as no, or by their last bits.
static bool isTruthValue(StringRef name) {
  static const llvm::StringSet<> names = {"align_corners",
                                          "allowzero",
                                          "antialias",
                                          "broadcast",
                                          "ceil_mode",
                                          "count_include_pad",
                                          "exclude_outside",
                                          "detect_negative",
                                          "detect_positive",
                                          "exclusive",
                                          "fmod",
                                          "input_forget",
                                          "interleaved",
                                          "is_causal",
                                          "is_test",
                                          "keepdims",
                                          "largest",
                                          "linear_before_reset",
                                          "noop_with_empty_axes",
                                          "reverse",
                                          "select_last_index",
                                          "sorted",
                                          "spatial",
                                          "storage_order",
                                          "training_mode",
                                          "transA",
                                          "transB",
                                          "unidirectional",
                                          "upper"};
  return names.contains(name);
}

int64_t Node::integer(StringRef name, int64_t fallback) {
  const ::onnx::AttributeProto *found = attribute(name);
  if (!found)
    return fallback;
  if (!found->has_i())
    error("attribute '" + name + "' must be an integer");
  else if (isTruthValue(name) && found->i() != 0 && found->i() != 1)
    error("attribute '" + name + "' is " + Twine(found->i()) + ", expected 0 or 1");
  else
    return found->i();
  return fallback;
}

/// Whether it has a value of another kind in place of a list's: it would be read as a list without elements.
static bool isNoList(const ::onnx::AttributeProto &attribute, int listed) {
  return listed == 0 &&
         (attribute.has_i() || attribute.has_f() || attribute.has_s() || attribute.has_t() ||
          attribute.has_g() || attribute.ints_size() || attribute.floats_size() || attribute.strings_size());
}

double Node::anyNumber(StringRef name, double fallback) {
  const ::onnx::AttributeProto *found = attribute(name);
  if (found && !found->has_f())
    error("attribute '" + name + "' must be a number");
  return found ? double(found->f()) : fallback;
}

double Node::number(StringRef name, double fallback, double low, double high) {
  double given = anyNumber(name, fallback);
  if (std::isfinite(given) && given >= low && given <= high)
    return given;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  error("attribute '" + name + "' is " + str(given) + ", expected a finite number" +
        (low == -infinity   ? ""
         : high == infinity ? " of at least " + str(low)
                            : " from " + str(low) + " to " + str(high)));
  return fallback;
}

std::string Node::text(StringRef name, StringRef fallback) {
  const ::onnx::AttributeProto *found = attribute(name);
  if (found && !found->has_s())
    error("attribute '" + name + "' must be a string");
  return found ? found->s() : fallback.str();
}

std::optional<SmallVector<int64_t>> Node::integerList(StringRef name) {
  const ::onnx::AttributeProto *found = attribute(name);
  if (!found)
    return std::nullopt;
  if (isNoList(*found, found->ints_size()))
    error("attribute '" + name + "' must be a list of integers");
  return SmallVector<int64_t>(found->ints().begin(), found->ints().end());
}

std::optional<SmallVector<float>> Node::numberList(StringRef name) {
  const ::onnx::AttributeProto *found = attribute(name);
  if (!found)
    return std::nullopt;
  if (isNoList(*found, found->floats_size()))
    error("attribute '" + name + "' must be a list of numbers");
  return SmallVector<float>(found->floats().begin(), found->floats().end());
}

//===-- Results --------------------------------------------------------------===//

int Node::outputCount() const { return proto.output_size(); }
bool Node::wants(int output) const { return output < proto.output_size() && !proto.output(output).empty(); }
std::string Node::outputName(int output) const {
  return wants(output) ? proto.output(output) : std::string();
}

void Node::give(int output, Value value) {
  if (wants(output) && value)
    services.names[proto.output(output)].value = value;
}

void Node::give(int output, HostTensor tensor) {
  if (wants(output))
    services.names[proto.output(output)].constant = std::make_shared<const HostTensor>(std::move(tensor));
}

void Node::give(int output, DimTensor dims) {
  if (!wants(output))
    return;
  GraphValue &graphValue = services.names[proto.output(output)];
  if (dims.isStatic())
    graphValue.constant = std::make_shared<const HostTensor>(dims.host());
  graphValue.dims = std::move(dims);
}

void Node::give(int output, std::vector<Value> parts) {
  if (!wants(output))
    return;
  GraphValue &graphValue = services.names[proto.output(output)];
  graphValue.parts = std::move(parts);
  graphValue.reason = "a sequence of tensors, which only SequenceAt can read";
}

void Node::giveQuantized(Value value, IntegerType type) {
  give(0, value);
  if (wants(0))
    services.names[outputName(0)].quantized = type;
}

void Node::giveInput(int input) {
  if (wants(0))
    services.names.addAlias(outputName(0), inputName(input));
}

void Node::giveName(int output, StringRef name) {
  if (wants(output))
    services.names.addAlias(outputName(output), name);
}

Value Node::valueOf(StringRef name) {
  const GraphValue *found = services.names.find(name);
  return found && !found->failed && found->reason.empty() && found->parts.empty()
             ? services.states.valueOf(name)
             : Value();
}

const HostTensor *Node::constantOf(StringRef name) {
  GraphValue &graphValue = *services.names.find(name);
  if (!graphValue.constant && graphValue.value)
    if (auto known = dyn_cast_or_null<DenseElementsAttr>(services.constants.of(graphValue.value)))
      graphValue.constant = std::make_shared<const HostTensor>(hostTensor(known));
  return graphValue.constant.get();
}

std::string Node::addValue(StringRef name, Value value) {
  std::string given = services.names.freeName(name);
  services.names[given].value = value;
  return given;
}

std::string Node::addConstant(StringRef name, HostTensor tensor) {
  std::string given = services.names.freeName(name);
  services.names[given].constant = std::make_shared<const HostTensor>(std::move(tensor));
  return given;
}

//===-- Graphs in attributes --------------------------------------------------===//

std::optional<::onnx::GraphProto> Node::graph(StringRef name) {
  const ::onnx::AttributeProto *found = attribute(name);
  if (!found || !found->has_g()) {
    error("attribute '" + name + "' must be a graph");
    return std::nullopt;
  }
  ::onnx::GraphProto graph = found->g();
  services.bodies.declare(graph);
  return graph;
}

std::optional<std::vector<std::string>> Node::importBody(const ::onnx::GraphProto &body,
                                                         ArrayRef<std::string> inputs, bool mayNotCount) {
  std::vector<std::string> results = services.bodies.import(body, inputs, mayNotCount);
  for (const std::string &name : results)
    if (const GraphValue *found = services.names.find(name); !found || found->failed)
      return std::nullopt;
  return results;
}

bool Node::mayNotCount() const { return services.bodies.mayNotCount(); }

int64_t Node::maxTrips() const { return services.options.maxTrips; }

int64_t Node::bodyNodes() const { return services.bodies.nodeCount(); }

//===-- The program ----------------------------------------------------------===//

void Node::warn(const Twine &message) { diagnostics.warn(describe(proto) + ": " + message.str()); }

bool Node::keepsPopulationVariance() const {
  if (services.options.runningVariance)
    return *services.options.runningVariance == RunningVariance::Population;
  return !isOfPyTorch();
}

bool Node::isOfPyTorch() const { return services.model.producer_name() == "pytorch"; }

bool Node::isOfTraining() const { return services.record.isOfTraining(); }

std::optional<nn::Dim> Node::openedBatch() const {
  if (!services.options.opensBatchOfOne || !program.dimNames.hasBatch())
    return std::nullopt;
  nn::Dim batch;
  batch.names.push_back(program.dimNames.declared().front().name);
  return batch;
}

void Node::forgetDeclaredShape(int output) { services.declaredShapes.forget(outputName(output)); }

bool Node::isInTraining() const { return onnx::isInTraining(proto); }

std::optional<std::string> Node::buffer(int input) {
  const HostTensor *initial = constant(input);
  return initial ? services.states.buffer(inputName(input), *initial) : std::nullopt;
}

Value Node::bufferValue(int input) {
  const HostTensor *initial = constant(input);
  return initial ? services.states.bufferValue(inputName(input), *initial) : Value();
}

Value Node::parameterFromIntegers(const HostTensor &numbers) {
  SmallVector<StringRef> key;
  for (int input : {0, 1, 2})
    key.push_back(services.names.resolve(inputName(input)));
  bool isNew = false;
  Value parameter = services.states.parameterFromIntegers(key, numbers, isNew);
  if (isNew)
    remark("the initializer of integers '" + key.front() +
           "' is trained as the float numbers that it stands for");
  return parameter;
}

bool Node::isDetached() const { return isDetach(proto); }

Limits Node::limits() const { return limitsOf(proto); }

bool Node::isMeanOfUpdates() const { return onnx::isMeanOfUpdates(proto); }

std::optional<int64_t> Node::paddingIndex() const { return paddingIndexOf(proto); }

const ModelFile &Node::file() const { return services.file; }

} // namespace dlc::onnx
