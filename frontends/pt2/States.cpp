//===- States.cpp - parameters, buffers and constants of an exported program ===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parameter is trained if it requires a gradient in the exported module. A buffer that the model changes is
// a state; one that it only reads is a constant, from which the compiler can compute.
//===----------------------------------------------------------------------===//
#include "frontends/pt2/States.h"
#include "frontends/common/DenseElements.h"

using namespace mlir;

namespace dlc::pt2 {

static std::string nameOf(const InputSpec &spec) {
  bool isParameter = spec.kind == InputSpec::Kind::Parameter;
  return (isParameter                            ? "parameter '"
          : spec.kind == InputSpec::Kind::Buffer ? "buffer '"
                                                 : "constant '") +
         spec.target + "'";
}

std::optional<Tensor> States::readTensor(const InputSpec &spec) {
  llvm::Expected<Tensor> tensor = archive.read(spec, program.context);
  if (tensor)
    return std::move(*tensor);
  diagnostics.addReason(nameOf(spec) + " " + llvm::toString(tensor.takeError()));
  return std::nullopt;
}

void States::declareParameter(const InputSpec &spec) {
  GraphValue &value = values[spec.arg.text];
  value.failed = true; // until it is declared
  std::string where = nameOf(spec);
  llvm::Expected<Storage> storage = archive.storageOf(spec);
  if (!storage)
    return diagnostics.addReason(where + " " + llvm::toString(storage.takeError()));
  for (const auto &[other, theirs] : parameterStorages) {
    if (theirs == *storage) {
      value = *values.find(other);
      parameters[spec.arg.text] = parameters[other];
      diagnostics.note(where + " is the same tensor as another one, and trained with it");
      return;
    }
    if (theirs.overlaps(*storage))
      return diagnostics.addReason(
          where + " shares a part of its numbers with another parameter, which dlc cannot do; make one "
                  "a parameter, and the other a view of it in forward()");
  }
  std::optional<Tensor> tensor =
      program.checkStateName("parameter", spec.target) ? readTensor(spec) : std::nullopt;
  if (!tensor)
    return;
  if (!isa<FloatType>(tensor->type.getElementType()))
    return diagnostics.addReason(where + " holds " +
                                 dtypeName(int64_t(model.graph.tensors.lookup(spec.arg.text).dtype)) +
                                 ", expected floats");
  std::string symbol = program.declareState(train::StateKind::Parameter, spec.target,
                                            !archive.requiresGrad(spec), tensor->type, [&](StringRef blob) {
                                              return frontend::storedElements(
                                                  tensor->type, frontend::TensorBytes::copy(tensor->bytes),
                                                  /*splat=*/false, blob);
                                            });
  parameters[spec.arg.text] = symbol;
  parameterStorages.emplace_back(spec.arg.text, *storage);
  value.value = train::ReadOp::create(program.body, program.locationOf(spec.target), tensor->type, symbol);
  value.failed = false;
}

std::string States::declareBuffer(const InputSpec &spec) {
  std::string &symbol = buffers[spec.arg.text];
  if (!symbol.empty() || !program.checkStateName("buffer", spec.target))
    return symbol;
  std::optional<Tensor> tensor = readTensor(spec);
  if (!tensor)
    return "";
  symbol = program.declareState(
      train::StateKind::Buffer, spec.target, /*frozen=*/false, tensor->type, [&](StringRef blob) {
        return frontend::storedElements(tensor->type, frontend::TensorBytes::copy(tensor->bytes),
                                        /*splat=*/false, blob);
      });
  return symbol;
}

Value States::materialize(GraphValue &value) {
  if (value.value || value.failed || !value.state)
    return value.value;
  const InputSpec &spec = *value.state;
  Location location = program.locationOf(spec.target);
  if (accesses.isChanged(spec.arg.text)) {
    std::string symbol = declareBuffer(spec);
    value.failed = symbol.empty();
    if (value.failed)
      return {};
    auto state = cast<train::StateOp>(SymbolTable::lookupSymbolIn(program.op, symbol));
    return value.value =
               train::ReadOp::create(program.body, location, cast<RankedTensorType>(state.getType()), symbol);
  }
  std::optional<Tensor> tensor = readTensor(spec);
  value.failed = !tensor;
  if (!tensor)
    return {};
  return value.value = nn::ConstantOp::create(
             program.body, location, frontend::denseElements(tensor->type, tensor->bytes, /*splat=*/false));
}

void States::writeBuffers() {
  llvm::StringMap<std::string> ends;
  for (const OutputSpec &spec : model.outputs)
    if (spec.kind == OutputSpec::Kind::BufferMutation)
      ends[spec.target] = spec.arg.text;
  for (const InputSpec &spec : model.inputs) {
    auto symbol = buffers.find(spec.arg.text);
    if (spec.kind != InputSpec::Kind::Buffer || symbol == buffers.end())
      continue;
    auto end = ends.find(spec.target);
    GraphValue *value = values.find(end == ends.end() ? spec.arg.text : end->second);
    if (!value || value->failed || !value->value)
      continue;
    auto read = value->value.getDefiningOp<train::ReadOp>();
    if (read && read.getSymbol() == symbol->second)
      continue; // as it was
    auto state = cast<train::StateOp>(SymbolTable::lookupSymbolIn(program.op, symbol->second));
    if (value->value.getType() != state.getType())
      diagnostics.addReason(nameOf(spec) + " becomes a tensor of another type or shape");
    else
      train::WriteOp::create(program.body, program.locationOf(spec.target), value->value, symbol->second);
  }
}

} // namespace dlc::pt2
