//===- Values.cpp - values of operations one at a time ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/session/Values.h"
#include "compiler/interpret/Interpreter.h"
#include "compiler/interpret/Normalization.h"

using namespace mlir;

namespace dlc::session {

using interpret::Tensor;

/// Without recursion: a deep model has many operations one above the other.
const Tensor *Values::of(Value value, Source source, const interpret::DimSizes &dims) {
  SmallVector<Operation *> open{value.getDefiningOp()};
  while (!open.empty()) {
    Operation *op = open.back();
    if (known.contains(op->getResult(0))) {
      open.pop_back();
      continue;
    }
    size_t before = open.size();
    for (Value operand : op->getOperands())
      if (!known.contains(operand))
        open.push_back(operand.getDefiningOp());
    if (open.size() == before && failed(compute(op, source, dims)))
      return nullptr;
  }
  return &known.find(value)->second;
}

LogicalResult Values::compute(Operation *op, Source source, const interpret::DimSizes &dims) {
  if (auto read = dyn_cast<train::ReadOp>(op)) {
    FailureOr<Tensor> value = source(read.getSymbol());
    if (failed(value))
      return failure();
    known[read.getValue()] = std::move(*value);
    return success();
  }
  if (auto constant = dyn_cast<nn::ConstantOp>(op)) {
    FailureOr<Tensor> value =
        interpret::tensorOf(constant.getValue(), [&] { return constant.emitOpError(); });
    if (failed(value))
      return failure();
    known[constant.getY()] = std::move(*value);
    return success();
  }
  SmallVector<const Tensor *> operands;
  for (Value operand : op->getOperands())
    operands.push_back(&known.find(operand)->second);
  if (auto norm = dyn_cast<train::BatchNormOp>(op)) { // in training mode
    const Tensor &x = *operands[0], &scale = *operands[1];
    Tensor mean = Tensor::zeros(x.dtype, scale.shape), variance = mean, y = Tensor::zeros(x.dtype, x.shape);
    interpret::channelStatistics(x, mean, variance);
    interpret::normalizeChannels(x, scale, *operands[2], mean, variance, norm.getEpsilon().convertToDouble(),
                                 y);
    y.roundToDType();
    known[norm.getY()] = std::move(y);
    return success();
  }
  auto results = interpret::evaluateOperation(op, operands, dims, /*roundResults=*/true);
  if (failed(results))
    return failure();
  for (auto [result, tensor] : llvm::zip_equal(op->getResults(), *results))
    known[result] = std::move(tensor);
  return success();
}

} // namespace dlc::session
