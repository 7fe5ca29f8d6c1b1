//===- Gradient.cpp - train: gradients that do not follow the operations ---===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/nn/Expr.h"
#include "dialects/train/Train.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace train;

LogicalResult CustomGradientOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                                 DictionaryAttr attributes, OpaqueProperties properties,
                                                 RegionRange regions, SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  llvm::append_range(types, adaptor.getValues().getTypes());
  return success();
}

static bool isFloat(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

LogicalResult CustomGradientOp::verifyRegions() {
  if (getValues().empty() || !llvm::all_of(getValues(), isFloat) || !llvm::all_of(getInputs(), isFloat))
    return emitOpError("expects values and inputs of floating-point numbers, and at least one value");
  SmallVector<Type> expected(getResultTypes());
  llvm::append_range(expected, getResultTypes());
  llvm::append_range(expected, getKept().getTypes());
  Block &block = getBody().front();
  if (block.getArgumentTypes() != TypeRange(expected))
    return emitOpError(
        "expects as arguments of the body the gradients of the results, the results and what is "
        "kept, of their types");
  auto yield = block.empty() ? nullptr : dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getOperandTypes() != getInputs().getTypes())
    return emitOpError("expects a body that ends in train.yield of a gradient for each input, of its type");
  for (Operation &op : block.without_terminator())
    if ((!isa<nn::NNDialect>(op.getDialect()) && !isa<StopGradientOp, CustomGradientOp, ByModeOp>(op)) ||
        nn::randomStateOf(&op))
      return op.emitOpError("is not expected in the body of ")
             << getOperationName() << ": operations of tensors without random numbers are";
  return success();
}

/// The body, with zeros for the gradients of results that nothing uses.
SmallVector<Value> CustomGradientOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,
                                              ArrayRef<bool> needed) {
  IRMapping mapping;
  SmallVector<Value> given;
  for (auto [gradient, result] : llvm::zip_equal(dResults, getResults())) {
    auto type = cast<RankedTensorType>(result.getType());
    given.push_back(gradient ? gradient : expand(nn::Expr(builder, result).scalar(0), type).get());
  }
  llvm::append_range(given, getResults());
  llvm::append_range(given, getKept());
  Block &block = getBody().front();
  mapping.map(block.getArguments(), given);
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> gradients(getNumOperands());
  for (auto [i, yielded] : llvm::enumerate(block.getTerminator()->getOperands()))
    if (unsigned operand = getValues().size() + i; needed[operand])
      gradients[operand] = mapping.lookupOrDefault(yielded);
  return gradients;
}

/// The gradient flows to the value of its mode.
SmallVector<Value> ByModeOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,
                                      ArrayRef<bool> needed) {
  const nn::Expr dy(builder, dResults[0]);
  const Value zero = expand(dy.scalar(0), dy.type());
  return {needed[0] ? ByModeOp::create(builder, dy, zero).getResult() : Value(),
          needed[1] ? ByModeOp::create(builder, zero, dy).getResult() : Value()};
}
