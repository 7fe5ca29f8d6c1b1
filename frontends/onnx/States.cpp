//===- States.cpp - values, parameters and buffers of an imported model ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/States.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace dlc::onnx {

//===-- Values -----------------------------------------------------------------------===//

Value States::valueOf(StringRef name) { return materialize(names.resolve(name), *names.find(name)); }

bool States::isTrained(StringRef name) {
  const GraphValue *value = names.find(name);
  return value->constant->isFloat() && trainable.isTrained(names.resolve(name), *value);
}

Value States::materialize(StringRef name, GraphValue &value) {
  if (value.value || value.failed)
    return value.value;
  if (!value.constant)
    return value.value = materializeDims(*value.dims);
  if (value.constant->isFloat() && trainable.isTrained(name, value))
    return value.value = declareParameter(name, *value.constant);
  return value.value =
             nn::ConstantOp::create(program.body, program.locationOf(name), value.constant->denseAttribute());
}

Value States::materializeDims(const DimTensor &dims) {
  SmallVector<Value> elements;
  for (const nn::Dim &dim : dims.elements) {
    auto scalarType = RankedTensorType::get({}, dims.elementType),
         one = RankedTensorType::get({1}, dims.elementType);
    nn::Expr element(
        program.body,
        nn::ConstantOp::create(program.body,
                               splatTensor(scalarType, dim.isStatic() ? dim.factor : 1).denseAttribute()));
    // The size of a named dim is counted when the program runs.
    if (!dim.isStatic())
      element = nn::sumAll(nn::expand(element, nn::tensorType({dim}, dims.elementType)));
    elements.push_back(nn::reshape(element, one));
  }
  Value joined = nn::ConcatOp::create(program.body, elements, 0);
  return nn::reshape({program.body, joined}, RankedTensorType::get(dims.shape, dims.elementType));
}

//===-- States -----------------------------------------------------------------------===//

Value States::declareParameter(StringRef name, const HostTensor &tensor) {
  if (!program.checkStateName("initializer", name))
    return {};
  bool isFrozen = record.isFrozen(name);
  std::string symbol = program.declareState(train::StateKind::Parameter, name, isFrozen, tensor.type,
                                            [&](StringRef blob) { return tensor.attribute(blob); });
  parameters[symbol] = name.str();
  if (isFrozen)
    frozen.push_back(symbol);
  return train::ReadOp::create(program.body, program.locationOf(name), tensor.type, symbol);
}

Value States::parameterFromIntegers(ArrayRef<StringRef> key, const HostTensor &numbers, bool &isNew) {
  isNew = false;
  StringRef name = key.front();
  if (!names.find(name)->initializer)
    return {};
  // Readers of one initializer have one parameter, as they would have of floats.
  auto [entry, isFirst] = fromIntegers.try_emplace(llvm::join(key, StringRef("\0", 1)));
  if (!isFirst)
    return entry->second;
  GraphValue value;
  value.constant = std::make_shared<const HostTensor>(numbers);
  value.initializer = true;
  isNew = trainable.decide(name, value);
  if (isNew)
    entry->second = declareParameter(name, numbers);
  return entry->second;
}

std::optional<std::string> States::buffer(StringRef name, const HostTensor &initial) {
  // A batch norm that is applied twice has one running mean; what others share was untied before.
  std::string &symbol = buffers[name];
  if (!symbol.empty())
    return symbol;
  if (!program.checkStateName("initializer", name))
    return std::nullopt;
  symbol = program.declareState(train::StateKind::Buffer, name, /*frozen=*/false, initial.type,
                                [&](StringRef blob) { return initial.attribute(blob); });
  return symbol;
}

Value States::bufferValue(StringRef name, const HostTensor &initial) {
  std::optional<std::string> symbol = buffer(name, initial);
  GraphValue *known = symbol ? names.find(name) : nullptr;
  if (!known)
    return {};
  if (!known->value) // a function reads a symbol once
    known->value = train::ReadOp::create(program.body, initial.type, *symbol);
  return known->value;
}

llvm::StringSet<> States::initializers() const {
  llvm::StringSet<> result;
  for (const auto &entry : parameters)
    result.insert(entry.second);
  return result;
}

void States::tell() const {
  if (!frozen.empty())
    diagnostics.remark("the exported module does not train " + frontend::quotedList(frozen) +
                       ", and neither does dlc (--train=NAME with a name in full trains it)");
  std::vector<std::string> changed;
  for (const std::string &name : record.changedBuffers())
    if (const GraphValue *found = names.find(name); !isBuffer(name) && found && found->value)
      changed.push_back(name);
  if (!changed.empty())
    diagnostics.warn(
        "the module gives its buffers " + frontend::quotedList(changed) +
        " other values in forward, which ONNX does not say: they stay as they are. What is trained "
        "is another network");
}

} // namespace dlc::onnx
