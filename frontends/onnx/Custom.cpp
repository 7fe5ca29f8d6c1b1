//===- Custom.cpp - nodes of operations that users bring themselves
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/CustomOps.h"
#include "frontends/onnx/Importer.h"
#include "frontends/onnx/Messages.h"

using namespace mlir;

namespace dlc::onnx {

std::string fullName(const ::onnx::NodeProto &node) {
  bool isOwn = node.domain().empty() || node.domain() == "ai.onnx";
  return isOwn ? node.op_type() : node.domain() + "." + node.op_type();
}

bool Importer::readCustomOps() {
  if (onnxOptions.customOps.empty())
    return true;
  if (llvm::Error error = frontend::addCustomOps(onnxOptions.customOps, program, declarations)) {
    addReason(llvm::toString(std::move(error)));
    return false;
  }
  for (auto function : program.getOps<train::CustomFunctionOp>()) {
    customOps[function.getSymName()] = function;
    symbols.insert(function.getSymName());
  }
  return true;
}

/// A parameter that such an operation has is a layer's own, also if it is one number.
void Importer::findCustomParameters(ArrayRef<const ::onnx::NodeProto *> nodes) {
  for (const ::onnx::NodeProto *node : nodes)
    if (Operation *found = customOps.lookup(fullName(*node)))
      for (auto [tensor, name] :
           llvm::zip(cast<train::CustomFunctionOp>(found).inputTensors(), node->input()))
        if (tensor.isVariable())
          positions.own.insert(name);
}

bool Importer::checkCustom(const ::onnx::NodeProto &proto, Operation *found) {
  auto function = cast<train::CustomFunctionOp>(found);
  unsigned before = errors;
  size_t inputs = function.inputTensors().size(), outputs = function.outputTensors().size();
  if (size_t(proto.input_size()) != inputs || llvm::is_contained(proto.input(), std::string()))
    addReason(currentNode + ": expects " + Twine(inputs) + " inputs as '" + function.getSymName() +
              "' is declared, got " +
              Twine(llvm::count_if(proto.input(), [](auto &name) { return !name.empty(); })));
  if (proto.output_size() == 0 || size_t(proto.output_size()) > outputs)
    addReason(currentNode + ": expects 1 to " + Twine(outputs) + " outputs, got " +
              Twine(proto.output_size()));
  for (const auto &attribute : proto.attribute())
    if (llvm::none_of(function.settingList(),
                      [&](auto setting) { return setting.getName() == attribute.name(); }))
      addReason(currentNode + ": attribute '" + attribute.name() + "' is not declared for '" +
                function.getSymName() + "'");
  return errors == before;
}

void Importer::importCustom(Node &node, Operation *found) {
  auto function = cast<train::CustomFunctionOp>(found);
  unsigned before = errors;
  SmallVector<Value> inputs;
  for (int i = 0; i < node.inputCount(); ++i)
    inputs.push_back(node.value(i));
  NamedAttrList given;
  for (train::CustomSettingAttr setting : function.settingList())
    if (StringRef name = setting.getName(); node.hasAttribute(name))
      given.append(name, setting.getType().isF64() ? Attribute(body.getF64FloatAttr(node.anyNumber(name, 0)))
                                                   : body.getI64IntegerAttr(node.integer(name, 0)));
  if (errors != before || llvm::is_contained(inputs, Value()))
    return;
  auto error = [&] { return emitError(body.getLoc()); }; // of this node, as the importer hears all errors
  FailureOr<ArrayAttr> numbers = train::customNumbers(function, given.getDictionary(&context), error);
  FailureOr<train::CustomShapes> shapes = train::customShapes(function, TypeRange(ValueRange(inputs)), error);
  if (failed(numbers) || failed(shapes) ||
      failed(train::checkCustomGradient(function, TypeRange(ValueRange(inputs)), shapes->outputs, error)))
    return;
  for (Type type : shapes->outputs)
    if (!node.checkSize(nn::shapeOf(type)))
      return;
  auto op = train::CustomOp::create(body, shapes->outputs, function.getSymName(), inputs,
                                    numbers->empty() ? ArrayAttr() : *numbers);
  for (auto [i, output] : llvm::enumerate(op.getOutputs()))
    node.give(i, output);
}

} // namespace dlc::onnx
