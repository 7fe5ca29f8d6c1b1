//===- Conv.cpp - convolutions --------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions: the terms of <conv(x, w), y>, one after another. Each operation adds up the products of two
// of the three elements of a term at the place of the third.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Evaluation.h"
#include "dialects/nn/NN.h"
#include "llvm/Support/MathExtras.h"
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
          for (int64_t c = 0; c < channels; ++c)
            forEachTap((n * groups + g) * channels + c, (g * results + m) * channels + c,
                       (n * groups + g) * results + m, term);
  }

private:
  /// For each element of a channel's kernel.
  template <typename Term> void forEachTap(int64_t xAt, int64_t wAt, int64_t yAt, Term term) const {
    std::array<int64_t, 3> tap;
    for (tap[0] = 0; tap[0] < kernel[0]; ++tap[0])
      for (tap[1] = 0; tap[1] < kernel[1]; ++tap[1])
        for (tap[2] = 0; tap[2] < kernel[2]; ++tap[2])
          forEachPlace<0>(tap, xAt, ((wAt * kernel[0] + tap[0]) * kernel[1] + tap[1]) * kernel[2] + tap[2],
                          yAt, term);
  }

  /// For the places of the result at which the tap is on the image: this loop is the innermost one, as it has
  /// no condition and neighbouring elements.
  template <int dim, typename Term>
  void forEachPlace(const std::array<int64_t, 3> &tap, int64_t xAt, int64_t wAt, int64_t yAt,
                    Term term) const {
    const int64_t first = tap[dim] * dilations[dim] - low[dim]; // of the image, at place 0
    const int64_t begin = std::max<int64_t>(0, llvm::divideCeilSigned(-first, strides[dim]));
    const int64_t end =
        std::min(result[dim], llvm::divideFloorSigned(image[dim] - 1 - first, strides[dim]) + 1);
    if (dim == 2 && strides[dim] == 1) { // neighbours on both sides: several at a time
      for (int64_t o = begin; o < end; ++o)
        term(xAt * image[dim] + first + o, wAt, yAt * result[dim] + o);
      return;
    }
    for (int64_t o = begin; o < end; ++o) {
      const int64_t i = o * strides[dim] + first;
      if constexpr (dim == 2)
        term(xAt * image[dim] + i, wAt, yAt * result[dim] + o);
      else
        forEachPlace<dim + 1>(tap, xAt * image[dim] + i, wAt, yAt * result[dim] + o, term);
    }
  }
};

/// Adds up the terms of the convolution, `add(sum, term)` being what a sum comes to.
template <typename Add> bool evaluateWith(Evaluation &e, Add add) {
  double *sums = e.result().floats.data();
  if (auto op = mlir::dyn_cast<nn::ConvOp>(e.getOperation())) {
    const Tensor &x = e.operand(0), &w = e.operand(1);
    const double *xs = x.floats.data(), *ws = w.floats.data();
    Convolution(op, x, w, e.result()).forEachTerm([=](int64_t xAt, int64_t wAt, int64_t yAt) {
      sums[yAt] = add(sums[yAt], xs[xAt] * ws[wAt]);
    });
  } else if (auto op = mlir::dyn_cast<nn::ConvTransposeOp>(e.getOperation())) {
    const Tensor &dy = e.operand(0), &w = e.operand(1);
    const double *dys = dy.floats.data(), *ws = w.floats.data();
    Convolution(op, e.result(), w, dy).forEachTerm([=](int64_t xAt, int64_t wAt, int64_t yAt) {
      sums[xAt] = add(sums[xAt], dys[yAt] * ws[wAt]);
    });
  } else if (auto op = mlir::dyn_cast<nn::ConvWeightGradientOp>(e.getOperation())) {
    const Tensor &x = e.operand(0), &dy = e.operand(1);
    const double *xs = x.floats.data(), *dys = dy.floats.data();
    Convolution(op, x, e.result(), dy).forEachTerm([=](int64_t xAt, int64_t wAt, int64_t yAt) {
      sums[wAt] = add(sums[wAt], xs[xAt] * dys[yAt]);
    });
  } else {
    return false;
  }
  return true;
}

} // namespace

bool evaluateConv(Evaluation &e) {
  if (e.sumsInFloat())
    return evaluateWith(e, [](double sum, double term) -> double { return static_cast<float>(sum + term); });
  return evaluateWith(e, [](double sum, double term) { return sum + term; });
}

} // namespace dlc::interpret
