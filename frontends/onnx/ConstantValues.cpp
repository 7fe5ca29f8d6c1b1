//===- ConstantValues.cpp - the program's constants at import
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pads, axes, shapes and limits must be known at import, and exporters compute them with nodes of any kind.
// Nodes on constants are imported as operations like all others; where an operator asks for the value of a
// result, it is what the dialect's own folding makes of these operations.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/ConstantValues.h"
#include "dialects/nn/FoldConstants.h"

using namespace mlir;

namespace dlc::onnx {

/// Folding needs operands; positions have none.
static Attribute evaluateIota(nn::IotaOp op) {
  auto type = cast<RankedTensorType>(op.getY().getType());
  if (!type.getElementType().isInteger(64) || !type.hasStaticShape() ||
      type.getNumElements() > nn::largestFoldedConstant)
    return {};
  int64_t inner = 1, size = type.getDimSize(op.getAxis());
  for (int64_t dim : type.getShape().drop_front(op.getAxis() + 1))
    inner *= dim;
  SmallVector<int64_t> positions;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    positions.push_back(i / inner % size);
  return DenseElementsAttr::get(type, ArrayRef<int64_t>(positions));
}

/// What an operation gives whose operands are constants.
static Attribute foldOperation(Operation *op, const llvm::DenseMap<Value, Attribute> &known) {
  if (auto iota = dyn_cast<nn::IotaOp>(op))
    return evaluateIota(iota);
  SmallVector<OpFoldResult> results;
  // Folding in place (of a transposed transpose) makes way for more, with other operands.
  for (int round = 0; round < 4 && results.empty(); ++round) {
    SmallVector<Attribute> operands =
        llvm::map_to_vector(op->getOperands(), [&](Value operand) { return known.lookup(operand); });
    if (failed(op->fold(operands, results)))
      return {};
  }
  if (results.size() != 1)
    return {};
  if (auto attribute = dyn_cast<Attribute>(results.front()))
    return attribute;
  return known.lookup(cast<Value>(results.front()));
}

Attribute ConstantValues::of(Value value) {
  SmallVector<Value> stack = {value}; // of our own: chains of operations can be long
  while (!stack.empty()) {
    Value next = stack.back();
    Operation *op = next.getDefiningOp();
    bool isKnown = op->getNumResults() == 1 && isMemoryEffectFree(op), isReady = true;
    for (Value operand : op->getOperands()) {
      auto found = known.find(operand);
      isKnown &= found == known.end() || found->second;
    }
    if (isKnown && !known.count(next))
      for (Value operand : op->getOperands())
        if (!known.count(operand)) {
          stack.push_back(operand);
          isReady = false;
        }
    if (!isReady)
      continue;
    stack.pop_back();
    if (known.count(next))
      continue;
    auto constant = dyn_cast<nn::ConstantOp>(op);
    known[next] = constant  ? Attribute(constant.getValue())
                  : isKnown ? foldOperation(op, known)
                            : Attribute();
  }
  return known.lookup(value);
}

} // namespace dlc::onnx
