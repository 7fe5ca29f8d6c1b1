//===- Window.cpp - windows over images ---------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Window.h"
#include <algorithm>

namespace dlc::detail {

/// No image needs larger kernels or strides, and products of such numbers do not overflow.
static constexpr int64_t largest = int64_t(1) << 24;

Numbers perDim(const char *name, const nn::Sizes &sizes, int64_t spatial, int64_t least, const Where &where) {
  Numbers each = sizes.each.size() == 1 ? Numbers(spatial, sizes.each[0]) : sizes.each;
  if (int64_t(each.size()) != spatial)
    fail(std::string(name) + ": expected one number, or one for each of " + std::to_string(spatial) +
             " spatial dims, got " + std::to_string(each.size()),
         where);
  for (int64_t number : each)
    if (number < least || number > largest)
      fail(std::string(name) + ": expected numbers from " + std::to_string(least) + " to " +
               std::to_string(largest) + ", got " + std::to_string(number),
           where);
  return each;
}

Image::Image(const char *function, const Tensor &given, int64_t spatial, const Where &where) {
  if (!given.defined())
    fail(std::string(function) + ": a tensor without a value was given", where);
  isAlone = given.dim() == spatial + 1;
  if (!isAlone && given.dim() != spatial + 2)
    fail(std::string(function) + ": expected [batch, channels, and " + std::to_string(spatial) +
             " spatial dims], or the same without a batch, got " + str(given.shape()),
         where);
  x = isAlone ? given.unsqueeze(0, where) : given;
  Shape shape = x.shape();
  for (int64_t i = 0; i < spatial; ++i) {
    if (!shape[i + 2].is_static())
      fail(std::string(function) + ": expected spatial dims of known sizes, got " + str(given.shape()),
           where);
    sizes.push_back(shape[i + 2].factor);
  }
}

void Window::roundUp() {
  int64_t rest = low + size + high - span();
  if (rest < 0)
    return; // not even one window: the operation says so
  int64_t steps = (rest + stride - 1) / stride;
  if (steps * stride >= size + low)
    --steps;
  high = std::max<int64_t>(steps * stride + span() - size - low, 0);
}

int64_t Window::covered(int64_t o, int64_t begin, int64_t end) const {
  int64_t number = 0;
  for (int64_t k = 0; k < kernel; ++k) {
    int64_t at = o * stride - low + k * dilation;
    number += at >= begin && at < end;
  }
  return number;
}

} // namespace dlc::detail
