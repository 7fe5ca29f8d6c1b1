//===- DType.cpp ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes and names of the dtypes, and the arithmetic of shapes.
//===----------------------------------------------------------------------===//
#include "runtime/core/DType.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace dlc::runtime {

namespace {
struct Row {
  uint32_t dtype;
  const char *name;
  size_t bytes;
};
constexpr Row rows[] = {{DLC_F32, "F32", 4}, {DLC_F64, "F64", 8},   {DLC_I32, "I32", 4},
                        {DLC_I64, "I64", 8}, {DLC_BOOL, "BOOL", 1}, {DLC_BF16, "BF16", 2},
                        {DLC_F16, "F16", 2}, {DLC_U8, "U8", 1}};

/// A float is infinite or NaN exactly if all bits of its exponent are set.
template <typename Bits>
bool scanExponents(const void *values, size_t count, Bits exponent, size_t &firstBad) {
  const unsigned char *bytes = static_cast<const unsigned char *>(values);
  for (size_t i = 0; i < count; ++i) {
    Bits bits;
    memcpy(&bits, bytes + i * sizeof bits, sizeof bits);
    if ((bits & exponent) == exponent) {
      firstBad = i;
      return false;
    }
  }
  return true;
}
} // namespace

size_t dtypeBytes(uint32_t dtype) {
  for (const Row &row : rows)
    if (row.dtype == dtype)
      return row.bytes;
  return 0;
}

const char *dtypeName(uint32_t dtype) {
  for (const Row &row : rows)
    if (row.dtype == dtype)
      return row.name;
  return "?";
}

uint32_t dtypeFromName(const char *name) {
  for (const Row &row : rows)
    if (strcmp(row.name, name) == 0)
      return row.dtype;
  return 0;
}

bool elementCount(uint32_t rank, const int64_t *shape, int64_t &count) {
  // A zero anywhere makes the product zero, however large the other sizes are.
  bool empty = false;
  for (uint32_t i = 0; i < rank; ++i) {
    if (shape[i] < 0)
      return false;
    empty |= shape[i] == 0;
  }
  count = empty ? 0 : 1;
  for (uint32_t i = 0; i < rank && !empty; ++i)
    if (__builtin_mul_overflow(count, shape[i], &count))
      return false;
  return true;
}

bool allFinite(uint32_t dtype, const void *values, size_t count, size_t &firstBad) {
  switch (dtype) {
  case DLC_F32:
    return scanExponents<uint32_t>(values, count, 0x7f800000u, firstBad);
  case DLC_F64:
    return scanExponents<uint64_t>(values, count, 0x7ff0000000000000u, firstBad);
  case DLC_BF16:
    return scanExponents<uint16_t>(values, count, 0x7f80u, firstBad);
  case DLC_F16:
    return scanExponents<uint16_t>(values, count, 0x7c00u, firstBad);
  default:
    return true;
  }
}

ShapeText::ShapeText(uint32_t rank, const int64_t *shape) {
  size_t used = static_cast<size_t>(snprintf(text, sizeof text, "["));
  for (uint32_t i = 0; i < rank && i < maxRank; ++i)
    used +=
        static_cast<size_t>(snprintf(text + used, sizeof text - used, "%s%" PRId64, i ? ", " : "", shape[i]));
  snprintf(text + used, sizeof text - used, "]");
}

} // namespace dlc::runtime
