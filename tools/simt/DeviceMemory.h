//===- DeviceMemory.h -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of the GPU that is not there. Its addresses are real ones, but only while the driver itself or a
// kernel works can they be used: a program that looks behind one of them stops with SIGSEGV, as with a GPU.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_SIMT_DEVICEMEMORY_H
#define DLC_TOOLS_SIMT_DEVICEMEMORY_H

#include "tools/simt/Shadow.h"

#include <cstdint>
#include <map>

namespace dlc::simt {

class DeviceMemory {
public:
  struct Allocation {
    unsigned char *begin = nullptr;
    uint64_t bytes = 0, mapped = 0;
    Shadow shadow;
  };

  uint64_t capacity = uint64_t{8} << 30, used = 0;

  /// NULL where there is no room. The bytes are noise that no test may rely on.
  unsigned char *allocate(uint64_t bytes);
  bool release(unsigned char *begin);
  void releaseAll() {
    while (!allocations.empty())
      release(allocations.begin()->second.begin);
  }
  /// The allocation that all these bytes are in, or NULL.
  Allocation *find(const void *begin, uint64_t bytes);
  size_t count() const { return allocations.size(); }

  /// Memory can be used while one of these lives.
  class Access {
  public:
    explicit Access(DeviceMemory &memory) : memory(memory) { memory.protect(true); }
    ~Access() { memory.protect(false); }
    Access(const Access &) = delete;
    Access &operator=(const Access &) = delete;

  private:
    DeviceMemory &memory;
  };

private:
  void protect(bool usable);
  std::map<uintptr_t, Allocation> allocations;
  Allocation *recent = nullptr; ///< what was found last: mostly the next access is in it, too
  int users = 0;
};

} // namespace dlc::simt

#endif
