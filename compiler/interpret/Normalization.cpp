//===- Normalization.cpp - softmax and the normalizations -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax and the normalizations, from their definitions. `train.batch_norm` belongs to the functions
// (Program.cpp), which hold its running statistics; its arithmetic is here.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Normalization.h"
#include "dialects/nn/NN.h"

#include <cmath>
#include <limits>

namespace dlc::interpret {
namespace {

void evaluateSoftmax(Evaluation &e, int64_t axis, bool logarithm, bool emptyToZero = false) {
  const Tensor &x = e.operand(0);
  llvm::ArrayRef<int64_t> shape = x.shape;
  int64_t inner = product(shape.drop_front(axis + 1)), outer = product(shape.take_front(axis)),
          n = shape[axis];
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      int64_t base = o * n * inner + i;
      double largest = -std::numeric_limits<double>::infinity(), sum = 0;
      for (int64_t k = 0; k < n; ++k)
        largest = maximum(largest, x.floats[base + k * inner]);
      if (emptyToZero && largest == -std::numeric_limits<double>::infinity())
        continue; // the result begins as zeros
      for (int64_t k = 0; k < n; ++k)
        sum += std::exp(x.floats[base + k * inner] - largest);
      for (int64_t k = 0; k < n; ++k) {
        double shifted = x.floats[base + k * inner] - largest;
        e.result().floats[base + k * inner] = logarithm ? shifted - std::log(sum) : std::exp(shifted) / sum;
      }
    }
}

void evaluateLayerNorm(Evaluation &e, nn::LayerNormOp op) {
  const Tensor &x = e.of(op.getX()), &scale = e.of(op.getScale()), &bias = e.of(op.getBias());
  llvm::ArrayRef<int64_t> shape = x.shape;
  int64_t rows = product(shape.take_front(op.getAxis())), columns = product(shape.drop_front(op.getAxis()));
  double epsilon = op.getEpsilon().convertToDouble();
  auto averageOf = [&](int64_t r, auto &&term) {
    double sum = 0;
    for (int64_t c = 0; c < columns; ++c)
      sum += term(x.floats[r * columns + c]);
    return sum / static_cast<double>(columns);
  };
  std::vector<double> &means = e.result(1).floats, &rstds = e.result(2).floats;
  for (int64_t r = 0; r < rows; ++r)
    means[r] = averageOf(r, [](double v) { return v; });
  e.complete(1);
  for (int64_t r = 0; r < rows; ++r)
    rstds[r] =
        1 / std::sqrt(averageOf(r, [&](double v) { return (v - means[r]) * (v - means[r]); }) + epsilon);
  e.complete(2);
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t r = i / columns, c = i % columns;
    e.result(0).floats[i] = (x.floats[i] - means[r]) * rstds[r] * scale.floats[c] + bias.floats[c];
  }
}

} // namespace

void channelStatistics(const Tensor &x, Tensor &mean, Tensor &variance) {
  llvm::ArrayRef<int64_t> shape = x.shape;
  int64_t batch = shape[0], channels = shape[1], inner = product(shape.drop_front(2));
  double count = static_cast<double>(batch * inner);
  for (int64_t c = 0; c < channels; ++c) {
    auto sum = [&](auto &&term) {
      double total = 0;
      for (int64_t b = 0; b < batch; ++b)
        for (int64_t i = 0; i < inner; ++i)
          total += term(x.floats[(b * channels + c) * inner + i]);
      return total;
    };
    double m = sum([](double v) { return v; }) / count;
    mean.floats[c] = m;
    variance.floats[c] = sum([m](double v) { return (v - m) * (v - m); }) / count;
  }
}

void normalizeChannels(const Tensor &x, const Tensor &scale, const Tensor &bias, const Tensor &mean,
                       const Tensor &variance, double epsilon, Tensor &y) {
  int64_t channels = x.shape[1], inner = product(llvm::ArrayRef<int64_t>(x.shape).drop_front(2));
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t c = i / inner % channels;
    y.floats[i] = (x.floats[i] - mean.floats[c]) / std::sqrt(variance.floats[c] + epsilon) * scale.floats[c] +
                  bias.floats[c];
  }
}

bool evaluateNormalization(Evaluation &e) {
  mlir::Operation *op = e.getOperation();
  if (auto softmax = mlir::dyn_cast<nn::SoftmaxOp>(op))
    return evaluateSoftmax(e, softmax.getAxis(), false, softmax.getEmptyToZero()), true;
  if (auto softmax = mlir::dyn_cast<nn::LogSoftmaxOp>(op))
    return evaluateSoftmax(e, softmax.getAxis(), true), true;
  if (auto norm = mlir::dyn_cast<nn::LayerNormOp>(op))
    return evaluateLayerNorm(e, norm), true;
  if (auto norm = mlir::dyn_cast<nn::BatchNormOp>(op)) {
    channelStatistics(e.of(norm.getX()), e.result(1), e.result(2));
    e.complete(1);
    e.complete(2);
    normalizeChannels(e.of(norm.getX()), e.of(norm.getScale()), e.of(norm.getBias()), e.result(1),
                      e.result(2), norm.getEpsilon().convertToDouble(), e.result(0));
    return true;
  }
  if (auto norm = mlir::dyn_cast<nn::BatchNormInferenceOp>(op)) {
    normalizeChannels(e.of(norm.getX()), e.of(norm.getScale()), e.of(norm.getBias()), e.of(norm.getMean()),
                      e.of(norm.getVariance()), norm.getEpsilon().convertToDouble(), e.result());
    return true;
  }
  return false;
}

} // namespace dlc::interpret
