//===- Numbers.h - the arithmetic of tensor cores -----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_SIMT_NUMBERS_H
#define DLC_TOOLS_SIMT_NUMBERS_H

#include "dlc/runtime.h"

#include <cstdint>
#include <cstring>

namespace dlc::simt {

inline float fromBits(uint32_t bits) {
  float number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

/// The number of DLC_BF16 or DLC_F16 that has these bits.
inline float numberOf(uint32_t dtype, uint16_t half) {
  if (dtype != DLC_F16)
    return fromBits(uint32_t{half} << 16);
  const uint32_t size = half & 0x7fffu, sign = (half & 0x8000u) << 16;
  if (size < 0x400) { // the smallest ones, which have fewer digits
    const float number = static_cast<float>(size) * 0x1p-24f;
    return sign ? -number : number;
  }
  const uint32_t exponent = size < 0x7c00 ? 112 : 224; // infinite, or no number
  return fromBits(sign | ((size << 13) + (exponent << 23)));
}

/// Columns are computed so many at a time.
constexpr uint32_t columnsAtOnce = 8;

/// Adds left[s] * right[s * stride + c] to sums[c] for each step s, one after the other, each rounded once.
/// `columns` is a multiple of columnsAtOnce.
void addProducts(const float *left, const float *right, uint32_t steps, uint32_t stride, float *sums,
                 uint32_t columns);

} // namespace dlc::simt

#endif
