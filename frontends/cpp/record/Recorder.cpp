//===- Recorder.cpp - a description as a program under construction -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/record/Recorder.h"
#include "dialects/nn/Infer.h"
#include "frontends/common/DenseElements.h"
#include "frontends/common/IndexRange.h"
#include "frontends/cpp/record/State.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace dlc::record {

Recorder::State::State() : context(MLIRContext::Threading::DISABLED) {
  context.loadDialect<nn::NNDialect, train::TrainDialect>();
  context.printOpOnDiagnostic(false);
  Location location = UnknownLoc::get(&context);
  module = ModuleOp::create(location);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto program = train::ProgramOp::create(builder, location, "recording");
  builder.setInsertionPointToStart(&program.getBody().emplaceBlock());
  function = train::FunctionOp::create(builder, location, train::FunctionKind::Forward, "forward");
  function.getBody().emplaceBlock();
}

Recorder::Recorder() : recording(std::make_unique<State>()) {}
Recorder::~Recorder() = default;

/// Values live as long as the process: a destructor of the user's, run at its end, may still hold one.
Recorder &Recorder::get() {
  static auto *recorder = new Recorder();
  return *recorder;
}

Id Recorder::State::add(Value value) {
  values.push_back(value);
  return ids[value] = Id(values.size() - 1);
}

/// The module's path is the name of what is computed, as a node's name is in ONNX; without one it is the
/// line.
Location Recorder::State::locationOf(const Place &place) {
  Location line = FileLineColLoc::get(&context, place.file, place.line, place.column);
  std::string name = place.module;
  if (name.empty())
    name = (llvm::sys::path::filename(place.file) + ":" + Twine(place.line)).str();
  return NameLoc::get(StringAttr::get(&context, name), line);
}

Outcome<RankedTensorType> Recorder::State::typeOf(const Type &type) {
  using Result = Outcome<RankedTensorType>;
  nn::Shape shape;
  for (const Dim &dim : type.shape) {
    for (const auto &[name, bound] : dim.names) {
      std::optional<nn::Dim> parsed = nn::Dim::parse(name);
      if (!parsed || parsed->isStatic() || parsed->names.size() != 1 || parsed->factor != 1)
        return Result::fail("expected a dim's name of letters, digits and _, got '" + name + "'");
      if (bound < 1)
        return Result::fail("dim '" + name + "': expected a bound above 0, got " + std::to_string(bound));
      bounds[name] = bound;
    }
    if (dim.factor < 0)
      return Result::fail("expected sizes of at least 0, got " + dim.str());
    shape.push_back(dimOf(dim));
  }
  if (nn::isTooLarge(shape, [&](StringRef name) { return bounds.lookup(name); }))
    return Result::fail("a tensor of shape " + dlc::str(type.shape) + " is too large");
  return {nn::tensorType(shape, elementType(type.dtype, context)), ""};
}

Id Recorder::State::read(Symbol::Kind kind, const std::string &name, RankedTensorType type,
                         std::optional<Elements> elements, const Place &place) {
  OpBuilder builder = OpBuilder::atBlockEnd(&function.getBody().front());
  Id id = values.size();
  std::string symbol = "v" + std::to_string(id);
  symbols[symbol] = {kind, id, name, std::move(elements), {}, ""};
  return add(train::ReadOp::create(builder, locationOf(place), type, symbol));
}

Symbol &Recorder::State::symbolOf(Id id) {
  return symbols.find(cast<train::ReadOp>(source(id).getDefiningOp()).getSymbol())->second;
}

Value Recorder::State::source(Id id) const {
  auto found = unhooked.find(id);
  return found == unhooked.end() ? values[id] : found->second;
}

Outcome<Id> Recorder::input(const std::string &name, const Type &type, const std::optional<Elements> &example,
                            const Place &place) {
  if (name.empty())
    return Outcome<Id>::fail("input: expected a name, got ''");
  auto tensor = recording->typeOf(type);
  if (!tensor.value)
    return Outcome<Id>::fail("input '" + name + "': " + tensor.error);
  if (example)
    if (std::string error = recording->bindSizes(type, *example); !error.empty())
      return Outcome<Id>::fail("input '" + name + "': " + error);
  Id id = recording->read(Symbol::Kind::Input, name, *tensor.value, example, place);
  for (const Dim &dim : type.shape)
    llvm::append_range(recording->symbolOf(id).bounds, dim.names);
  return {id, ""};
}

Outcome<Id> Recorder::state(const Elements &initial, const Place &place, bool isBuffer) {
  auto type = recording->typeOf({Shape(initial.shape.begin(), initial.shape.end()), initial.dtype});
  if (!type.value)
    return Outcome<Id>::fail(type.error);
  Id id = recording->read(Symbol::Kind::State, "", *type.value, initial, place);
  recording->symbolOf(id).isBuffer = isBuffer;
  return {id, ""};
}

Id Recorder::randomState(const Place &place) {
  if (!recording->random) {
    auto type = RankedTensorType::get({2}, IntegerType::get(&recording->context, 64));
    recording->random = recording->read(Symbol::Kind::Random, "", type, std::nullopt, place);
  }
  return recording->random;
}

Outcome<Id> Recorder::constant(const Elements &elements, const Place &place) {
  auto type = recording->typeOf({Shape(elements.shape.begin(), elements.shape.end()), elements.dtype});
  if (!type.value)
    return Outcome<Id>::fail(type.error);
  OpBuilder builder = OpBuilder::atBlockEnd(&recording->function.getBody().front());
  auto value = frontend::denseElements(*type.value, elements.bytes, elements.splat);
  return {recording->add(nn::ConstantOp::create(builder, recording->locationOf(place), value)), ""};
}

void Recorder::limitIndices(Id indices, int64_t limit, std::optional<int64_t> ignored) {
  train::ReadOp read = frontend::readOfIndices(recording->values[indices]);
  if (!read || limit < 1)
    return;
  Symbol &symbol = recording->symbolOf(recording->ids[read]);
  // Who uses indices twice may ignore what both uses ignore.
  symbol.ignored = !symbol.limit || symbol.ignored == ignored ? ignored : std::nullopt;
  symbol.limit = std::min(symbol.limit.value_or(limit), limit);
}

dlc::record::Type Recorder::typeOf(Id value) const {
  auto tensor = cast<RankedTensorType>(recording->values[value].getType());
  Type type{{}, dtypeOf(tensor.getElementType())};
  for (const nn::Dim &dim : nn::shapeOf(tensor)) {
    Dim size(dim.factor);
    for (const std::string &name : dim.names)
      size.names.emplace_back(name, recording->bounds.lookup(name));
    type.shape.push_back(std::move(size));
  }
  return type;
}

std::string Recorder::originOf(Id value) const {
  Operation *op = recording->values[value].getDefiningOp();
  while (isa<train::StopGradientOp, train::CustomGradientOp>(op))
    op = op->getOperand(0).getDefiningOp();
  if (auto read = dyn_cast<train::ReadOp>(op)) {
    const Symbol &symbol = recording->symbols.find(read.getSymbol())->second;
    return symbol.kind == Symbol::Kind::Input ? "input" : symbol.isBuffer ? "buffer" : "parameter";
  }
  return op->getName().stripDialect().str();
}

void Recorder::alias(Id id, Id other) {
  recording->values[id] = recording->values[other];
  if (Value source = recording->unhooked.lookup(other))
    recording->unhooked[id] = source;
}

bool Recorder::isParameter(Id value) const {
  auto read = dyn_cast<train::ReadOp>(recording->source(value).getDefiningOp());
  if (!read)
    return false;
  const Symbol &symbol = recording->symbols.find(read.getSymbol())->second;
  return symbol.kind == Symbol::Kind::State && !symbol.isBuffer;
}

Place placeOf(Location location) {
  Place place;
  location->walk([&](Location part) {
    if (auto line = dyn_cast<FileLineColLoc>(part))
      place = {line.getFilename().str(), line.getLine(), line.getColumn(), place.module};
    return WalkResult::advance();
  });
  return place;
}

Place Recorder::placeOf(Id value) const { return record::placeOf(recording->values[value].getLoc()); }

} // namespace dlc::record
