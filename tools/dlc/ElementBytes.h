//===- ElementBytes.h - sizes of tensors in a model's description --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_ELEMENTBYTES_H
#define DLC_TOOLS_DLC_ELEMENTBYTES_H

#include "dlc/abi.h"

namespace dlc::tool {

/// Bytes of one element.
inline size_t elementBytes(uint32_t dtype) {
  switch (dtype) {
  case DLC_F64:
  case DLC_I64:
    return 8;
  case DLC_BOOL:
  case DLC_U8:
    return 1;
  case DLC_BF16:
  case DLC_F16:
    return 2;
  default:
    return 4;
  }
}

inline int64_t elementCount(int64_t rank, const int64_t *shape) {
  int64_t result = 1;
  for (int64_t i = 0; i < rank; ++i)
    result *= shape[i];
  return result;
}

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_ELEMENTBYTES_H
