//===- Widen.cpp ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point numbers as those of a wider dtype, which has each of them.
//===----------------------------------------------------------------------===//
#include "runtime/core/Widen.h"
#include "dlc/runtime.h"

namespace dlc::runtime {

bool isWidening(uint32_t from, uint32_t to) {
  const bool isNarrow = from == DLC_F16 || from == DLC_BF16;
  return (isNarrow && (to == DLC_F32 || to == DLC_F64)) || (from == DLC_F32 && to == DLC_F64);
}

namespace {

double numberAt(uint32_t dtype, const unsigned char *bytes) {
  if (dtype == DLC_F16) {
    Half value;
    memcpy(&value, bytes, sizeof value);
    return value;
  }
  float value = 0;
  if (dtype == DLC_BF16) { // the upper half of a float
    uint16_t bits;
    memcpy(&bits, bytes, sizeof bits);
    const uint32_t word = static_cast<uint32_t>(bits) << 16;
    memcpy(&value, &word, sizeof value);
  } else {
    memcpy(&value, bytes, sizeof value);
  }
  return value;
}

} // namespace

void widen(uint32_t from, const void *narrow, uint32_t to, void *wide, size_t count) {
  const unsigned char *bytes = static_cast<const unsigned char *>(narrow);
  const size_t step = from == DLC_F32 ? sizeof(float) : sizeof(uint16_t);
  for (size_t i = 0; i < count; ++i) {
    const double number = numberAt(from, bytes + i * step);
    if (to == DLC_F64)
      static_cast<double *>(wide)[i] = number;
    else
      static_cast<float *>(wide)[i] = static_cast<float>(number);
  }
}

} // namespace dlc::runtime
