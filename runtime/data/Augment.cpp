//===- Augment.cpp --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random crops of padded images, and mirrored ones.
//===----------------------------------------------------------------------===//
#include "runtime/data/Augment.h"
#include "runtime/data/Random.h"

#include <cinttypes>
#include <cmath>

namespace dlc::runtime {

dlc_status Augment::prepare(const dlc_augmentation &options, const dlc_array &array, Error &error) {
  if (array.dtype != DLC_F32 || (array.rank != 3 && array.rank != 4) ||
      reinterpret_cast<uintptr_t>(array.data) % alignof(float) != 0)
    return error.fail(
        DLC_INVALID_ARGUMENT,
        "augmentation of array %d: expected images of floats, [samples][channels][height][width]; "
        "it has the dtype %d and %d dims, or is not aligned",
        options.images, array.dtype, array.rank);
  samples = array.shape[0];
  channels = array.rank == 4 ? array.shape[1] : 1;
  height = array.shape[array.rank - 2];
  width = array.shape[array.rank - 1];
  if (options.padding < 0 || options.padding > height || options.padding > width)
    return error.fail(DLC_INVALID_ARGUMENT,
                      "augmentation: padding is %d, expected 0 up to the image's size, which is %" PRId64
                      " x %" PRId64,
                      options.padding, height, width);
  if ((options.mirror != 0 && options.mirror != 1) || options.reserved != 0)
    return error.fail(DLC_INVALID_ARGUMENT,
                      "augmentation: mirror is %d, expected 0 or 1, and reserved is %d, expected 0",
                      options.mirror, options.reserved);
  padding = options.padding;
  mirror = options.mirror != 0;
  if (!fill.allocate(static_cast<size_t>(channels)))
    return error.fail(DLC_OUT_OF_MEMORY, "no memory for a loader");
  for (int64_t channel = 0; channel < channels; ++channel) {
    const float value = options.fill ? options.fill[channel] : 0;
    if (!std::isfinite(value))
      return error.fail(DLC_INVALID_ARGUMENT,
                        "augmentation: fill[%" PRId64 "] is %g, expected a finite number", channel,
                        static_cast<double>(value));
    fill[static_cast<size_t>(channel)] = value;
  }
  return DLC_OK;
}

void Augment::copy(const float *from, float *to, uint64_t seed, uint64_t epoch, int64_t sample) const {
  // The order of an epoch is drawn from `seed`; what happens to a sample has nothing in common with it.
  Random random(~seed, epoch * static_cast<uint64_t>(samples) + static_cast<uint64_t>(sample));
  const uint64_t distances = 2 * static_cast<uint64_t>(padding) + 1;
  const int64_t down = static_cast<int64_t>(random.below(distances)) - padding;
  const int64_t right = static_cast<int64_t>(random.below(distances)) - padding;
  const bool mirrored = random.below(2) != 0 && mirror;
  // Columns [first, last) of the result come from the image, the others from the border.
  const int64_t first = right > 0 ? 0 : -right, last = right > 0 ? width - right : width;
  for (int64_t channel = 0; channel < channels; ++channel)
    for (int64_t y = 0; y < height; ++y, to += width) {
      const float border = fill[static_cast<size_t>(channel)];
      const int64_t row = y + down;
      for (int64_t x = 0; x < width; ++x) {
        const int64_t column = mirrored ? width - 1 - x : x;
        const bool inside = row >= 0 && row < height && column >= first && column < last;
        to[x] = inside ? from[(channel * height + row) * width + column + right] : border;
      }
    }
}

} // namespace dlc::runtime
