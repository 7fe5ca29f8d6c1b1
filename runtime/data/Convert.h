//===- Convert.h ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a file become those of an array.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_DATA_CONVERT_H
#define DLC_RUNTIME_DATA_CONVERT_H

#include "runtime/core/Error.h"
#include "runtime/core/Widen.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace dlc::runtime {

enum class ByteOrder { Little, Big };

/// The value at `bytes`, on a machine that is little-endian, as all are that dlc compiles for.
template <typename T> T valueAt(const unsigned char *bytes, ByteOrder order) {
  unsigned char native[sizeof(T)];
  for (size_t i = 0; i < sizeof(T); ++i)
    native[i] = bytes[order == ByteOrder::Big ? sizeof(T) - 1 - i : i];
  T value;
  memcpy(&value, native, sizeof value);
  return value;
}

inline float scaled(const dlc_scaling &scaling, double value) {
  return static_cast<float>((value * scaling.scale - scaling.mean) / scaling.deviation);
}

/// Converts `count` values of type From at `bytes` and writes them to the array's data from `index` on.
template <typename From>
void convertValues(const unsigned char *bytes, size_t count, size_t index, ByteOrder order,
                   const dlc_scaling *scaling, dlc_array &out) {
  for (size_t i = 0; i < count; ++i) {
    From value = valueAt<From>(bytes + i * sizeof(From), order);
    if (scaling)
      static_cast<float *>(out.data)[index + i] = scaled(*scaling, static_cast<double>(value));
    else if (out.dtype == DLC_I64)
      static_cast<int64_t *>(out.data)[index + i] = static_cast<int64_t>(value);
    else if (out.dtype == DLC_I32)
      static_cast<int32_t *>(out.data)[index + i] = static_cast<int32_t>(value);
    else if (out.dtype == DLC_F32)
      static_cast<float *>(out.data)[index + i] = static_cast<float>(value);
    else
      static_cast<double *>(out.data)[index + i] = static_cast<double>(value);
  }
}

inline dlc_status checkScaling(const char *path, const dlc_scaling *scaling, Error &error) {
  if (!scaling || (std::isfinite(scaling->scale) && std::isfinite(scaling->mean) &&
                   std::isfinite(scaling->deviation) && scaling->deviation != 0))
    return DLC_OK;
  return error.fail(
      DLC_INVALID_ARGUMENT,
      "%s: scale %g, mean %g, deviation %g: expected finite numbers and a deviation that is not 0", path,
      scaling->scale, scaling->mean, scaling->deviation);
}

} // namespace dlc::runtime

#endif
