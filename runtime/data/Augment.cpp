//===- Augment.cpp --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random crops of padded images and mirrored ones, then further changes in the order in which they are named.
// All numbers of a sample come from one stream, which follows from seed, epoch and sample.
//===----------------------------------------------------------------------===//
#include "runtime/data/Augment.h"

#include <cinttypes>
#include <cmath>

namespace dlc::runtime {

dlc_status Augment::prepare(const dlc_augmentation &options, const char *text, const float *whites,
                            const dlc_array &array, Error &error) {
  if (array.dtype != DLC_F32 || (array.rank != 3 && array.rank != 4) ||
      reinterpret_cast<uintptr_t>(array.data) % alignof(float) != 0)
    return error.fail(
        DLC_INVALID_ARGUMENT,
        "augmentation of array %d: expected images of floats, [samples][channels][height][width]; "
        "it has the dtype %d and %d dims, or is not aligned",
        options.images, array.dtype, array.rank);
  samples = array.shape[0];
  if ((options.mirror != 0 && options.mirror != 1) || options.reserved != 0)
    return error.fail(DLC_INVALID_ARGUMENT,
                      "augmentation: mirror is %d, expected 0 or 1, and reserved is %d, expected 0",
                      options.mirror, options.reserved);
  const ImageShape images = {array.rank == 4 ? array.shape[1] : 1, array.shape[array.rank - 2],
                             array.shape[array.rank - 1], options.fill, whites};
  if (dlc_status status = prepare(text, images, error))
    return status;
  if ((changes.padding && options.padding) || (changes.mirrors && options.mirror))
    return error.fail(DLC_INVALID_ARGUMENT,
                      "augmentation: crops or mirroring are in its fields and in the changes, too");
  if (options.padding != 0)
    changes.padding = options.padding;
  changes.mirrors |= options.mirror != 0;
  if (changes.padding < 0 || changes.padding > shape.height || changes.padding > shape.width)
    return error.fail(DLC_INVALID_ARGUMENT,
                      "augmentation: padding is %d, expected 0 up to the image's size, which is %" PRId64
                      " x %" PRId64,
                      changes.padding, shape.height, shape.width);
  return DLC_OK;
}

dlc_status Augment::prepare(const char *text, const ImageShape &images, Error &error) {
  shape = images;
  if (text && *text)
    if (dlc_status status = changes.parse(text, error))
      return status;
  return setColors(images.black, images.white, error);
}

dlc_status Augment::setColors(const float *blacks, const float *whites, Error &error) {
  if (!black.allocate(static_cast<size_t>(shape.channels)) ||
      !white.allocate(static_cast<size_t>(shape.channels)))
    return error.fail(DLC_OUT_OF_MEMORY, "no memory for a loader");
  for (int64_t channel = 0; channel < shape.channels; ++channel) {
    const float low = blacks ? blacks[channel] : 0, high = whites ? whites[channel] : 1;
    if (!std::isfinite(low))
      return error.fail(DLC_INVALID_ARGUMENT,
                        "augmentation: fill[%" PRId64 "] is %g, expected a finite number", channel,
                        static_cast<double>(low));
    if (whites && (!std::isfinite(high) || high == low))
      return error.fail(DLC_INVALID_ARGUMENT,
                        "augmentation: white[%" PRId64
                        "] is %g, expected a finite number that is not black's",
                        channel, static_cast<double>(high));
    black[static_cast<size_t>(channel)] = low;
    white[static_cast<size_t>(channel)] = high;
  }
  shape.black = black.data();
  shape.white = white.data();
  for (const Change &change : changes.others)
    if (change.kind == ChangeKind::Color && shape.channels != 1 && shape.channels != 3)
      return error.fail(DLC_INVALID_ARGUMENT,
                        "augmentation: 'color' changes images of 1 or 3 channels, these have %" PRId64,
                        shape.channels);
  return DLC_OK;
}

void Augment::copy(const float *from, float *to, float *scratch, uint64_t seed, uint64_t epoch,
                   int64_t sample) const {
  // The order of an epoch is drawn from `seed`; what happens to a sample has nothing in common with it.
  Random random(~seed, epoch * static_cast<uint64_t>(samples) + static_cast<uint64_t>(sample));
  copy(from, to, scratch, random);
}

void Augment::copy(const float *from, float *to, float *scratch, Random &random) const {
  cropAndMirror(from, to, random);
  for (const Change &change : changes.others)
    apply(change, to, scratch, random);
}

void Augment::cropAndMirror(const float *from, float *to, Random &random) const {
  const int64_t padding = changes.padding, height = shape.height, width = shape.width;
  const uint64_t distances = 2 * static_cast<uint64_t>(padding) + 1;
  const int64_t down = static_cast<int64_t>(random.below(distances)) - padding;
  const int64_t right = static_cast<int64_t>(random.below(distances)) - padding;
  const bool mirrored = random.below(2) != 0 && changes.mirrors;
  // Columns [first, last) of the result come from the image, the others from the border.
  const int64_t first = right > 0 ? 0 : -right, last = right > 0 ? width - right : width;
  for (int64_t channel = 0; channel < shape.channels; ++channel)
    for (int64_t y = 0; y < height; ++y, to += width) {
      const float border = shape.blackOf(channel);
      const int64_t row = y + down;
      for (int64_t x = 0; x < width; ++x) {
        const int64_t column = mirrored ? width - 1 - x : x;
        const bool inside = row >= 0 && row < height && column >= first && column < last;
        to[x] = inside ? from[(channel * height + row) * width + column + right] : border;
      }
    }
}

void Augment::apply(const Change &change, float *image, float *scratch, Random &random) const {
  const double *values = change.values;
  AffinePlace place = {0, 0, 0, 1, 0, 0};
  switch (change.kind) {
  case ChangeKind::Rotate:
    place.angle = random.between(-values[0], values[0]);
    break;
  case ChangeKind::Affine:
    place.angle = random.between(-values[0], values[0]);
    place.right = std::nearbyint(random.between(-values[1], values[1]) * static_cast<double>(shape.width));
    place.down = std::nearbyint(random.between(-values[1], values[1]) * static_cast<double>(shape.height));
    place.scale = random.between(values[2], values[3]);
    place.shearX = random.between(-values[4], values[4]);
    break;
  case ChangeKind::Color:
    return jitter(change, image, random);
  default:
    return erase(change, image, random);
  }
  warp(shape, place, image, scratch);
  memcpy(image, scratch, shape.count() * sizeof(float));
}

/// Brightness, contrast, saturation and hue in an order of their own for each image.
void Augment::jitter(const Change &change, float *image, Random &random) const {
  int order[4] = {0, 1, 2, 3};
  for (uint64_t i = 3; i > 0; --i) {
    const uint64_t other = random.below(i + 1);
    const int kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
  for (const int what : order) {
    const double most = change.values[what];
    if (most == 0)
      continue;
    const auto adjustment = static_cast<Adjustment>(what);
    const bool isHue = adjustment == Adjustment::Hue;
    const double least = isHue ? -most : most > 1 ? 0 : 1 - most;
    adjust(shape, adjustment, random.between(least, isHue ? most : 1 + most), image);
  }
}

/// A rectangle of 2 % to 33 % of the image becomes black; its sides are 3 : 10 up to 10 : 3.
void Augment::erase(const Change &change, float *image, Random &random) const {
  if (random.unit() >= change.values[0])
    return;
  constexpr double leastShare = 0.02, mostShare = 0.33, leastRatio = 0.3, mostRatio = 3.3;
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double area = random.between(leastShare, mostShare) * static_cast<double>(shape.pixels());
    const double ratio = std::exp(random.between(std::log(leastRatio), std::log(mostRatio)));
    const auto height = static_cast<int64_t>(std::nearbyint(std::sqrt(area * ratio))),
               width = static_cast<int64_t>(std::nearbyint(std::sqrt(area / ratio)));
    if (height >= shape.height || width >= shape.width)
      continue;
    const auto top = static_cast<int64_t>(random.below(static_cast<uint64_t>(shape.height - height + 1))),
               left = static_cast<int64_t>(random.below(static_cast<uint64_t>(shape.width - width + 1)));
    for (int64_t channel = 0; channel < shape.channels; ++channel)
      for (int64_t y = top; y < top + height; ++y)
        for (int64_t x = left; x < left + width; ++x)
          image[(channel * shape.height + y) * shape.width + x] = shape.blackOf(channel);
    return;
  }
}

namespace {

/// The row behind the last, which is the one before the first.
const float *rowBeforeAll(int64_t rows, bool hasBefore, const Augment::Rows &all) {
  float *behind = all.values + static_cast<size_t>(rows) * all.count;
  if (!hasBefore)
    memcpy(behind, behind - all.count, all.count * sizeof(float));
  return behind;
}

/// Each row with a part of the one before it.
void mixRows(int64_t rows, bool hasBefore, const Augment::Rows &all, double share) {
  const float *beforeAll = rowBeforeAll(rows, hasBefore, all);
  const auto own = static_cast<float>(share), others = static_cast<float>(1 - share);
  for (int64_t row = rows - 1; row >= 0; --row) {
    float *to = all.values + static_cast<size_t>(row) * all.count;
    const float *before = row > 0 ? to - all.count : beforeAll;
    for (size_t i = 0; i < all.count; ++i)
      to[i] = to[i] * own + before[i] * others;
  }
}

} // namespace

/// A rectangle of each image comes from the one before it. The part that stays, which may be another than was
/// drawn.
double Augment::cutAndPaste(int64_t rows, bool hasBefore, const Rows &images, double share,
                            Random &random) const {
  const auto x = static_cast<int64_t>(random.below(static_cast<uint64_t>(shape.width))),
             y = static_cast<int64_t>(random.below(static_cast<uint64_t>(shape.height)));
  const double half = 0.5 * std::sqrt(1 - share);
  const auto wide = static_cast<int64_t>(half * static_cast<double>(shape.width)),
             high = static_cast<int64_t>(half * static_cast<double>(shape.height));
  const int64_t left = x > wide ? x - wide : 0, right = x + wide < shape.width ? x + wide : shape.width,
                top = y > high ? y - high : 0, bottom = y + high < shape.height ? y + high : shape.height;
  const float *beforeAll = rowBeforeAll(rows, hasBefore, images);
  for (int64_t row = rows - 1; row >= 0; --row) {
    float *to = images.values + static_cast<size_t>(row) * images.count;
    const float *before = row > 0 ? to - images.count : beforeAll;
    for (int64_t channel = 0; channel < shape.channels; ++channel)
      for (int64_t line = top; line < bottom; ++line) {
        const int64_t at = (channel * shape.height + line) * shape.width + left;
        memcpy(to + at, before + at, static_cast<size_t>(right - left) * sizeof(float));
      }
  }
  return 1 - static_cast<double>((right - left) * (bottom - top)) / static_cast<double>(shape.pixels());
}

void Augment::mix(int64_t rows, bool hasBefore, const Rows &images, const Rows *targets, size_t targetCount,
                  Random &random) const {
  const bool pastes = changes.cutmix > 0 && (changes.mixup == 0 || random.below(2) != 0);
  const double alpha = pastes ? changes.cutmix : changes.mixup;
  double share = random.beta(alpha, alpha);
  if (pastes)
    share = cutAndPaste(rows, hasBefore, images, share, random);
  else
    mixRows(rows, hasBefore, images, share);
  for (size_t i = 0; i < targetCount; ++i)
    mixRows(rows, hasBefore, targets[i], share);
}

} // namespace dlc::runtime
