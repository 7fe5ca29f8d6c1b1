//===- Folding.cpp - windows of images as columns, and back -----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each place of the kernel, the elements that all windows have there are a slice with steps.
//===----------------------------------------------------------------------===//
#include "dlc/nn/folding.h"
#include "frontends/cpp/api/Text.h"
#include "frontends/cpp/api/Window.h"

namespace dlc::nn {
using namespace detail;

/// A kernel of more elements makes a program that nobody wants to wait for.
static constexpr int64_t maxKernel = 1024;

/// The windows over the rows and the columns of an image.
static std::pair<Window, Window> windowsOf(const char *function, const Numbers &image, const Sizes &kernel,
                                           const FoldOptions &options, const Where &where) {
  Numbers sizes = perDim("kernel_size", kernel, 2, 1, where),
          dilation = perDim("dilation", options.dilation, 2, 1, where),
          padding = perDim("padding", options.padding, 2, 0, where),
          stride = perDim("stride", options.stride, 2, 1, where);
  if (sizes[0] * sizes[1] > maxKernel)
    fail(std::string(function) + ": expected a kernel of at most " + std::to_string(maxKernel) +
             " elements, got " + pythonTuple(sizes),
         where);
  auto along = [&](int i) {
    Window window{image[i], sizes[i], stride[i], padding[i], padding[i], dilation[i]};
    if (window.low + window.size + window.high < window.span())
      fail(std::string(function) + ": expected an image of at least one window, got " + pythonTuple(image) +
               " for windows of " + std::to_string(window.span()) + " elements along dim " +
               std::to_string(i),
           where);
    return window;
  };
  return {along(0), along(1)};
}

/// Where the elements at place `k` of all windows lie in the padded image.
static Slice elementsAt(const Window &window, int64_t k) {
  int64_t first = k * window.dilation;
  return {first, first + (window.count() - 1) * window.stride + 1, window.stride};
}

Tensor functional::unfold(const Tensor &x, Sizes kernel_size, FoldOptions options, Where where) {
  At at(where);
  Image image("unfold", x, 2, where);
  auto [rows, columns] = windowsOf("unfold", image.sizes, kernel_size, options, where);
  Tensor padded = dlc::pad(image.x, {rows.low, columns.low}, {rows.high, columns.high});
  std::vector<Tensor> places;
  for (int64_t i = 0; i < rows.kernel; ++i)
    for (int64_t j = 0; j < columns.kernel; ++j)
      places.push_back(padded.slice(2, elementsAt(rows, i)).slice(3, elementsAt(columns, j)));
  Shape shape = image.x.shape();
  Tensor y = stack(places, 2).reshape(
      {shape[0], shape[1] * Dim(rows.kernel * columns.kernel), rows.count() * columns.count()});
  return image.give(y, where);
}

Tensor functional::fold(const Tensor &x, Sizes output_size, Sizes kernel_size, FoldOptions options,
                        Where where) {
  At at(where);
  Numbers size = perDim("output_size", output_size, 2, 1, where);
  auto [rows, columns] = windowsOf("fold", size, kernel_size, options, where);
  int64_t kernel = rows.kernel * columns.kernel, windows = rows.count() * columns.count();
  bool isAlone = x.dim() == 2;
  Dim channels = x.dim() >= 2 ? x.size(-2) : Dim(0);
  if ((!isAlone && x.dim() != 3) || x.size(-1) != Dim(windows) || !channels.is_static() ||
      channels.factor % kernel)
    fail("fold: expected [batch, channels * " + std::to_string(kernel) + ", " + std::to_string(windows) +
             "], or the same without a batch, got " + describe(x),
         where);
  Tensor all = (isAlone ? x.unsqueeze(0) : x)
                   .reshape({isAlone ? Dim(1) : x.size(0), channels / Dim(kernel), kernel, rows.count(),
                             columns.count()});
  Numbers none(4, 0);
  Tensor sum;
  for (int64_t k = 0; k < kernel; ++k) {
    Numbers low = none, high = none, between{0, 0, rows.stride - 1, columns.stride - 1};
    auto place = [&](const Window &window, int64_t at, int dim) {
      Slice elements = elementsAt(window, at);
      low[dim] = elements.start;
      high[dim] = window.low + window.size + window.high - elements.stop;
    };
    place(rows, k / columns.kernel, 2);
    place(columns, k % columns.kernel, 3);
    Tensor part = apply("nn.pad", {all.select(2, k)},
                        {{"mode", record::Spelled{"#nn<pad_mode constant>"}},
                         {"low", low},
                         {"high", high},
                         {"interior", between},
                         {"value", 0.0}},
                        where);
    sum = sum.defined() ? sum + part : part;
  }
  Tensor y =
      sum.slice(2, {rows.low, rows.low + rows.size}).slice(3, {columns.low, columns.low + columns.size});
  return isAlone ? y.squeeze(0) : y;
}

static std::string describe(const Sizes &kernel, const FoldOptions &options) {
  return "kernel_size=" + pythonSizes(kernel) + ", dilation=" + pythonSizes(options.dilation) +
         ", padding=" + pythonSizes(options.padding) + ", stride=" + pythonSizes(options.stride);
}

Unfold::Unfold(Sizes kernel_size, FoldOptions options, Where where)
    : kernel(std::move(kernel_size)), options(options) {
  perDim("kernel_size", kernel, 2, 1, where);
  set_description(describe(kernel, options));
}

Fold::Fold(Sizes output_size, Sizes kernel_size, FoldOptions options, Where where)
    : size(std::move(output_size)), kernel(std::move(kernel_size)), options(options) {
  perDim("output_size", size, 2, 1, where);
  perDim("kernel_size", kernel, 2, 1, where);
  set_description("output_size=" + pythonSizes(size) + ", " + describe(kernel, options));
}

Tensor Unfold::computed(Tensor x) { return functional::unfold(x, kernel, options, caller()); }
Tensor Fold::computed(Tensor x) { return functional::fold(x, size, kernel, options, caller()); }

} // namespace dlc::nn
