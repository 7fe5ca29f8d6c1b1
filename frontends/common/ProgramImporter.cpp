//===- ProgramImporter.cpp - from a file's graph to a train program --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/ProgramImporter.h"
#include "compiler/support/Messages.h"
#include "frontends/common/Freeze.h"
#include "frontends/common/OpMaker.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace dlc::frontend {

ProgramImporter::ProgramImporter(StringRef path, const ImportOptions &options, bool checking,
                                 MLIRContext &context, StringRef batchName)
    : options(options), context(context), dimNames(options, checking, batchName), declarations(&context),
      body(UnknownLoc::get(&context), &context), stem(llvm::sys::path::stem(path)) {}

ProgramImporter::~ProgramImporter() = default;

void ProgramImporter::begin() {
  Location location = UnknownLoc::get(&context); // what is wrong with the whole is at no node
  module = ModuleOp::create(location);
  declarations.setInsertionPointToStart(module->getBody());
  program = train::ProgramOp::create(declarations, location,
                                     options.name.empty() ? programName(stem) : options.name);
  declarations.setInsertionPointToStart(&program.getBody().emplaceBlock());
  forward = train::FunctionOp::create(declarations, location, train::FunctionKind::Forward, "forward");
  declarations.setInsertionPoint(forward);
  body.setInsertionPointToStart(&forward.getBody().emplaceBlock());
  body.setListener(this);
}

Imported ProgramImporter::run() {
  // Errors that operations report while they are made belong to the current node.
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return success(); // notes of an error that is told already
    addReason((currentNode.empty() ? "" : currentNode + ": ") +
              withKindOfValues(forUsersOfModels(diagnostic.str())));
    return success();
  });
  context.loadDialect<nn::NNDialect, train::TrainDialect>();
  // One thread makes everything here; without others a location's name is looked up without locks.
  bool isThreaded = context.isMultithreadingEnabled();
  context.disableMultithreading();
  auto restore = llvm::scope_exit([&] { context.disableMultithreading(!isThreaded); });
  begin();
  importGraph();
  currentNode.clear();
  forward.setSymName(addedSymbol("forward"));
  for (const auto &[sentence, nodes] : unsupported)
    addReason(sentence + ": " + (nodes.size() == 1 ? "node " : std::to_string(nodes.size()) + " nodes: ") +
              listOf(nodes));
  if (errors == 0) {
    freezeUnreached(program, forward);
    finish();
  }
  if (errors > 0 || failed(verify(*module)))
    return {{}, std::move(reasons)};
  return {std::move(module), {}};
}

void ProgramImporter::addReason(const Twine &message) {
  ++errors;
  reasons.push_back(message.str());
}

/// Every operation is checked when it is made, so that an error belongs to a node.
void ProgramImporter::notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) {
  checkNewOperation(op, [&](const nn::Dim &dim) { return dimNames.boundOf(dim); });
}

//===-- Names ------------------------------------------------------------------===//

std::string ProgramImporter::uniqueSymbol(StringRef name) {
  std::string symbol = name.str();
  while (!symbols.insert(symbol).second)
    do
      symbol = (name + "_" + Twine(++lastSuffixes[name])).str();
    while (modelNames.contains(symbol));
  return symbol;
}

std::string ProgramImporter::addedSymbol(StringRef name) {
  std::string symbol = name.str();
  while (modelNames.contains(symbol) || !symbols.insert(symbol).second)
    symbol = (name + "_" + Twine(++lastSuffixes[name])).str();
  return symbol;
}

bool ProgramImporter::checkStateName(StringRef what, StringRef name) {
  bool isReserved = name == "__metadata__";
  if (!isReserved && !name.empty() && !name.contains('\0') && llvm::json::isUTF8(name))
    return true;
  StringRef beginning = name.take_until([](char c) { return c == 0; }).take_front(100);
  addReason("the " + what + " '" + llvm::json::fixUTF8(beginning) +
            "' has a name that a safetensors file cannot have" +
            (isReserved     ? ", which keeps it for itself"
             : name.empty() ? ""
                            : ": it is no text in UTF-8") +
            "; rename it in the model");
  return false;
}

Location ProgramImporter::locationOf(StringRef name) {
  return NameLoc::get(StringAttr::get(&context, name.empty() ? StringRef("model") : name));
}

//===-- What the program has ---------------------------------------------------===//

Value ProgramImporter::declareInput(const InputDims &dims, Type element) {
  llvm::Expected<nn::Shape> shape = dimNames.shapeOf(dims, modelNames);
  if (!shape) {
    handleAllErrors(shape.takeError(),
                    [&](const llvm::StringError &error) { addReason(error.getMessage()); });
    return {};
  }
  RankedTensorType type = nn::tensorType(*shape, element);
  std::string symbol = uniqueSymbol(dims.name);
  Location location = locationOf(dims.name);
  train::InputOp::create(declarations, location, /*target=*/false, symbol, IntegerAttr(), IntegerAttr(),
                         IntegerAttr(), type);
  currentNode = "input '" + dims.name + "'";
  unsigned before = errors;
  Value value = train::ReadOp::create(body, location, type, symbol);
  currentNode.clear();
  return errors == before ? value : Value();
}

void ProgramImporter::declareDims(bool hasInputs, StringRef howToOpen) {
  for (const std::string &problem : dimNames.checkOptions())
    addReason(problem);
  if (options.batch != 0 && !dimNames.hasBatch() && hasInputs)
    addReason("--batch has no effect: the model's inputs have fixed sizes; leave it out, or export the " +
              howToOpen);
  dimNames.declareBatch(modelNames);
  OpBuilder::InsertionGuard guard(declarations);
  declarations.setInsertionPointToStart(&program.getBody().front());
  for (const DimNames::Declared &dim : dimNames.declared())
    train::DimOp::create(declarations, locationOf(dim.key.empty() ? dim.name : dim.key),
                         uniqueSymbol(dim.name), dim.bound, dim.open, /*least=*/IntegerAttr());
}

void ProgramImporter::writeOutput(StringRef name, Value value) {
  Location location = locationOf(name);
  std::string symbol = uniqueSymbol(name);
  train::OutputOp::create(declarations, location, train::OutputRole::Prediction, symbol,
                          cast<RankedTensorType>(value.getType()));
  train::WriteOp::create(body, location, value, symbol);
}

Value ProgramImporter::rng() {
  if (!rngValue) {
    auto type = RankedTensorType::get({2}, body.getI64Type());
    std::string symbol = addedSymbol("rng");
    train::StateOp::create(declarations, locationOf("rng"), train::StateKind::Rng, symbol,
                           FlatSymbolRefAttr(), /*frozen=*/false, type, ElementsAttr());
    rngValue = train::ReadOp::create(body, type, symbol);
  }
  return rngValue;
}

//===-- What is said -----------------------------------------------------------===//

std::string listOf(ArrayRef<std::string> names) {
  constexpr size_t most = 8; // a large model has the same to say of many
  std::string text = llvm::join(names.take_front(most), ", ");
  return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more" : text;
}

/// "nodes 'bn1', 'bn2', 'bn3' and 50 more (BatchNormalization): ..."
static std::string sentenceAbout(StringRef op, StringRef sentence, ArrayRef<std::string> nodes) {
  constexpr size_t most = 3; // a deep network has the same to say of many nodes
  if (nodes.empty())
    return sentence.str();
  std::string text = nodes.size() == 1 ? "node " : "nodes ";
  for (auto [i, name] : llvm::enumerate(nodes.take_front(most)))
    text += (i == 0 ? "'" : i + 1 == nodes.size() ? " and '" : ", '") + name + "'";
  if (nodes.size() > most)
    text += " and " + std::to_string(nodes.size() - most) + " more";
  return (text + " (" + op + "): " + sentence).str();
}

void ProgramImporter::tell(Location file) const {
  for (const std::string &warning : warnings)
    emitWarning(file) << warning;
  for (const auto &[about, nodes] : remarks)
    emitRemark(file) << sentenceAbout(about.first, about.second, nodes);
  if (options.verbose)
    for (const auto &[about, nodes] : notes)
      emitRemark(file) << sentenceAbout(about.first, about.second, nodes);
}

OwningOpRef<ModuleOp> moduleOrErrors(Imported imported, StringRef path, MLIRContext &context) {
  for (const std::string &reason : imported.reasons)
    emitError(FileLineColLoc::get(&context, path, 0, 0)) << reason;
  return std::move(imported.module);
}

std::vector<std::string> reasonsAgainst(Imported imported, OwningOpRef<ModuleOp> *module) {
  if (imported.module && module)
    *module = std::move(imported.module);
  return std::move(imported.reasons);
}

} // namespace dlc::frontend
