//===- Pool.cpp - pooling and resampling -----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pooling, window by window: each reads the positions of the image that it covers, or adds to them.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Evaluation.h"
#include "dialects/nn/NN.h"

#include <cmath>

namespace dlc::interpret {
namespace {

using Sizes = llvm::ArrayRef<int64_t>;

/// Calls `visit(window, position)` for each window and each position of the image that it covers, both as
/// offsets of elements, windows in row-major order and positions in the order of the window.
template <typename Op>
void forEachCovered(Op op, Sizes image, Sizes windows, llvm::function_ref<void(int64_t, int64_t)> visit) {
  int64_t planes = image[0] * image[1], plane = product(image.drop_front(2));
  llvm::SmallVector<int64_t, 4> strides = stridesOf(image.drop_front(2));
  int64_t window = 0;
  for (int64_t p = 0; p < planes; ++p)
    forEachIndex(windows.drop_front(2), [&](Sizes o) {
      forEachIndex(op.getKernel(), [&](Sizes k) {
        int64_t offset = p * plane;
        for (size_t i = 0; i < o.size(); ++i) {
          int64_t at = o[i] * op.getStrides()[i] - op.getLow()[i] + k[i] * op.getDilations()[i];
          if (at < 0 || at >= image[2 + i])
            return;
          offset += at * strides[i];
        }
        visit(window, offset);
      });
      ++window;
    });
}

void evaluateMaxPool(Evaluation &e, nn::MaxPoolOp op) {
  const Tensor &x = e.operand(0);
  int64_t plane = product(Sizes(x.shape).drop_front(2));
  std::vector<double> &y = e.result(0).floats;
  std::vector<int64_t> &positions = e.result(1).ints;
  std::fill(positions.begin(), positions.end(), -1);
  forEachCovered(op, x.shape, e.result().shape, [&](int64_t window, int64_t element) {
    double value = x.floats[element];
    if (positions[window] >= 0 && !std::isnan(value) && !(value > y[window]))
      return;
    y[window] = value;
    positions[window] = element % plane;
  });
}

void evaluateMaxUnpool(Evaluation &e, nn::MaxUnpoolOp op) {
  const Tensor &y = e.operand(0), &positions = e.operand(1);
  int64_t plane = product(op.getSizes());
  int64_t windows = product(Sizes(y.shape).drop_front(2));
  for (int64_t window = 0; window < y.size(); ++window) {
    int64_t at = positions.ints[window];
    if (at < 0 || at >= plane)
      return e.fail("expected positions in [0, " + llvm::Twine(plane) + "), found " + llvm::Twine(at));
    e.result().floats[window / windows * plane + at] += y.floats[window];
  }
}

void evaluateResample(Evaluation &e, nn::ResampleOp op) {
  const Tensor &x = e.operand(0);
  Tensor &y = e.result();
  int64_t axis = op.getAxis(), size = y.shape[axis];
  llvm::SmallVector<int64_t, 4> strides = stridesOf(x.shape);
  int64_t at = 0;
  forEachIndex(y.shape, [&](Sizes index) {
    llvm::SmallVector<int64_t, 4> from(index);
    double total = 0;
    for (int64_t t = 0; t < static_cast<int64_t>(op.getTaps()); ++t) {
      from[axis] = op.getPositions()[t * size + index[axis]];
      total += op.getWeights()[t * size + index[axis]] * x.floats[offsetOf(from, strides)];
    }
    y.floats[at++] = total;
  });
}

} // namespace

bool evaluatePool(Evaluation &e) {
  mlir::Operation *op = e.getOperation();
  if (auto pool = mlir::dyn_cast<nn::MaxPoolOp>(op))
    evaluateMaxPool(e, pool);
  else if (auto unpool = mlir::dyn_cast<nn::MaxUnpoolOp>(op))
    evaluateMaxUnpool(e, unpool);
  else if (auto pool = mlir::dyn_cast<nn::SumPoolOp>(op))
    forEachCovered(pool, e.operand(0).shape, e.result().shape, [&](int64_t window, int64_t element) {
      e.result().floats[window] += e.operand(0).floats[element];
    });
  else if (auto unpool = mlir::dyn_cast<nn::SumUnpoolOp>(op))
    forEachCovered(unpool, e.result().shape, e.operand(0).shape, [&](int64_t window, int64_t element) {
      e.result().floats[element] += e.operand(0).floats[window];
    });
  else if (auto resample = mlir::dyn_cast<nn::ResampleOp>(op))
    evaluateResample(e, resample);
  else
    return false;
  return true;
}

} // namespace dlc::interpret
