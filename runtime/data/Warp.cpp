//===- Warp.cpp -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images turned, moved, made larger and sheared, as torchvision does it: bilinear, and black outside. A pixel
// at the edge of the image is darkened by how much of it is outside, twice: torchvision mixes what it has
// read, which ends in black there, with black once more.
//===----------------------------------------------------------------------===//
#include "runtime/data/Changes.h"

#include <cmath>

namespace dlc::runtime {

namespace {

constexpr double degree = 3.14159265358979323846 / 180;

/// The matrix that leads from places of the result to those of the image, both from the centre.
struct Inverse {
  double m[6];

  explicit Inverse(const AffinePlace &place) {
    const double turn = place.angle * degree, x = place.shearX * degree, y = place.shearY * degree;
    const double a = std::cos(turn - y) / std::cos(y),
                 b = -std::cos(turn - y) * std::tan(x) / std::cos(y) - std::sin(turn),
                 c = std::sin(turn - y) / std::cos(y),
                 d = -std::sin(turn - y) * std::tan(x) / std::cos(y) + std::cos(turn);
    const double whole[6] = {d, -b, 0, -c, a, 0};
    for (int i = 0; i < 6; ++i)
      m[i] = whole[i] / place.scale;
    m[2] = -m[0] * place.right - m[1] * place.down;
    m[5] = -m[3] * place.right - m[4] * place.down;
  }
};

/// Up to four pixels around a place, and their weights.
struct Corners {
  int64_t at[4];
  double weight[4];
  double sum = 0; ///< of those that are in the image
  int count = 0;

  Corners(const ImageShape &shape, double x, double y) {
    const auto width = static_cast<double>(shape.width), height = static_cast<double>(shape.height);
    if (!(x > -1 && x < width && y > -1 && y < height)) // not so for NaN
      return;
    const double left = std::floor(x), top = std::floor(y);
    for (int corner = 0; corner < 4; ++corner) {
      const double column = left + (corner & 1), row = top + (corner >> 1);
      const double share = (corner & 1 ? x - left : left + 1 - x) * (corner >> 1 ? y - top : top + 1 - y);
      if (column < 0 || column >= width || row < 0 || row >= height)
        continue;
      at[count] = static_cast<int64_t>(row) * shape.width + static_cast<int64_t>(column);
      weight[count++] = share;
      sum += share;
    }
  }
};

} // namespace

void warp(const ImageShape &shape, const AffinePlace &place, const float *from, float *to) {
  const Inverse inverse(place);
  const double *m = inverse.m;
  const double middleX = static_cast<double>(shape.width) / 2,
               middleY = static_cast<double>(shape.height) / 2;
  for (int64_t y = 0; y < shape.height; ++y)
    for (int64_t x = 0; x < shape.width; ++x, ++to) {
      const double right = static_cast<double>(x) + 0.5 - middleX,
                   down = static_cast<double>(y) + 0.5 - middleY;
      const Corners corners(shape, m[0] * right + m[1] * down + m[2] + middleX - 0.5,
                            m[3] * right + m[4] * down + m[5] + middleY - 0.5);
      for (int64_t channel = 0; channel < shape.channels; ++channel) {
        const float black = shape.blackOf(channel), *plane = from + channel * shape.pixels();
        double light = 0;
        for (int i = 0; i < corners.count; ++i)
          light += corners.weight[i] * (static_cast<double>(plane[corners.at[i]]) - black);
        to[channel * shape.pixels()] = static_cast<float>(black + corners.sum * light);
      }
    }
}

} // namespace dlc::runtime
