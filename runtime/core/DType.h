//===- DType.h ------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes and names of the dtypes, and the arithmetic of shapes.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CORE_DTYPE_H
#define DLC_RUNTIME_CORE_DTYPE_H

#include "dlc/runtime.h"

namespace dlc::runtime {

constexpr uint32_t maxRank = 8;

/// Bytes of one value; 0 for what is no dlc_dtype.
size_t dtypeBytes(uint32_t dtype);

/// The name used in safetensors files and in messages ("F32"); "?" for what is no dlc_dtype.
const char *dtypeName(uint32_t dtype);

/// The dlc_dtype of that safetensors name, 0 if it is none of ours.
uint32_t dtypeFromName(const char *name);

/// Product of a shape; false where a size is negative or the product does not fit.
bool elementCount(uint32_t rank, const int64_t *shape, int64_t &count);

/// True if all `count` values are finite (integers always are). `firstBad` gets the index of the first
/// that is not.
bool allFinite(uint32_t dtype, const void *values, size_t count, size_t &firstBad);

/// "[784, 256]".
struct ShapeText {
  char text[24 * maxRank + 8];
  ShapeText(uint32_t rank, const int64_t *shape);
};

} // namespace dlc::runtime

#endif
