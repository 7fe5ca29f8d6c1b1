//===- Custom.cpp - operations of users become calls of their functions ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sizes that a function gets are computed here, where tensors still have all their dims.
//===----------------------------------------------------------------------===//
#include "compiler/lower/Custom.h"

namespace dlc::lower {

mlir::LogicalResult lowerCustom(train::CustomOp op, Lowering &lowering) {
  auto shapes = train::customShapes(op.definition(), op.getInputs().getTypes(),
                                    [&]() -> mlir::InFlightDiagnostic { return op.emitOpError(); });
  if (mlir::failed(shapes))
    return mlir::failure();
  ImplicitLocOpBuilder &b = lowering.builder();
  SmallVector<Value> inputs;
  for (Value input : op.getInputs())
    inputs.push_back(lowering.tensor(input));
  SmallVector<mlir::Attribute> sizes, dims;
  for (const nn::Dim &size : shapes->sizes)
    sizes.push_back(b.getStringAttr(size.str()));
  SmallVector<mlir::Type> types;
  bool isOpen = false;
  for (mlir::Type type : shapes->outputs) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    auto named = nn::tensorType(withoutOnes(nn::shapeOf(tensor)), tensor.getElementType());
    types.push_back(plainType(named));
    isOpen |= !named.hasStaticShape();
    dims.push_back(named.hasStaticShape() ? mlir::Attribute(b.getUnitAttr()) : named.getEncoding());
  }
  auto call =
      train::CustomCallOp::create(b, types, op.getCalleeAttr(), inputs, b.getArrayAttr(sizes),
                                  op.getNumbersAttr(), isOpen ? b.getArrayAttr(dims) : mlir::ArrayAttr());
  for (auto [result, made] : llvm::zip_equal(op.getOutputs(), call.getOutputs()))
    lowering.replace(result, made);
  return mlir::success();
}

} // namespace dlc::lower
