//===- Dependences.cpp ----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "runtime/cuda/Dependences.h"

namespace dlc::runtime::cuda {

bool Dependences::begin(size_t launches) {
  words = (launches + 63) / 64;
  return behind.allocate(words * launches) && firstUse.append(0);
}

bool Dependences::uses(Address begin, uint64_t bytes, bool writes) {
  return bytes == 0 || all.append({begin, begin + bytes, writes});
}

bool Dependences::conflict(size_t one, size_t other) const {
  for (size_t i = firstUse[one]; i < firstUse[one + 1]; ++i)
    for (size_t k = firstUse[other]; k < firstUse[other + 1]; ++k)
      if ((all[i].writes || all[k].writes) && all[i].begin < all[k].end && all[k].begin < all[i].end)
        return true;
  return false;
}

bool Dependences::add(Array<uint32_t> &waitsFor) {
  if (!firstUse.append(all.size()))
    return false;
  uint64_t *mine = ancestors(count);
  for (size_t earlier = count; earlier-- > 0;) {
    if (mine[earlier / 64] >> earlier % 64 & 1 || !conflict(earlier, count))
      continue;
    if (!waitsFor.append(static_cast<uint32_t>(earlier)))
      return false;
    for (size_t word = 0; word < words; ++word)
      mine[word] |= ancestors(earlier)[word];
    mine[earlier / 64] |= uint64_t{1} << earlier % 64;
  }
  ++count;
  return true;
}

} // namespace dlc::runtime::cuda
