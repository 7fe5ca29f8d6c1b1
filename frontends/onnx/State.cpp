//===- State.cpp - values, parameters and constants of an imported model
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants become parameters or constants of the program when something reads them (Layers.cpp says which).
// What no gradient reaches is frozen.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Importer.h"
#include "frontends/onnx/Messages.h"

using namespace mlir;

namespace dlc::onnx {

GraphValue *Importer::find(StringRef name) {
  auto found = values.find(resolve(name));
  return found == values.end() ? nullptr : &found->second;
}

StringRef Importer::resolve(StringRef name) const {
  auto alias = aliases.find(name);
  return alias == aliases.end() ? name : StringRef(alias->second);
}

void Importer::collectNames() {
  const ::onnx::GraphProto &graph = model.graph();
  for (const auto *infos : {&graph.input(), &graph.output()})
    for (const ::onnx::ValueInfoProto &info : *infos)
      modelNames.insert(info.name());
  for (const auto &value : values)
    modelNames.insert(value.first());
  for (const ::onnx::NodeProto &node : graph.node())
    modelNames.insert(node.output().begin(), node.output().end());
}

Value Importer::declareParameter(StringRef name, const GraphValue &value) {
  const HostTensor &tensor = *value.constant;
  if (!checkStateName("initializer", name))
    return {};
  std::string symbol = uniqueSymbol(name);
  declared[symbol] = name.str();
  bool isFrozen = record.isFrozen(name);
  if (isFrozen)
    frozen.push_back(symbol);
  train::StateOp::create(declarations, locationOf(name), train::StateKind::Parameter, symbol,
                         FlatSymbolRefAttr(), isFrozen, tensor.type, tensor.attribute(symbol));
  return train::ReadOp::create(body, locationOf(name), tensor.type, symbol);
}

Value Importer::materialize(StringRef name, GraphValue &value) {
  if (value.value || value.failed)
    return value.value;
  if (!value.constant)
    return value.value = materializeDims(*value.dims);
  if (value.constant->isFloat() && isTrained(name, value))
    return value.value = declareParameter(name, value);
  return value.value = nn::ConstantOp::create(body, locationOf(name), value.constant->denseAttribute());
}

Value Importer::materializeDims(const DimTensor &dims) {
  SmallVector<Value> elements;
  for (const nn::Dim &dim : dims.elements) {
    auto scalarType = RankedTensorType::get({}, dims.elementType),
         one = RankedTensorType::get({1}, dims.elementType);
    nn::Expr element(body,
                     nn::ConstantOp::create(
                         body, splatTensor(scalarType, dim.isStatic() ? dim.factor : 1).denseAttribute()));
    // The size of a named dim is counted when the program runs.
    if (!dim.isStatic())
      element = nn::sumAll(nn::expand(element, nn::tensorType({dim}, dims.elementType)));
    elements.push_back(nn::reshape(element, one));
  }
  Value joined = nn::ConcatOp::create(body, elements, 0);
  return nn::reshape({body, joined}, RankedTensorType::get(dims.shape, dims.elementType));
}

} // namespace dlc::onnx
