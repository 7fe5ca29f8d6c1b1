//===- CustomNodes.cpp - nodes of operations that users bring themselves
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/CustomNodes.h"
#include "frontends/common/CustomOps.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/Node.h"
#include "frontends/onnx/NodeProtos.h"

using namespace mlir;

namespace dlc::onnx {

bool CustomNodes::read(StringRef path) {
  if (path.empty())
    return true;
  if (llvm::Error error = frontend::addCustomOps(path, program.op, program.declarations)) {
    diagnostics.addReason(llvm::toString(std::move(error)));
    return false;
  }
  for (auto function : program.op.getOps<train::CustomFunctionOp>()) {
    declarations[function.getSymName()] = function;
    program.symbols.take(function.getSymName());
  }
  return true;
}

Operation *CustomNodes::find(const ::onnx::NodeProto &node) const {
  return declarations.lookup(fullName(node));
}

void CustomNodes::findParameters(ArrayRef<const ::onnx::NodeProto *> nodes, Trainable &trainable) const {
  for (const ::onnx::NodeProto *node : nodes)
    if (Operation *found = find(*node))
      for (auto [tensor, name] :
           llvm::zip(cast<train::CustomFunctionOp>(found).inputTensors(), node->input()))
        if (tensor.isVariable())
          trainable.addOwn(name);
}

bool CustomNodes::check(const ::onnx::NodeProto &proto, Operation *declaration) {
  auto function = cast<train::CustomFunctionOp>(declaration);
  unsigned before = diagnostics.errors();
  size_t inputs = function.inputTensors().size(), outputs = function.outputTensors().size();
  if (size_t(proto.input_size()) != inputs || llvm::is_contained(proto.input(), std::string()))
    diagnostics.addNodeReason("expects " + Twine(inputs) + " inputs as '" + function.getSymName() +
                              "' is declared, got " +
                              Twine(llvm::count_if(proto.input(), [](auto &name) { return !name.empty(); })));
  if (proto.output_size() == 0 || size_t(proto.output_size()) > outputs)
    diagnostics.addNodeReason("expects 1 to " + Twine(outputs) + " outputs, got " +
                              Twine(proto.output_size()));
  for (const auto &attribute : proto.attribute())
    if (llvm::none_of(function.settingList(),
                      [&](auto setting) { return setting.getName() == attribute.name(); }))
      diagnostics.addNodeReason("attribute '" + attribute.name() + "' is not declared for '" +
                                function.getSymName() + "'");
  return diagnostics.errors() == before;
}

void CustomNodes::import(Node &node, Operation *declaration) {
  ImplicitLocOpBuilder &body = program.body;
  auto function = cast<train::CustomFunctionOp>(declaration);
  unsigned before = diagnostics.errors();
  SmallVector<Value> inputs;
  for (int i = 0; i < node.inputCount(); ++i)
    inputs.push_back(node.value(i));
  NamedAttrList given;
  for (train::CustomSettingAttr setting : function.settingList())
    if (StringRef name = setting.getName(); node.hasAttribute(name))
      given.append(name, setting.getType().isF64() ? Attribute(body.getF64FloatAttr(node.anyNumber(name, 0)))
                                                   : body.getI64IntegerAttr(node.integer(name, 0)));
  if (diagnostics.errors() != before || llvm::is_contained(inputs, Value()))
    return;
  auto error = [&] { return emitError(body.getLoc()); }; // of this node, as the importer hears all errors
  FailureOr<ArrayAttr> numbers = train::customNumbers(function, given.getDictionary(&program.context), error);
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
