//===- Changes.cpp --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the text that names random changes of images.
//===----------------------------------------------------------------------===//
#include "runtime/data/Changes.h"
#include "runtime/core/PointLocale.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

namespace dlc::runtime {

namespace {

constexpr int mostValues = 5;

struct Known {
  const char *name;
  ChangeKind kind;
  int least, most; ///< numbers behind the colon
  double missing[mostValues];
  double low[mostValues], high[mostValues];
  const char *form;
};

constexpr double any = 1e6;
constexpr Known known[] = {
    {"crop", ChangeKind::Crop, 1, 1, {}, {1}, {65535}, "crop:PIXELS"},
    {"flip", ChangeKind::Flip, 0, 0, {}, {}, {}, "flip"},
    {"rotate", ChangeKind::Rotate, 1, 1, {}, {0}, {360}, "rotate:DEGREES"},
    {"affine",
     ChangeKind::Affine,
     1,
     5,
     {0, 0, 1, 1, 0},
     {0, 0, 1e-3, 1e-3, 0},
     {360, 1, 1e3, 1e3, 89},
     "affine:DEGREES/SHIFT/LEAST SCALE/LARGEST SCALE/SHEAR"},
    {"color",
     ChangeKind::Color,
     1,
     4,
     {0, 0, 0, 0},
     {0, 0, 0, 0},
     {any, any, any, 0.5},
     "color:BRIGHTNESS/CONTRAST/SATURATION/HUE"},
    {"erase", ChangeKind::Erase, 0, 1, {0.5}, {0}, {1}, "erase:CHANCE"},
    {"mixup", ChangeKind::Mixup, 0, 1, {0.2}, {1e-3}, {any}, "mixup:ALPHA"},
    {"cutmix", ChangeKind::Cutmix, 0, 1, {1}, {1e-3}, {any}, "cutmix:ALPHA"},
};

/// The numbers behind a colon, with slashes between them; false where there are none such.
bool readValues(const char *text, const char *end, const Known &of, Change &change) {
  int count = 0;
  while (text < end) {
    if (count == of.most || !(*text >= '0' && *text <= '9') || text[1] == 'x' || text[1] == 'X')
      return false;
    char *rest;
    const double value = strtod(text, &rest);
    if (rest > end || (rest < end && *rest != '/') || rest + 1 == end || !(value >= of.low[count]) ||
        value > of.high[count])
      return false;
    change.values[count++] = value;
    text = rest + 1;
  }
  const bool isWhole = of.kind != ChangeKind::Crop || change.values[0] == std::floor(change.values[0]);
  return count >= of.least && isWhole &&
         (of.kind != ChangeKind::Affine || change.values[2] <= change.values[3]);
}

} // namespace

dlc_status Changes::add(const char *word, size_t length, Error &error) {
  const auto *colon = static_cast<const char *>(memchr(word, ':', length));
  const size_t nameLength = colon ? static_cast<size_t>(colon - word) : length;
  for (const Known &one : known) {
    if (strlen(one.name) != nameLength || memcmp(one.name, word, nameLength) != 0)
      continue;
    Change change = {one.kind, {}};
    memcpy(change.values, one.missing, sizeof change.values);
    const bool hasValues = colon && colon + 1 < word + length;
    if (colon ? !hasValues || !readValues(colon + 1, word + length, one, change) : one.least > 0)
      return error.fail(DLC_INVALID_ARGUMENT, "expected %s with numbers in their ranges, got '%.*s'",
                        one.form, static_cast<int>(length), word);
    double &mixed = one.kind == ChangeKind::Mixup ? mixup : cutmix;
    const bool isTwice = (one.kind == ChangeKind::Crop && padding) ||
                         (one.kind == ChangeKind::Flip && mirrors) ||
                         ((one.kind == ChangeKind::Mixup || one.kind == ChangeKind::Cutmix) && mixed > 0);
    if (isTwice)
      return error.fail(DLC_INVALID_ARGUMENT, "'%s' is there twice", one.name);
    if (one.kind == ChangeKind::Crop)
      padding = static_cast<int32_t>(change.values[0]);
    else if (one.kind == ChangeKind::Flip)
      mirrors = true;
    else if (one.kind == ChangeKind::Mixup || one.kind == ChangeKind::Cutmix)
      mixed = change.values[0];
    else if (!others.append(change))
      return error.fail(DLC_OUT_OF_MEMORY, "no memory for the changes of images");
    return DLC_OK;
  }
  return error.fail(DLC_INVALID_ARGUMENT,
                    "expected crop:PIXELS, flip, rotate:DEGREES, affine:DEGREES/SHIFT/LEAST SCALE/LARGEST "
                    "SCALE/SHEAR, color:BRIGHTNESS/CONTRAST/SATURATION/HUE, erase:CHANCE, mixup:ALPHA or "
                    "cutmix:ALPHA, or several with commas between them; got '%.*s'",
                    static_cast<int>(length < 100 ? length : 100), word);
}

dlc_status Changes::parse(const char *text, Error &error) {
  const PointLocale locale;
  constexpr size_t most = 1000;
  if (strlen(text) > most)
    return error.fail(DLC_INVALID_ARGUMENT, "the changes of images have more than %zu characters", most);
  while (true) {
    const size_t length = strcspn(text, ",");
    if (dlc_status status = add(text, length, error))
      return status;
    if (!text[length])
      return DLC_OK;
    text += length + 1;
  }
}

} // namespace dlc::runtime
