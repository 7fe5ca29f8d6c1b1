//===- Changes.h ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random changes of images, as a text names them: "crop:4,flip,rotate:15,color:0.4/0.4,erase,mixup:0.2".
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_DATA_CHANGES_H
#define DLC_RUNTIME_DATA_CHANGES_H

#include "runtime/core/Error.h"
#include "runtime/core/Memory.h"

namespace dlc::runtime {

enum class ChangeKind { Crop, Flip, Rotate, Affine, Color, Erase, Mixup, Cutmix };

struct Change {
  ChangeKind kind;
  double values[5];
};

/// Changes of one image after the other, in their order; crops and mirroring come first wherever they stand.
struct Changes {
  int32_t padding = 0;
  bool mirrors = false;
  Array<Change> others;
  double mixup = 0, cutmix = 0; ///< of whole batches: the parameter of the beta distribution; 0: none

  bool mixes() const { return mixup > 0 || cutmix > 0; }
  /// Reads a text. DLC_INVALID_ARGUMENT says what is expected.
  dlc_status parse(const char *text, Error &error);

private:
  dlc_status add(const char *word, size_t length, Error &error);
};

/// An image of floats, channel by channel, and what black and white are in each: 0 and 1, unless it was
/// normalized.
struct ImageShape {
  int64_t channels, height, width;
  const float *black, *white;

  float blackOf(int64_t channel) const { return black ? black[channel] : 0; }
  float whiteOf(int64_t channel) const { return white ? white[channel] : 1; }
  int64_t pixels() const { return height * width; }
  size_t count() const { return static_cast<size_t>(channels * pixels()); }
};

/// For each pixel of `to`, the place that it has in `from`: angle in degrees, shifts in pixels, shears in
/// degrees, about the centre. Between pixels values are interpolated, outside of the image they are black.
struct AffinePlace {
  double angle, right, down, scale, shearX, shearY;
};
void warp(const ImageShape &shape, const AffinePlace &place, const float *from, float *to);

enum class Adjustment { Brightness, Contrast, Saturation, Hue };
/// Changes an image by a factor; hue by a part of the circle of colours. Grey images have brightness and
/// contrast alone.
void adjust(const ImageShape &shape, Adjustment what, double factor, float *image);

} // namespace dlc::runtime

#endif
