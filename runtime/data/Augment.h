//===- Augment.h ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random changes of images while they are gathered into a batch.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_DATA_AUGMENT_H
#define DLC_RUNTIME_DATA_AUGMENT_H

#include "runtime/data/Changes.h"
#include "runtime/data/Random.h"

namespace dlc::runtime {

/// A dlc_augmentation with the sizes of the images that it is for.
class Augment {
public:
  /// `array` holds the images; DLC_INVALID_ARGUMENT if it cannot, or if an option is out of range. `text`
  /// names further changes, or is null; `white` is as dlc_loader_options has it.
  dlc_status prepare(const dlc_augmentation &options, const char *text, const float *white,
                     const dlc_array &array, Error &error);
  /// For images of that size.
  dlc_status prepare(const char *text, const ImageShape &images, Error &error);

  /// Writes the image of `sample`, which lies at `from`, as it is in this epoch. `scratch` has room for
  /// another image, and may be `from`.
  void copy(const float *from, float *to, float *scratch, uint64_t seed, uint64_t epoch,
            int64_t sample) const;
  /// The same with numbers of that stream.
  void copy(const float *from, float *to, float *scratch, Random &random) const;

  /// Whether `scratch` is needed.
  bool needsScratch() const { return changes.others.size() > 0; }
  const Changes &all() const { return changes; }
  /// Mixes the images of a batch with those before them, and with each the targets: `images` and `targets`
  /// have `rows` rows, and behind these the room for one more. What the first row is mixed with is there
  /// already, or, without `hasBefore`, the last row.
  struct Rows {
    float *values;
    size_t count; ///< of a row
  };
  void mix(int64_t rows, bool hasBefore, const Rows &images, const Rows *targets, size_t targetCount,
           Random &random) const;

private:
  dlc_status setColors(const float *blacks, const float *whites, Error &error);
  void cropAndMirror(const float *from, float *to, Random &random) const;
  void apply(const Change &change, float *image, float *scratch, Random &random) const;
  void jitter(const Change &change, float *image, Random &random) const;
  void erase(const Change &change, float *image, Random &random) const;
  double cutAndPaste(int64_t rows, bool hasBefore, const Rows &images, double share, Random &random) const;

  int64_t samples = 0;
  Changes changes;
  ImageShape shape = {};
  Array<float> black, white;
};

} // namespace dlc::runtime

#endif
