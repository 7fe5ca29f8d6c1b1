//===- Extract.cpp - a finished program out of a recording ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the outputs and the loss depend on is copied, in the order in which it was recorded; symbols get the
// names that files and headers have.
//===----------------------------------------------------------------------===//
#include "compiler/support/Symbols.h"
#include "dialects/train/Recipe.h"
#include "frontends/common/CustomOps.h"
#include "frontends/common/DenseElements.h"
#include "frontends/common/Freeze.h"
#include "frontends/cpp/record/State.h"
#include "frontends/cpp/record/Trained.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace dlc::record {

namespace {

class Extraction {
public:
  Extraction(Recorder::State &state, const ProgramParts &parts, Location location)
      : state(state), parts(parts), location(location), declare(&state.context), body(&state.context) {}

  Outcome<std::shared_ptr<Program>> run();

private:
  std::string chooseUpdates(ArrayRef<Value> results);
  void declareStates();
  std::string declareInputs();
  void declareDims();
  void declareCustomOps();
  int64_t renumbered(int64_t stream, int64_t count);
  void copy();
  std::string write();

  Recorder::State &state;
  const ProgramParts &parts;
  Location location;
  OwningOpRef<ModuleOp> module;
  train::ProgramOp program;
  train::FunctionOp forward;
  OpBuilder declare, body;
  std::vector<std::pair<std::string, Value>> updates; ///< of buffers, by training steps
  std::vector<Operation *> operations;                ///< in order
  llvm::DenseSet<Operation *> predicting;             ///< those under the outputs; other inputs are targets
  llvm::StringMap<std::string> names;                 ///< of symbols
  llvm::StringMap<int64_t> bounds;                    ///< of the inputs' named dims
  IRMapping copies;
  llvm::DenseMap<int64_t, int64_t> streams; ///< of random numbers: they do not depend on other models
  int64_t nextStream = 0;
};

/// Chooses, for each buffer, its update in the forward pass that the results are of: one that reads an input
/// of theirs, or no input at all, as counters of steps. "", or what is wrong where there are two.
std::string Extraction::chooseUpdates(ArrayRef<Value> results) {
  auto inputsUnder = [&](ArrayRef<Value> values) {
    llvm::StringSet<> inputs;
    for (Operation *op : operationsUnder(values, state))
      if (auto read = dyn_cast<train::ReadOp>(op);
          read && state.symbols.find(read.getSymbol())->second.kind == Symbol::Kind::Input)
        inputs.insert(read.getSymbol());
    return inputs;
  };
  const llvm::StringSet<> inputs = inputsUnder(results);
  for (const NamedState &named : parts.states) {
    std::optional<Id> chosen;
    bool isOfInputs = false;
    for (Id update : named.updates) {
      const llvm::StringSet<> read = inputsUnder(state.values[update]);
      if (!read.empty() && llvm::none_of(read.keys(), [&](StringRef name) { return inputs.contains(name); }))
        continue; // of another program
      if (chosen && (isOfInputs || !read.empty())) {
        const Place first = placeOf(state.values[*chosen].getLoc()),
                    second = placeOf(state.values[update].getLoc());
        return "buffer '" + named.name + "' is updated twice in one training step, at " + first.file + ":" +
               std::to_string(first.line) + " and at " + second.file + ":" + std::to_string(second.line) +
               "; expected one: call its module once, or compute the second value of the first in one update";
      }
      chosen = update;
      isOfInputs = !read.empty();
    }
    if (chosen)
      updates.emplace_back(named.name, state.values[*chosen]);
  }
  return "";
}

void Extraction::declareStates() {
  for (const NamedState &named : parts.states) {
    Value value = state.source(named.id);
    auto type = cast<RankedTensorType>(value.getType());
    const Elements &elements = *state.symbolOf(named.id).elements;
    auto kind = named.kind == StateKind::Buffer ? train::StateKind::Buffer : train::StateKind::Parameter;
    train::StateOp::create(declare, value.getLoc(), kind, named.name, FlatSymbolRefAttr(),
                           named.kind == StateKind::Frozen, type,
                           frontend::storedElements(type, frontend::TensorBytes::copy(elements.bytes),
                                                    elements.splat, named.name));
    names[cast<train::ReadOp>(value.getDefiningOp()).getSymbol()] = named.name;
  }
}

std::string Extraction::declareInputs() {
  for (Operation *op : operations) {
    auto read = dyn_cast<train::ReadOp>(op);
    if (!read || names.contains(read.getSymbol()))
      continue;
    const Symbol &symbol = state.symbols.find(read.getSymbol())->second;
    if (symbol.kind == Symbol::Kind::State)
      return "a parameter of no module is used; register it with register_parameter";
    if (symbol.kind == Symbol::Kind::Placeholder)
      return "a gradient is used outside of the backward, or the hook, that was given it";
    auto type = cast<RankedTensorType>(read.getType());
    if (symbol.kind == Symbol::Kind::Random) {
      std::string name = freeSymbol(program, "rng");
      names[read.getSymbol()] = name;
      train::StateOp::create(declare, location, train::StateKind::Rng, name, FlatSymbolRefAttr(),
                             /*frozen=*/false, type, ElementsAttr());
      continue;
    }
    if (SymbolTable::lookupSymbolIn(program, symbol.name))
      return "two things of the program are called '" + symbol.name + "'; rename the input";
    for (const auto &[name, bound] : symbol.bounds)
      if (int64_t known = bounds.try_emplace(name, bound).first->second; known != bound)
        return "dim '" + name + "' has the bound " + std::to_string(bound) + " in input '" + symbol.name +
               "' and " + std::to_string(known) + " in another one; expected one";
    names[read.getSymbol()] = symbol.name;
    auto input = train::InputOp::create(declare, read.getLoc(), /*target=*/!predicting.contains(op),
                                        symbol.name, IntegerAttr(), IntegerAttr(), IntegerAttr(), type);
    if (symbol.limit) {
      input.setLow(0);
      input.setLimit(*symbol.limit);
      if (symbol.ignored)
        input.setIgnore(*symbol.ignored);
    }
  }
  return "";
}

/// The first dim of the first input is the batch.
void Extraction::declareDims() {
  OpBuilder builder = OpBuilder::atBlockBegin(&program.getBody().front());
  llvm::StringSet<> declared;
  for (Operation *op : operations)
    for (mlir::Type type : op->getResultTypes())
      for (const nn::Dim &dim : nn::shapeOf(type))
        for (const std::string &name : dim.names)
          if (declared.insert(name).second)
            train::DimOp::create(builder, location, name,
                                 bounds.contains(name) ? bounds.lookup(name) : state.bounds.lookup(name),
                                 /*open=*/false, /*least=*/mlir::IntegerAttr());
}

/// Operations of the user's: those that something copied uses, as themselves or as a gradient.
void Extraction::declareCustomOps() {
  for (auto op : cast<train::ProgramOp>(state.function->getParentOp()).getOps<train::CustomFunctionOp>())
    declare.clone(*op);
  frontend::dropUnusedCustomOps(program);
}

/// The program's number of a stream, of which an operation takes `count`.
int64_t Extraction::renumbered(int64_t stream, int64_t count) {
  auto [known, isNew] = streams.try_emplace(stream, nextStream);
  if (isNew)
    nextStream += count;
  return known->second;
}

void Extraction::copy() {
  auto nameOf = [&](FlatSymbolRefAttr symbol) {
    return FlatSymbolRefAttr::get(&state.context, names.lookup(symbol.getValue()));
  };
  for (Operation *op : operations) {
    Operation *copied = body.clone(*op, copies);
    if (auto read = dyn_cast<train::ReadOp>(copied))
      read.setSymbolAttr(nameOf(read.getSymbolAttr()));
    if (auto dropout = dyn_cast<nn::DropoutOp>(copied)) // its gradient has the same stream
      dropout.setStream(renumbered(dropout.getStream(), 1));
    if (auto uniform = dyn_cast<nn::RandomUniformOp>(copied))
      uniform.setStream(renumbered(uniform.getStream(), 2));
    if (auto norm = dyn_cast<train::BatchNormOp>(copied)) {
      norm.setMeanAttr(nameOf(norm.getMeanAttr()));
      norm.setVarianceAttr(nameOf(norm.getVarianceAttr()));
    }
  }
}

std::string Extraction::write() {
  for (const auto &[name, id] : parts.outputs) {
    if (name.empty())
      return "expected a name for each output, got ''";
    if (SymbolTable::lookupSymbolIn(program, name))
      return "two things of the program are called '" + name + "'; rename the output";
    Value value = copies.lookup(state.values[id]);
    train::OutputOp::create(declare, value.getLoc(), train::OutputRole::Prediction, name,
                            cast<RankedTensorType>(value.getType()));
    train::WriteOp::create(body, value.getLoc(), value, name);
  }
  for (const auto &[name, value] : updates)
    train::WriteOp::create(body, value.getLoc(), copies.lookup(value), name);
  if (!parts.loss)
    return "";
  Value loss = copies.lookup(state.values[parts.loss]);
  Operation *op = loss.getDefiningOp();
  // A loss operation has its weight, the number by which a mean was divided: evaluation needs it.
  bool hasWeight = op->hasAttr("reduction") && op->getNumResults() == 2;
  auto type = cast<RankedTensorType>(loss.getType());
  auto one = DenseElementsAttr::get(type, declare.getFloatAttr(type.getElementType(), 1));
  Value weight =
      hasWeight ? Value(op->getResult(1)) : Value(nn::ConstantOp::create(body, loss.getLoc(), one));
  train::OutputOp::create(declare, loss.getLoc(), train::OutputRole::Loss, freeSymbol(program, "loss"),
                          RankedTensorType::get({}, declare.getF32Type()));
  train::LossOp::create(body, loss.getLoc(), loss, weight);
  return "";
}


Outcome<std::shared_ptr<Program>> Extraction::run() {
  using Result = Outcome<std::shared_ptr<Program>>;
  SmallVector<Value> results;
  for (const auto &[name, id] : parts.outputs)
    results.push_back(state.values[id]);
  predicting = operationsUnder(results, state, /*withGradients=*/false);
  if (parts.loss)
    results.push_back(state.values[parts.loss]);
  if (std::string problem = chooseUpdates(results); !problem.empty())
    return Result::fail(problem);
  for (const auto &[name, value] : updates)
    results.push_back(value);
  llvm::DenseSet<Operation *> wanted = operationsUnder(results, state);
  for (Operation &op : state.function.getBody().front())
    if (wanted.contains(&op))
      operations.push_back(&op);

  module = ModuleOp::create(location);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  program = train::ProgramOp::create(builder, location, parts.name);
  declare.setInsertionPointToStart(&program.getBody().emplaceBlock());
  std::string problem;
  std::string errors = errorsOf(state.context, [&] {
    declareStates();
    problem = declareInputs();
    if (!problem.empty())
      return;
    declareDims();
    forward = train::FunctionOp::create(declare, location, train::FunctionKind::Forward,
                                        freeSymbol(program, "forward"));
    body.setInsertionPointToStart(&forward.getBody().emplaceBlock());
    declare.setInsertionPoint(forward);
    copy();
    declareCustomOps();
    problem = write();
    if (!problem.empty())
      return;
    if (failed(train::addToRecipe(program, parts.options)))
      return;
    frontend::freezeUnreached(program, forward);
    (void)verify(*module);
  });
  if (!problem.empty() || !errors.empty())
    return Result::fail(problem.empty() ? errors : problem);
  std::vector<std::string> unreached;
  for (const NamedState &named : parts.states)
    if (named.kind == StateKind::Parameter &&
        cast<train::StateOp>(SymbolTable::lookupSymbolIn(program, named.name)).getFrozen())
      unreached.push_back(named.name);
  std::vector<std::pair<std::string, Id>> states;
  for (const NamedState &named : parts.states)
    states.emplace_back(named.name, state.symbolOf(named.id).id);
  return {std::make_shared<Program>(Program{std::move(module), std::move(unreached), std::move(states)}), ""};
}

} // namespace

Outcome<std::shared_ptr<Program>> Recorder::program(const ProgramParts &parts, const Place &place) {
  for (const NamedState &named : parts.states)
    if (std::string problem = recording->refresh(recording->symbolOf(named.id)); !problem.empty())
      return Outcome<std::shared_ptr<Program>>::fail("'" + named.name + "': " + problem);
  for (Id state : TrainedStates::get().left()) // of other modules: not kept twice
    recording->refresh(recording->symbolOf(state));
  return Extraction(*recording, parts, recording->locationOf(place)).run();
}

} // namespace dlc::record
