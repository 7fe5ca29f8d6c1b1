//===- GraphNames.cpp - the names of a graph, and what each stands for ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/GraphNames.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/ModelFile.h"
#include "frontends/onnx/NodeProtos.h"
#include "frontends/onnx/Roles.h"

using namespace mlir;

namespace dlc::onnx {

//===-- What a name stands for -----------------------------------------------===//

const GraphValue *GraphNames::find(StringRef name) const {
  auto found = values.find(resolve(name));
  return found == values.end() ? nullptr : &found->second;
}

StringRef GraphNames::resolve(StringRef name) const {
  auto alias = aliases.find(name);
  return alias == aliases.end() ? name : StringRef(alias->second);
}

//===-- Constants of the file ------------------------------------------------===//

void GraphNames::readInitializers(const ::onnx::GraphProto &graph) {
  for (const ::onnx::TensorProto &tensor : graph.initializer()) {
    auto [entry, isNew] = values.try_emplace(tensor.name());
    if (!isNew) {
      diagnostics.addReason("the initializer '" + tensor.name() + "' is there twice");
      continue;
    }
    llvm::Expected<HostTensor> content = readTensor(tensor, file, &context);
    GraphValue &value = entry->second;
    value.initializer = true;
    if (content)
      value.constant = std::make_shared<const HostTensor>(std::move(*content));
    else
      value.reason = llvm::toString(content.takeError());
  }
  for (const ::onnx::SparseTensorProto &tensor : graph.sparse_initializer())
    values[tensor.values().name()].reason = "sparse initializers are not supported";
}

void GraphNames::replace(StringRef name, StringRef newName, HostTensor tensor) {
  GraphValue value = values[name];
  value.constant = std::make_shared<const HostTensor>(std::move(tensor));
  values.erase(name);
  values[newName] = std::move(value);
}

const HostTensor *GraphNames::floatsOf(StringRef name) const {
  const GraphValue *found = find(name);
  return found && found->constant && found->constant->isFloat() ? found->constant.get() : nullptr;
}

std::optional<double> GraphNames::numberOf(StringRef name, const GraphIndex &index) const {
  name = index.beforeViews(name);
  if (const GraphValue *found = find(name); found && found->constant)
    return found->constant->count() == 1 ? std::optional(found->constant->number(0)) : std::nullopt;
  const ::onnx::NodeProto *node = index.producer(name);
  if (!node || node->op_type() != "Constant")
    return std::nullopt;
  if (const ::onnx::AttributeProto *number = findAttribute(*node, "value_float"))
    return double(number->f());
  if (const ::onnx::AttributeProto *number = findAttribute(*node, "value_int"))
    return double(number->i());
  const ::onnx::AttributeProto *value = findAttribute(*node, "value");
  if (!value || !value->has_t())
    return std::nullopt;
  llvm::Expected<HostTensor> tensor = readTensor(value->t(), file, &context);
  if (tensor && tensor->count() == 1)
    return tensor->number(0);
  llvm::consumeError(tensor.takeError());
  return std::nullopt;
}

//===-- Names that are free --------------------------------------------------===//

void GraphNames::reserveAll(const ::onnx::GraphProto &graph) {
  for (const auto *infos : {&graph.input(), &graph.output()})
    for (const ::onnx::ValueInfoProto &info : *infos)
      symbols.addModelName(info.name());
  for (const auto &value : values)
    symbols.addModelName(value.first());
  for (const ::onnx::NodeProto &node : graph.node())
    for (const std::string &output : node.output())
      symbols.addModelName(output);
}

std::string GraphNames::freeName(StringRef name) {
  return symbols.freeModelName(name, [&](StringRef other) { return find(other) != nullptr; });
}

} // namespace dlc::onnx
