//===- Node.cpp - one ONNX node while it is imported
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Node.h"
#include "frontends/common/IndexRange.h"
#include "frontends/onnx/Importer.h"
#include "frontends/onnx/Messages.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace mlir;

namespace dlc::onnx {

//===-- Inputs ---------------------------------------------------------------===//

int Node::inputCount() const { return proto.input_size(); }
bool Node::has(int input) const { return input < proto.input_size() && !proto.input(input).empty(); }
StringRef Node::inputName(int input) const { return proto.input(input); }

Value Node::value(int input) {
  return has(input)
             ? importer.materialize(importer.resolve(inputName(input)), *importer.find(inputName(input)))
             : Value();
}

const HostTensor *Node::constant(int input) { return has(input) ? constantOf(inputName(input)) : nullptr; }

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

//===-- Attributes -----------------------------------------------------------===//

const ::onnx::AttributeProto *Node::attribute(StringRef name) const {
  for (const ::onnx::AttributeProto &attribute : proto.attribute())
    if (StringRef(attribute.name()) == name)
      return &attribute;
  return nullptr;
}

bool Node::hasAttribute(StringRef name) const { return attribute(name) != nullptr; }

int64_t Node::integer(StringRef name, int64_t fallback) {
  const ::onnx::AttributeProto *found = attribute(name);
  if (found && !found->has_i())
    error("attribute '" + name + "' must be an integer");
  return found ? found->i() : fallback;
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
  return SmallVector<int64_t>(found->ints().begin(), found->ints().end());
}

std::optional<SmallVector<float>> Node::numberList(StringRef name) {
  const ::onnx::AttributeProto *found = attribute(name);
  if (!found)
    return std::nullopt;
  return SmallVector<float>(found->floats().begin(), found->floats().end());
}

std::optional<int64_t> Node::axis(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  error("axis " + Twine(axis) + " is not in [" + Twine(-rank) + ", " + Twine(rank) + ")");
  return std::nullopt;
}

std::optional<SmallVector<int64_t>> Node::axes(ArrayRef<int64_t> axes, int64_t rank) {
  if (rank > maxRank) {
    error("a tensor has at most " + Twine(maxRank) + " dims, got " + Twine(rank));
    return std::nullopt;
  }
  SmallVector<int64_t> sorted;
  for (int64_t each : axes) {
    std::optional<int64_t> counted = axis(each, rank);
    if (!counted)
      return std::nullopt;
    sorted.push_back(*counted);
  }
  llvm::sort(sorted);
  if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end())
    return sorted;
  error("an axis is given twice");
  return std::nullopt;
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
                                                         ArrayRef<std::string> inputs) {
  std::vector<std::string> results = importer.importBody(body, inputs);
  for (const std::string &name : results)
    if (const GraphValue *found = importer.find(name); !found || found->failed)
      return std::nullopt;
  return results;
}

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

void Node::error(const Twine &message) { emitError(b.getLoc(), message); }
void Node::remark(const Twine &message) {
  importer.remarks[{proto.op_type(), message.str()}].push_back(nameOf(proto).str());
}
void Node::warn(const Twine &message) { importer.warnings.push_back(describe(proto) + ": " + message.str()); }
void Node::note(const Twine &message) {
  importer.notes[{proto.op_type(), message.str()}].push_back(nameOf(proto).str());
}

std::string str(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", number);
  return text;
}

//===-- Operations -----------------------------------------------------------===//

bool Node::checkSize(ArrayRef<nn::Dim> shape) {
  if (countElements(llvm::map_to_vector(shape, [](const nn::Dim &dim) { return dim.factor; })))
    return true;
  error("a shape has a negative dim or is too large: " + nn::str(shape));
  return false;
}

Value Node::reshape(Value x, ArrayRef<nn::Dim> shape) {
  if (!x || !checkSize(shape))
    return {};
  RankedTensorType type = nn::tensorType(shape, nn::elementTypeOf(x));
  return x.getType() == type ? x : nn::ReshapeOp::create(b, type, x).getY();
}

Value Node::expand(Value x, ArrayRef<nn::Dim> shape) {
  if (!x || !checkSize(shape))
    return {};
  RankedTensorType type = nn::tensorType(shape, nn::elementTypeOf(x));
  return x.getType() == type ? x : nn::ExpandOp::create(b, type, x).getY();
}

Value Node::part(Value x, int64_t axis, int64_t start, int64_t limit, int64_t step) {
  if (!x)
    return {};
  nn::Shape shape = nn::shapeOf(x);
  SmallVector<int64_t> starts(shape.size(), 0), steps(shape.size(), 1), limits;
  for (const nn::Dim &dim : shape)
    limits.push_back(dim.isStatic() ? dim.factor : -1);
  starts[axis] = start;
  limits[axis] = limit;
  steps[axis] = step;
  return make<nn::SliceOp>({x}, {attr("starts", starts), attr("limits", limits), attr("steps", steps)});
}

Value Node::scalar(double value, Type elementType) {
  HostTensor tensor = splatTensor(RankedTensorType::get({}, elementType), value);
  return nn::ConstantOp::create(b, tensor.denseAttribute());
}

//===-- The program ----------------------------------------------------------===//

bool Node::predictOnly() const { return importer.options.predictOnly; }

bool Node::keepsPopulationVariance() const {
  if (importer.options.runningVariance)
    return *importer.options.runningVariance == RunningVariance::Population;
  return importer.model.producer_name() != "pytorch";
}

std::optional<int64_t> Node::trainingSize(ArrayRef<nn::Dim> shape) const {
  if (importer.options.batch == 0 && importer.dimNames.hasBatch())
    return std::nullopt; // the size is none that was asked for
  return countElements(
      llvm::map_to_vector(shape, [&](const nn::Dim &dim) { return importer.dimNames.boundOf(dim); }));
}

std::optional<std::string> Node::buffer(int input) {
  const HostTensor *initial = constant(input);
  if (!initial)
    return std::nullopt;
  // A batch norm that is applied twice has one running mean; what others share was untied before.
  std::string &symbol = importer.buffers[inputName(input)];
  if (!symbol.empty())
    return symbol;
  if (!importer.checkStateName(inputName(input)))
    return std::nullopt;
  symbol = importer.uniqueSymbol(inputName(input));
  train::StateOp::create(importer.declarations, importer.locationOf(inputName(input)),
                         train::StateKind::Buffer, symbol, FlatSymbolRefAttr(), /*frozen=*/false,
                         initial->type, initial->attribute(symbol));
  return symbol;
}

Value Node::rng() {
  if (!importer.rngValue) {
    auto type = RankedTensorType::get({2}, b.getI64Type());
    std::string symbol = importer.addedSymbol("rng");
    train::StateOp::create(importer.declarations, importer.locationOf("rng"), train::StateKind::Rng, symbol,
                           FlatSymbolRefAttr(), /*frozen=*/false, type, ElementsAttr());
    importer.rngValue = train::ReadOp::create(b, type, symbol);
  }
  return importer.rngValue;
}

int64_t Node::nextStream() { return importer.streams++; }

void Node::limitIndices(Value indices, int64_t low, const nn::Dim &limit, std::optional<int64_t> ignored) {
  train::ReadOp read = frontend::readOfIndices(indices);
  if (!read || !limit.isStatic())
    return;
  auto input =
      dyn_cast_or_null<train::InputOp>(SymbolTable::lookupSymbolIn(importer.program, read.getSymbolAttr()));
  if (!input || limit.factor <= 0)
    return;
  input.setLow(std::max(low, int64_t(input.getLow().value_or(low))));
  input.setLimit(std::min(limit.factor, int64_t(input.getLimit().value_or(limit.factor))));
  if (ignored)
    input.setIgnore(*ignored);
}

std::optional<int64_t> Node::paddingIndex() const { return paddingIndexOf(proto); }

StringRef Node::folder() const { return importer.folder; }

} // namespace dlc::onnx
