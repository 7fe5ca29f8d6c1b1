//===- Normalization.cpp - ONNX nodes for softmax, layer norm and batch norm -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/export/Writer.h"

using namespace mlir;

namespace dlc::onnx {

namespace {

LogicalResult softmax(Writer &w, nn::SoftmaxOp op) {
  w.result(op.getY(), "Softmax", {w[op.getX()]}, {{"axis", int64_t(op.getAxis())}});
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
