//===- Colors.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brightness, contrast, saturation and hue, as torchvision changes them: of images from black, 0, to
// white, 1. Normalized ones are taken back to that, and normalized again.
//===----------------------------------------------------------------------===//
#include "runtime/data/Changes.h"

#include <cmath>

namespace dlc::runtime {

namespace {

float limited(float value) { return value < 0 ? 0 : value > 1 ? 1 : value; }

/// A mixture of two values, of which one may count less than nothing.
float mixed(float factor, float value, float other) { return limited(factor * value + (1 - factor) * other); }

float greyOf(const float *red, int64_t pixels, int64_t i) {
  return 0.2989f * red[i] + 0.587f * red[i + pixels] + 0.114f * red[i + 2 * pixels];
}

void toUnit(const ImageShape &shape, float *image, bool isBack) {
  for (int64_t channel = 0; channel < shape.channels; ++channel) {
    const float black = shape.blackOf(channel), range = shape.whiteOf(channel) - black;
    for (int64_t i = 0; i < shape.pixels() && (black != 0 || range != 1); ++i) {
      float &value = image[channel * shape.pixels() + i];
      value = isBack ? value * range + black : (value - black) / range;
    }
  }
}

void contrast(const ImageShape &shape, float factor, float *image) {
  const int64_t pixels = shape.pixels();
  double sum = 0;
  for (int64_t i = 0; i < pixels; ++i)
    sum += shape.channels == 3 ? greyOf(image, pixels, i) : image[i];
  const auto mean = static_cast<float>(sum / static_cast<double>(pixels));
  for (int64_t i = 0; i < shape.channels * pixels; ++i)
    image[i] = mixed(factor, image[i], mean);
}

/// Turns the colour of one pixel, by way of hue, saturation and value.
void turnHue(float turn, float &red, float &green, float &blue) {
  const float most = std::fmax(red, std::fmax(green, blue)), least = std::fmin(red, std::fmin(green, blue));
  const float range = most - least, divisor = range == 0 ? 1 : range;
  const float saturation = range == 0 ? 0 : range / most;
  const float r = (most - red) / divisor, g = (most - green) / divisor, b = (most - blue) / divisor;
  float hue = most == red ? b - g : most == green ? 2 + r - b : 4 + g - r;
  hue = std::fmod(hue / 6 + 1, 1.0f) + turn;
  hue -= std::floor(hue);
  const float sixth = std::floor(hue * 6), part = hue * 6 - sixth;
  const float p = limited(most * (1 - saturation)), q = limited(most * (1 - saturation * part)),
              t = limited(most * (1 - saturation * (1 - part)));
  const float colors[6][3] = {{most, t, p}, {q, most, p}, {p, most, t},
                              {p, q, most}, {t, p, most}, {most, p, q}};
  const float *color = colors[static_cast<int>(sixth) % 6];
  red = color[0];
  green = color[1];
  blue = color[2];
}

void change(const ImageShape &shape, Adjustment what, float factor, float *image) {
  const int64_t pixels = shape.pixels();
  if (what == Adjustment::Brightness)
    for (int64_t i = 0; i < shape.channels * pixels; ++i)
      image[i] = limited(image[i] * factor);
  else if (what == Adjustment::Contrast)
    contrast(shape, factor, image);
  for (int64_t i = 0; i < pixels && shape.channels == 3; ++i) {
    const float grey = greyOf(image, pixels, i);
    if (what == Adjustment::Hue)
      turnHue(factor, image[i], image[i + pixels], image[i + 2 * pixels]);
    for (int64_t channel = 0; channel < 3 && what == Adjustment::Saturation; ++channel)
      image[i + channel * pixels] = mixed(factor, image[i + channel * pixels], grey);
  }
}

} // namespace

void adjust(const ImageShape &shape, Adjustment what, double factor, float *image) {
  toUnit(shape, image, /*isBack=*/false);
  change(shape, what, static_cast<float>(factor), image);
  toUnit(shape, image, /*isBack=*/true);
}

} // namespace dlc::runtime
