//===- Normalization.cpp - ONNX nodes for softmax, layer norm and batch norm -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/export/Writer.h"

using namespace mlir;

namespace dlc::onnx {

namespace {

LogicalResult softmax(Writer &w, nn::SoftmaxOp op) {
  ExportedAttributes along = {{"axis", int64_t(op.getAxis())}};
  if (op.getEmptyToZero()) { // as PyTorch's exporter writes it, which is read back as this operation
    std::string shares = w.step("Softmax", {w[op.getX()]}, along), isEmpty = w.step("IsNaN", {shares});
    w.result(op.getY(), "Where", {isEmpty, w.scalar(0, op.getY().getType().getElementType()), shares});
  } else {
    w.result(op.getY(), "Softmax", {w[op.getX()]}, along);
  }
  return success();
}
LogicalResult logSoftmax(Writer &w, nn::LogSoftmaxOp op) {
  w.result(op.getY(), "LogSoftmax", {w[op.getX()]}, {{"axis", int64_t(op.getAxis())}});
  return success();
}

LogicalResult layerNorm(Writer &w, nn::LayerNormOp op) {
  w.results(op->getResults(), "LayerNormalization", {w[op.getX()], w[op.getScale()], w[op.getBias()]},
            {{"axis", int64_t(op.getAxis())}, {"epsilon", float(op.getEpsilon().convertToDouble())}});
  return success();
}

LogicalResult batchNorm(Writer &w, nn::BatchNormInferenceOp op) {
  w.result(op.getY(), "BatchNormalization",
           {w[op.getX()], w[op.getScale()], w[op.getBias()], w[op.getMean()], w[op.getVariance()]},
           {{"epsilon", float(op.getEpsilon().convertToDouble())}});
  return success();
}

} // namespace

void addNormalizationRules(ExportRules &rules) {
  rules.add(softmax);
  rules.add(logSoftmax);
  rules.add(layerNorm);
  rules.add(batchNorm);
}

} // namespace dlc::onnx
