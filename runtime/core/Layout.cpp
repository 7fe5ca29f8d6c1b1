//===- Layout.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies a tensor between its logical and its physical form.
//===----------------------------------------------------------------------===//
#include "runtime/core/Layout.h"

#include "runtime/core/DType.h"

#include <cstring>

namespace dlc::runtime {

namespace {

/// Walks the physical form in memory order; `strides[i]` is the logical distance of physical dim i.
struct Walk {
  uint32_t rank;
  int64_t sizes[maxRank + 1], strides[maxRank + 1];

  Walk(const dlc_symbol &symbol, const dlc_placement &placement) : rank(symbol.rank) {
    int64_t logicalStrides[maxRank];
    int64_t stride = 1;
    for (uint32_t i = rank; i-- > 0;) {
      logicalStrides[i] = stride;
      stride *= symbol.shape[i];
    }
    const uint32_t first = placement.panel != 0;
    for (uint32_t i = 0; i < rank; ++i) {
      const uint32_t dim = placement.permutation ? static_cast<uint32_t>(placement.permutation[i]) : i;
      sizes[first + i] = symbol.shape[dim];
      strides[first + i] = logicalStrides[dim];
    }
    if (placement.panel) {
      sizes[0] = sizes[rank] / placement.panel;
      strides[0] = strides[rank] * placement.panel;
      sizes[rank] = placement.panel;
      ++rank;
    }
  }
};

/// The arena is aligned; the logical side may be any memory of the caller.
template <typename T, bool toPhysical>
void copyPermuted(const Walk &walk, void *physicalBytes, unsigned char *logical) {
  T *physical = static_cast<T *>(physicalBytes);
  int64_t index[maxRank + 1] = {};
  const uint32_t last = walk.rank - 1;
  int64_t offset = 0; // of the current row's first value in the logical form
  for (;;) {
    for (int64_t i = 0; i < walk.sizes[last]; ++i) {
      unsigned char *value = logical + static_cast<size_t>(offset + i * walk.strides[last]) * sizeof(T);
      if (toPhysical)
        memcpy(&physical[i], value, sizeof(T));
      else
        memcpy(value, &physical[i], sizeof(T));
    }
    physical += walk.sizes[last];
    uint32_t dim = last;
    for (;;) {
      if (dim == 0)
        return;
      --dim;
      offset += walk.strides[dim];
      if (++index[dim] < walk.sizes[dim])
        break;
      offset -= walk.sizes[dim] * walk.strides[dim];
      index[dim] = 0;
    }
  }
}

template <bool toPhysical>
void copy(const dlc_symbol &symbol, const dlc_placement &placement, void *physical, unsigned char *logical) {
  size_t bytes = logicalBytes(symbol);
  if (bytes == 0)
    return;
  if (isRowMajor(symbol, placement)) {
    if (toPhysical)
      memcpy(physical, logical, bytes);
    else
      memcpy(logical, physical, bytes);
    return;
  }
  Walk walk(symbol, placement);
  switch (dtypeBytes(symbol.dtype)) {
  case 1:
    return copyPermuted<uint8_t, toPhysical>(walk, physical, logical);
  case 2:
    return copyPermuted<uint16_t, toPhysical>(walk, physical, logical);
  case 4:
    return copyPermuted<uint32_t, toPhysical>(walk, physical, logical);
  case 8:
    return copyPermuted<uint64_t, toPhysical>(walk, physical, logical);
  }
}

} // namespace

bool isRowMajor(const dlc_symbol &symbol, const dlc_placement &placement) {
  if (placement.panel)
    return false;
  if (placement.permutation)
    for (uint32_t i = 0; i < symbol.rank; ++i)
      if (placement.permutation[i] != static_cast<int32_t>(i))
        return false;
  return true;
}

size_t logicalBytes(const dlc_symbol &symbol) {
  int64_t count = 0;
  elementCount(symbol.rank, symbol.shape, count);
  return static_cast<size_t>(count) * dtypeBytes(symbol.dtype);
}

void logicalToPhysical(const dlc_symbol &symbol, const dlc_placement &placement, const void *logical,
                       void *physical) {
  copy<true>(symbol, placement, physical, static_cast<unsigned char *>(const_cast<void *>(logical)));
}

void physicalToLogical(const dlc_symbol &symbol, const dlc_placement &placement, const void *physical,
                       void *logical) {
  copy<false>(symbol, placement, const_cast<void *>(physical), static_cast<unsigned char *>(logical));
}

} // namespace dlc::runtime
