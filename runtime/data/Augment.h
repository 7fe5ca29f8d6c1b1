//===- Augment.h ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random changes of images while they are gathered into a batch.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_DATA_AUGMENT_H
#define DLC_RUNTIME_DATA_AUGMENT_H

#include "runtime/core/Error.h"
#include "runtime/core/Memory.h"

namespace dlc::runtime {

/// A dlc_augmentation with the sizes of the images that it is for.
class Augment {
public:
  /// `array` holds the images; DLC_INVALID_ARGUMENT if it cannot, or if an option is out of range.
  dlc_status prepare(const dlc_augmentation &options, const dlc_array &array, Error &error);

  /// Writes the image of `sample`, which lies at `from`, as it is in this epoch.
  void copy(const float *from, float *to, uint64_t seed, uint64_t epoch, int64_t sample) const;

private:
  int64_t samples = 0, channels = 0, height = 0, width = 0;
  int64_t padding = 0;
  bool mirror = false;
  Array<float> fill;
};

} // namespace dlc::runtime

#endif
