//===- Values.cpp - the elements of what is recorded --------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/train/Custom.h"
#include "frontends/cpp/record/State.h"
#include "frontends/cpp/record/Trained.h"

using namespace mlir;

namespace dlc::record {

std::string Recorder::State::bindSizes(const Type &type, const Elements &example) {
  bool fits = example.dtype == type.dtype && example.shape.size() == type.shape.size();
  llvm::StringMap<int64_t> found;
  for (size_t i = 0; fits && i < type.shape.size(); ++i) {
    const Dim &dim = type.shape[i];
    int64_t size = example.shape[i];
    if (dim.names.empty()) {
      fits = dim.factor == size;
      continue;
    }
    const auto &[name, bound] = dim.names[0];
    int64_t count = size / dim.factor;
    fits = dim.names.size() == 1 && size % dim.factor == 0 && count >= 1 && count <= bound &&
           found.try_emplace(name, count).first->second == count;
  }
  if (fits) {
    for (const auto &size : found)
      resize(size.getKey().str(), size.getValue());
    return "";
  }
  Shape shape(example.shape.begin(), example.shape.end());
  return std::string("expected an example of type ") + name_of(type.dtype) + " " + dlc::str(type.shape) +
         ", got " + name_of(example.dtype) + " " + dlc::str(shape);
}

/// What another model, or an earlier input, has of another size cannot be computed any more.
void Recorder::State::resize(const std::string &name, int64_t size) {
  auto [known, isNew] = sizes.try_emplace(name, size);
  if (isNew || known->second == size)
    return;
  known->second = size;
  for (auto &entry : symbols)
    if (llvm::any_of(entry.second.bounds, [&](const auto &bound) { return bound.first == name; }) &&
        entry.second.elements) {
      entry.second.elements.reset();
      entry.second.resized = name;
    }
  evaluator->forget();
}

/// What a constant holds, as it is in memory: parameters begin as constants, and there are many of them.
static std::optional<Elements> elementsOf(Value value) {
  auto constant = value.getDefiningOp<nn::ConstantOp>();
  auto dense = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!dense || dense.isSplat() || dense.getElementType().isInteger(1)) // bits
    return std::nullopt;
  ArrayRef<char> bytes = dense.getRawData();
  return Elements{
      dense.getType().getShape().vec(), dtypeOf(dense.getElementType()), {bytes.begin(), bytes.end()}};
}

std::string Recorder::State::refresh(Symbol &symbol) {
  if (symbol.kind != Symbol::Kind::State)
    return "";
  auto trained = TrainedStates::get().newer(symbol.id, symbol.change);
  if (!trained.value)
    return trained.error;
  if (*trained.value) {
    symbol.elements = std::move(**trained.value);
    evaluator->forget();
  }
  return "";
}

Outcome<Elements> Recorder::valueOf(Id value) {
  if (std::optional<Elements> elements = elementsOf(recording->values[value]))
    return {std::move(*elements), ""};
  for (Operation *op : operationsUnder(recording->values[value], *recording)) {
    if (auto custom = dyn_cast<train::CustomOp>(op))
      return Outcome<Elements>::fail("the value depends on the custom operation '" +
                                     custom.getCallee().str() + "', which only a compiled program computes");
    if (isa<train::ByModeOp>(op))
      return Outcome<Elements>::fail(
          "the value depends on by_mode, and is another one in training steps than in "
          "evaluation: only a program is in one of them");
    if (isa<nn::RandomUniformOp>(op))
      return Outcome<Elements>::fail("the value depends on random numbers, which only a program has");
    if (auto read = dyn_cast<train::ReadOp>(op))
      if (std::string problem = recording->refresh(recording->symbols.find(read.getSymbol())->second);
          !problem.empty())
        return Outcome<Elements>::fail(problem);
  }
  // What dropout draws of where a value is looked at; a program has a seed and counts its draws.
  static const Elements firstDraw{{2}, DType::Int64, std::vector<char>(2 * sizeof(int64_t))};
  std::string missing;
  FailureOr<Elements> result = failure();
  std::string errors = errorsOf(recording->context, [&] {
    auto source = [&](StringRef name) -> const Elements * {
      const Symbol &symbol = recording->symbols.find(name)->second;
      if (symbol.kind == Symbol::Kind::Random)
        return &firstDraw;
      if (!symbol.elements)
        missing =
            symbol.kind == Symbol::Kind::Placeholder
                ? "a gradient or a result of a function with a backward of its own, which a backward pass has"
            : symbol.resized.empty() ? "input '" + symbol.name + "', which has no example"
                                     : "input '" + symbol.name + "', whose example has another size of '" +
                                           symbol.resized + "' than that of a later input";
      return symbol.elements ? &*symbol.elements : nullptr;
    };
    result = recording->evaluator->valueOf(recording->values[value], source, recording->sizes);
  });
  if (succeeded(result))
    return {std::move(*result), ""};
  return Outcome<Elements>::fail(missing.empty() ? errors : "the value depends on " + missing);
}

bool Recorder::isDropped(Id value) const {
  return llvm::any_of(operationsUnder(recording->values[value], *recording),
                      [](Operation *op) { return isa<nn::DropoutOp>(op); });
}

std::optional<Place> Recorder::useOf(Id state) const {
  auto read = cast<train::ReadOp>(recording->source(state).getDefiningOp());
  if (!read->use_empty())
    return record::placeOf((*read->user_begin())->getLoc());
  for (auto norm : recording->function.getOps<train::BatchNormOp>()) // names its running statistics
    if (norm.getMean() == read.getSymbol() || norm.getVariance() == read.getSymbol())
      return record::placeOf(norm.getLoc());
  return std::nullopt;
}

Outcome<bool> Recorder::setState(Id state, const Elements &elements) {
  auto type = recording->typeOf({Shape(elements.shape.begin(), elements.shape.end()), elements.dtype});
  if (!type.value)
    return Outcome<bool>::fail(type.error);
  assert((!useOf(state) || *type.value == recording->values[state].getType()) &&
         "what was computed of it has its type");
  recording->source(state).setType(*type.value);
  Symbol &symbol = recording->symbolOf(state);
  symbol.elements = elements;
  symbol.change = TrainedStates::get().next();
  recording->evaluator->forget();
  return {true, ""};
}

} // namespace dlc::record
