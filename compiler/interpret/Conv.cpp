//===- Conv.cpp - convolutions --------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions: the terms of <conv(x, w), y>, one after another. Each operation adds up the products of two
// of the three elements of a term at the place of the third.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Evaluation.h"
#include "dialects/nn/NN.h"
#include <array>

namespace dlc::interpret {
namespace {

/// A number for each of three spatial dims; where an operation has fewer, the first ones are `missing`.
std::array<int64_t, 3> threeDims(llvm::ArrayRef<int64_t> numbers, int64_t missing) {
  std::array<int64_t, 3> three{missing, missing, missing};
  std::copy(numbers.begin(), numbers.end(), three.end() - numbers.size());
  return three;
}

struct Convolution {
  int64_t rows, groups, channels, results; ///< channels of a group, of the image and of the result
  std::array<int64_t, 3> image, kernel, result, strides, dilations, low;

  template <typename Op> Convolution(Op op, const Tensor &x, const Tensor &w, const Tensor &y) {
    rows = x.shape[0];
    groups = op.getGroups();
    channels = x.shape[1] / groups;
    results = y.shape[1] / groups;
    auto spatial = [](const Tensor &tensor) {
      return threeDims(llvm::ArrayRef<int64_t>(tensor.shape).drop_front(2), 1);
    };
    image = spatial(x);
    kernel = spatial(w);
    result = spatial(y);
    strides = threeDims(op.getStrides(), 1);
    dilations = threeDims(op.getDilations(), 1);
    low = threeDims(op.getLow(), 0);
  }

  /// Calls `term` with the places of an element of x, of w and of y, for each term that is not padding.
  template <typename Term> void forEachTerm(Term term) const {
    for (int64_t n = 0; n < rows; ++n)
      for (int64_t g = 0; g < groups; ++g)
        for (int64_t m = 0; m < results; ++m)
          for (int64_t c = 0; c < channels; ++c) {
            int64_t xAt = (n * groups + g) * channels + c;
            int64_t wAt = (g * results + m) * channels + c;
            int64_t yAt = (n * groups + g) * results + m;
            forEachPlace<0>(xAt, wAt, yAt, term);
          }
  }

private:
  template <int dim, typename Term>
  void forEachPlace(int64_t xAt, int64_t wAt, int64_t yAt, Term term) const {
    if constexpr (dim == 3) {
      term(xAt, wAt, yAt);
    } else {
      for (int64_t o = 0; o < result[dim]; ++o)
        for (int64_t k = 0; k < kernel[dim]; ++k) {
          int64_t i = o * strides[dim] + k * dilations[dim] - low[dim];
          if (i >= 0 && i < image[dim])
            forEachPlace<dim + 1>(xAt * image[dim] + i, wAt * kernel[dim] + k, yAt * result[dim] + o, term);
        }
    }
  }
};

} // namespace

bool evaluateConv(Evaluation &e) {
  std::vector<double> &sums = e.result().floats;
  if (auto op = mlir::dyn_cast<nn::ConvOp>(e.getOperation())) {
    const Tensor &x = e.operand(0), &w = e.operand(1);
    Convolution(op, x, w, e.result()).forEachTerm([&](int64_t xAt, int64_t wAt, int64_t yAt) {
      sums[yAt] += x.floats[xAt] * w.floats[wAt];
    });
  } else if (auto op = mlir::dyn_cast<nn::ConvTransposeOp>(e.getOperation())) {
    const Tensor &dy = e.operand(0), &w = e.operand(1);
    Convolution(op, e.result(), w, dy).forEachTerm([&](int64_t xAt, int64_t wAt, int64_t yAt) {
      sums[xAt] += dy.floats[yAt] * w.floats[wAt];
    });
  } else if (auto op = mlir::dyn_cast<nn::ConvWeightGradientOp>(e.getOperation())) {
    const Tensor &x = e.operand(0), &dy = e.operand(1);
    Convolution(op, x, e.result(), dy).forEachTerm([&](int64_t xAt, int64_t wAt, int64_t yAt) {
      sums[wAt] += x.floats[xAt] * dy.floats[yAt];
    });
  } else {
    return false;
  }
  return true;
}

} // namespace dlc::interpret
