//===- Pool.cpp - ONNX nodes for pooling and resampling ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/export/Writer.h"
#include <cmath>

using namespace mlir;

namespace dlc::onnx {

namespace {

/// The image with its padding, as a node of its own: pooling nodes have rules for how much padding there may
/// be, and for what it counts.
std::string padded(Writer &w, Value x, ArrayRef<int64_t> low, ArrayRef<int64_t> high, double value) {
  auto isZero = [](int64_t size) { return size == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return w[x];
  std::vector<int64_t> pads{0, 0};
  pads.insert(pads.end(), low.begin(), low.end());
  pads.insert(pads.end(), {0, 0});
  pads.insert(pads.end(), high.begin(), high.end());
  return w.step("Pad", {w[x], w.integers(pads), w.scalar(value, getElementTypeOrSelf(x.getType()))});
}

LogicalResult maxPool(Writer &w, nn::MaxPoolOp op) {
  if (!op.getPositions().use_empty())
    return op.emitError(
        "cannot be exported: the positions of its largest elements are used, which ONNX counts "
        "in another way");
  std::string x = padded(w, op.getX(), op.getLow(), op.getHigh(), -INFINITY);
  w.result(op.getY(), "MaxPool", {x},
           {{"kernel_shape", op.getKernel().vec()},
            {"strides", op.getStrides().vec()},
            {"dilations", op.getDilations().vec()}});
  return success();
}

/// The average times the number of elements.
LogicalResult sumPool(Writer &w, nn::SumPoolOp op) {
  std::string x = padded(w, op.getX(), op.getLow(), op.getHigh(), 0);
  std::string mean = w.step("AveragePool", {x},
                            {{"kernel_shape", op.getKernel().vec()},
                             {"strides", op.getStrides().vec()},
                             {"dilations", op.getDilations().vec()}});
  int64_t count = 1;
  for (int64_t size : op.getKernel())
    count *= size;
  w.result(op.getY(), "Mul", {mean, w.scalar(double(count), getElementTypeOrSelf(op.getType()))});
  return success();
}

/// A sum over the taps: slices at positions, times weights.
LogicalResult resample(Writer &w, nn::ResampleOp op) {
  auto x = cast<RankedTensorType>(op.getX().getType());
  int64_t taps = op.getTaps(), count = int64_t(op.getPositions().size()) / taps;
  SmallVector<int64_t> shape(x.getRank() - op.getAxis(), 1);
  shape[0] = count;
  std::string sum;
  for (int64_t t = 0; t < taps; ++t) {
    std::string part = w.step("Gather", {w[op.getX()], w.integers(op.getPositions().slice(t * count, count))},
                              {{"axis", int64_t(op.getAxis())}});
    SmallVector<Attribute> weights;
    for (double weight : op.getWeights().slice(t * count, count))
      weights.push_back(FloatAttr::get(x.getElementType(), weight));
    std::string factors =
        w.constant(DenseElementsAttr::get(RankedTensorType::get(shape, x.getElementType()), weights));
    part = w.step("Mul", {part, factors});
    sum = t == 0 ? part : w.step("Add", {sum, part});
  }
  w.alias(op.getY(), sum);
  return success();
}

} // namespace

void addPoolRules(ExportRules &rules) {
  rules.add(maxPool);
  rules.add(sumPool);
  rules.add(resample);
}

} // namespace dlc::onnx
