//===- Packer.h - offsets for buffers with known lifetimes -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offline dynamic storage allocation: every buffer has a size and an interval of positions during
// which it is live; buffers that are live together must not overlap. The optimum is NP-hard; several
// greedy orders with best fit come close, and the largest sum of live bytes says how close.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PLAN_PACKER_H
#define DLC_COMPILER_PLAN_PACKER_H

#include <cstdint>
#include <vector>

namespace dlc::plan {

/// A buffer is live at all positions from `begin` to `end`, both included.
struct Buffer {
  int64_t bytes = 0;
  int64_t begin = 0, end = 0;
};

/// `second` may take the storage of `first`, although both are live where `first` ends and `second` begins.
struct Alias {
  int64_t first = 0, second = 0;
};

struct Packing {
  std::vector<int64_t> offsets; ///< one per buffer, multiples of the alignment
  int64_t bytes = 0;            ///< room for all of them, a multiple of the alignment
};

int64_t alignTo(int64_t bytes, int64_t alignment);

/// The largest sum, over all positions, of the live buffers' aligned sizes; where a buffer may take
/// the storage of another, the shared bytes count once. No packing needs less.
int64_t lowerBound(const std::vector<Buffer> &buffers, const std::vector<Alias> &aliases, int64_t alignment);

/// Packs the buffers. Equal arguments give equal offsets.
Packing pack(const std::vector<Buffer> &buffers, const std::vector<Alias> &aliases, int64_t alignment);

} // namespace dlc::plan

#endif // DLC_COMPILER_PLAN_PACKER_H
