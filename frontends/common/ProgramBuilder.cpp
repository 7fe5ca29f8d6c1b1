//===- ProgramBuilder.cpp - the program that an import makes ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/ProgramBuilder.h"
#include "frontends/common/OpMaker.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace dlc::frontend {

ProgramBuilder::ProgramBuilder(const ImportOptions &options, bool checking, MLIRContext &context,
                               StringRef batchName, Diagnostics &diagnostics)
    : options(options), context(context), dimNames(options, checking, batchName), declarations(&context),
      body(UnknownLoc::get(&context), &context), diagnostics(diagnostics) {}

ProgramBuilder::~ProgramBuilder() = default;

void ProgramBuilder::begin(StringRef path) {
  Location location = UnknownLoc::get(&context); // what is wrong with the whole is at no node
  module = ModuleOp::create(location);
  declarations.setInsertionPointToStart(module->getBody());
  op = train::ProgramOp::create(
      declarations, location, options.name.empty() ? programName(llvm::sys::path::stem(path)) : options.name);
  declarations.setInsertionPointToStart(&op.getBody().emplaceBlock());
  forward = train::FunctionOp::create(declarations, location, train::FunctionKind::Forward, "forward");
  declarations.setInsertionPoint(forward);
  body.setInsertionPointToStart(&forward.getBody().emplaceBlock());
  body.setListener(this);
}

void ProgramBuilder::notifyOperationInserted(Operation *inserted, OpBuilder::InsertPoint) {
  checkNewOperation(inserted, [&](const nn::Dim &dim) { return dimNames.boundOf(dim); });
}

bool ProgramBuilder::checkStateName(StringRef what, StringRef name) {
  bool isReserved = name == "__metadata__";
  if (!isReserved && !name.empty() && !name.contains('\0') && llvm::json::isUTF8(name))
    return true;
  StringRef beginning = name.take_until([](char c) { return c == 0; }).take_front(100);
  diagnostics.addReason("the " + what + " '" + llvm::json::fixUTF8(beginning) +
                        "' has a name that a safetensors file cannot have" +
                        (isReserved     ? ", which keeps it for itself"
                         : name.empty() ? ""
                                        : ": it is no text in UTF-8") +
                        "; rename it in the model");
  return false;
}

Location ProgramBuilder::locationOf(StringRef name) {
  return NameLoc::get(StringAttr::get(&context, name.empty() ? StringRef("model") : name));
}

Value ProgramBuilder::declareInput(const InputDims &dims, Type element) {
  llvm::Expected<nn::Shape> shape = dimNames.shapeOf(dims, symbols.modelNames());
  if (!shape) {
    handleAllErrors(shape.takeError(),
                    [&](const llvm::StringError &error) { diagnostics.addReason(error.getMessage()); });
    return {};
  }
  RankedTensorType type = nn::tensorType(*shape, element);
  std::string symbol = symbols.unique(dims.name);
  Location location = locationOf(dims.name);
  train::InputOp::create(declarations, location, /*target=*/false, symbol, IntegerAttr(), IntegerAttr(),
                         IntegerAttr(), type);
  diagnostics.currentNode = "input '" + dims.name + "'";
  unsigned before = diagnostics.errors();
  Value value = train::ReadOp::create(body, location, type, symbol);
  diagnostics.currentNode.clear();
  return diagnostics.errors() == before ? value : Value();
}

void ProgramBuilder::declareDims(bool hasInputs, StringRef howToOpen) {
  for (const std::string &problem : dimNames.checkOptions())
    diagnostics.addReason(problem);
  if (options.batch != 0 && !dimNames.hasBatch() && hasInputs)
    diagnostics.addReason(
        "--batch has no effect: the model's inputs have fixed sizes; leave it out, or export the " +
        howToOpen);
  dimNames.declareBatch(symbols.modelNames());
  OpBuilder::InsertionGuard guard(declarations);
  declarations.setInsertionPointToStart(&op.getBody().front());
  for (const DimNames::Declared &dim : dimNames.declared())
    train::DimOp::create(declarations, locationOf(dim.key.empty() ? dim.name : dim.key),
                         symbols.unique(dim.name), dim.bound, dim.open, /*least=*/IntegerAttr());
}

std::string ProgramBuilder::declareState(train::StateKind kind, StringRef name, bool frozen,
                                         RankedTensorType type,
                                         llvm::function_ref<ElementsAttr(StringRef)> initial) {
  std::string symbol = symbols.unique(name);
  train::StateOp::create(declarations, locationOf(name), kind, symbol, FlatSymbolRefAttr(), frozen, type,
                         initial(symbol));
  return symbol;
}

void ProgramBuilder::writeOutput(StringRef name, Value value) {
  Location location = locationOf(name);
  std::string symbol = symbols.unique(name);
  train::OutputOp::create(declarations, location, train::OutputRole::Prediction, symbol,
                          cast<RankedTensorType>(value.getType()));
  train::WriteOp::create(body, location, value, symbol);
}

Value ProgramBuilder::rng() {
  if (!rngValue) {
    auto type = RankedTensorType::get({2}, body.getI64Type());
    std::string symbol = symbols.added("rng");
    train::StateOp::create(declarations, locationOf("rng"), train::StateKind::Rng, symbol,
                           FlatSymbolRefAttr(), /*frozen=*/false, type, ElementsAttr());
    rngValue = train::ReadOp::create(body, type, symbol);
  }
  return rngValue;
}

} // namespace dlc::frontend
