//===- DeviceMemory.cpp ---------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/simt/DeviceMemory.h"

#include <cstring>
#include <sys/mman.h>

namespace dlc::simt {

constexpr uint64_t page = 4096;

unsigned char *DeviceMemory::allocate(uint64_t bytes) {
  if (bytes > capacity - used)
    return nullptr;
  // A page that nothing may touch lies on both sides.
  const uint64_t mapped = (bytes + page - 1) / page * page + 2 * page;
  void *memory = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  unsigned char *begin = static_cast<unsigned char *>(memory) + page;
  Allocation &made = allocations[reinterpret_cast<uintptr_t>(begin)];
  made.begin = begin;
  made.bytes = bytes;
  made.mapped = mapped;
  made.shadow.resize(bytes);
  used += bytes;
  {
    Access access(*this);
    memset(begin, 0xff, bytes); // NaN as float
  }
  return begin;
}

bool DeviceMemory::release(unsigned char *begin) {
  auto found = allocations.find(reinterpret_cast<uintptr_t>(begin));
  if (found == allocations.end())
    return false;
  used -= found->second.bytes;
  recent = nullptr;
  munmap(begin - page, found->second.mapped);
  allocations.erase(found);
  return true;
}

DeviceMemory::Allocation *DeviceMemory::find(const void *begin, uint64_t bytes) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(begin);
  auto holds = [&](const Allocation &one) {
    const uintptr_t start = reinterpret_cast<uintptr_t>(one.begin);
    return start <= address && address - start <= one.bytes && bytes <= one.bytes - (address - start);
  };
  if (recent && holds(*recent))
    return recent;
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin() || !holds(std::prev(next)->second))
    return nullptr;
  return recent = &std::prev(next)->second;
}

void DeviceMemory::protect(bool usable) {
  users += usable ? 1 : -1;
  if (users != (usable ? 1 : 0))
    return;
  for (auto &[address, allocation] : allocations)
    mprotect(allocation.begin, allocation.mapped - 2 * page, usable ? PROT_READ | PROT_WRITE : PROT_NONE);
}

} // namespace dlc::simt
