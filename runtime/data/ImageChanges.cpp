//===- ImageChanges.cpp ---------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of single images, for programs.
//===----------------------------------------------------------------------===//
#include "runtime/data/Answer.h"
#include "runtime/data/Augment.h"

#include <cinttypes>
#include <cmath>

using dlc::runtime::Error;
using dlc::runtime::ImageShape;

struct dlc_changes {
  dlc::runtime::Augment augment;
  size_t values = 0; ///< of an image
};

namespace {

bool isSize(int64_t channels, int64_t height, int64_t width) {
  constexpr int64_t most = int64_t{1} << 24;
  return channels > 0 && height > 0 && width > 0 && channels <= most && height <= most && width <= most &&
         channels * height <= INT64_MAX / 4 / width;
}

dlc_status create(const char *text, const ImageShape &shape, dlc_changes &changes, Error &error) {
  if (!text || !isSize(shape.channels, shape.height, shape.width))
    return error.fail(DLC_INVALID_ARGUMENT,
                      "changes of images of %" PRId64 " x %" PRId64 " x %" PRId64
                      ": expected a text, and sizes above 0",
                      shape.channels, shape.height, shape.width);
  if (dlc_status status = changes.augment.prepare(text, shape, error))
    return status;
  changes.values = shape.count();
  const int32_t padding = changes.augment.all().padding;
  if (padding > shape.height || padding > shape.width)
    return error.fail(DLC_INVALID_ARGUMENT,
                      "crop:%d, expected up to the image's size, which is %" PRId64 " x %" PRId64, padding,
                      shape.height, shape.width);
  return DLC_OK;
}

} // namespace

extern "C" {

dlc_status dlc_changes_create(const char *text, int64_t channels, int64_t height, int64_t width,
                              const float *black, const float *white, dlc_changes **out, char *error,
                              size_t error_bytes) {
  return dlc::runtime::answerObject(out, error, error_bytes, "changes of images", dlc_changes_free,
                                    [&](dlc_changes &changes, Error &sentence) {
                                      return create(text, {channels, height, width, black, white}, changes,
                                                    sentence);
                                    });
}

dlc_status dlc_changes_apply(const dlc_changes *changes, uint64_t seed, const float *from, float *to) {
  if (!changes || !from || !to || from == to || changes->augment.all().mixes())
    return DLC_INVALID_ARGUMENT;
  dlc::runtime::Array<float> scratch;
  if (changes->augment.needsScratch() && !scratch.allocate(changes->values))
    return DLC_OUT_OF_MEMORY;
  dlc::runtime::Random random(seed, 0);
  changes->augment.copy(from, to, scratch.data(), random);
  return DLC_OK;
}

void dlc_changes_free(dlc_changes *changes) { dlc::runtime::destroyObjects(changes, 1); }

dlc_status dlc_changes_check(const char *text, int32_t *mixes, char *error, size_t error_bytes) {
  if (error && error_bytes)
    error[0] = 0;
  Error sentence;
  dlc::runtime::Changes changes;
  const dlc_status status =
      text ? changes.parse(text, sentence) : sentence.fail(DLC_INVALID_ARGUMENT, "the changes are NULL");
  if (mixes)
    *mixes = status == DLC_OK && changes.mixes();
  if (status != DLC_OK)
    sentence.copyTo(error, error_bytes);
  return status;
}

dlc_status dlc_image_affine(const float *from, int64_t channels, int64_t height, int64_t width,
                            const dlc_affine *place, float *to) {
  if (!from || !to || from == to || !place || !isSize(channels, height, width) || !(place->scale > 0) ||
      !std::isfinite(place->scale) || !std::isfinite(place->angle) || !std::isfinite(place->right) ||
      !std::isfinite(place->down) || !(std::fabs(place->shear_x) <= 89) || !(std::fabs(place->shear_y) <= 89))
    return DLC_INVALID_ARGUMENT;
  dlc::runtime::warp({channels, height, width, nullptr, nullptr},
                     {place->angle, place->right, place->down, place->scale, place->shear_x, place->shear_y},
                     from, to);
  return DLC_OK;
}

dlc_status dlc_image_adjust(float *image, int64_t channels, int64_t height, int64_t width,
                            dlc_adjustment what, double factor) {
  const bool isFactor = what == DLC_HUE ? std::fabs(factor) <= 0.5 : factor >= 0 && std::isfinite(factor);
  if (!image || (channels != 1 && channels != 3) || !isSize(channels, height, width) ||
      what < DLC_BRIGHTNESS || what > DLC_HUE || !isFactor)
    return DLC_INVALID_ARGUMENT;
  dlc::runtime::adjust({channels, height, width, nullptr, nullptr},
                       static_cast<dlc::runtime::Adjustment>(what), factor, image);
  return DLC_OK;
}

} // extern "C"
