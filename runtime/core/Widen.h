//===- Widen.h ------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point numbers as those of a wider dtype, which has each of them.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CORE_WIDEN_H
#define DLC_RUNTIME_CORE_WIDEN_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dlc::runtime {

/// A number of half precision (IEEE 754), each of which float has, too.
struct Half {
  uint16_t bits;

  operator float() const {
    const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16, exponent = bits >> 10 & 31,
                   fraction = bits & 1023;
    if (exponent == 0) { // a multiple of the smallest one
      const float value = static_cast<float>(fraction) * 0x1p-24f;
      return sign ? -value : value;
    }
    const uint32_t wide = exponent == 31 ? 255 : exponent + 112;
    const uint32_t word = sign | wide << 23 | fraction << 13;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
  }
};

/// Whether the dtype `to`, float32 or float64, has all numbers of the narrower dtype `from`.
bool isWidening(uint32_t from, uint32_t to);

/// Writes `count` numbers of the dtype `from` as those of `to`.
void widen(uint32_t from, const void *narrow, uint32_t to, void *wide, size_t count);

} // namespace dlc::runtime

#endif
