//===- NodeProgram.cpp - what a node asks of the program, and adds to it
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Importer.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/Node.h"

using namespace mlir;

namespace dlc::onnx {

bool Node::keepsPopulationVariance() const {
  if (importer.onnxOptions.runningVariance)
    return *importer.onnxOptions.runningVariance == RunningVariance::Population;
  return !isOfPyTorch();
}

bool Node::isOfPyTorch() const { return importer.model.producer_name() == "pytorch"; }

bool Node::isOfTraining() const { return importer.record.isOfTraining(); }

std::optional<nn::Dim> Node::openedBatch() const {
  if (!importer.onnxOptions.opensBatchOfOne || !importer.dimNames.hasBatch())
    return std::nullopt;
  nn::Dim batch;
  batch.names.push_back(importer.dimNames.declared().front().name);
  return batch;
}

void Node::forgetDeclaredShape(int output) { importer.declaredShapes.erase(outputName(output)); }

bool Node::isInTraining() const { return onnx::isInTraining(proto); }

std::optional<std::string> Node::buffer(int input) {
  const HostTensor *initial = constant(input);
  if (!initial)
    return std::nullopt;
  // A batch norm that is applied twice has one running mean; what others share was untied before.
  std::string &symbol = importer.buffers[inputName(input)];
  if (!symbol.empty())
    return symbol;
  if (!importer.checkStateName("initializer", inputName(input)))
    return std::nullopt;
  symbol = importer.uniqueSymbol(inputName(input));
  train::StateOp::create(importer.declarations, importer.locationOf(inputName(input)),
                         train::StateKind::Buffer, symbol, FlatSymbolRefAttr(), /*frozen=*/false,
                         initial->type, initial->attribute(symbol));
  return symbol;
}

Value Node::bufferValue(int input) {
  std::optional<std::string> symbol = buffer(input);
  GraphValue *known = symbol ? importer.find(inputName(input)) : nullptr;
  if (!known)
    return {};
  if (!known->value) // a function reads a symbol once
    known->value = train::ReadOp::create(b, known->constant->type, *symbol);
  return known->value;
}

bool Node::isDetached() const { return isDetach(proto); }

Limits Node::limits() const { return limitsOf(proto); }

bool Node::isMeanOfUpdates() const { return onnx::isMeanOfUpdates(proto); }

std::optional<int64_t> Node::paddingIndex() const { return paddingIndexOf(proto); }

StringRef Node::folder() const { return importer.folder; }

} // namespace dlc::onnx
