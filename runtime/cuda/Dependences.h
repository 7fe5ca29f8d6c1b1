//===- Dependences.h ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the launches of a function have to wait for which: those that use the same bytes, where one writes
// them.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CUDA_DEPENDENCES_H
#define DLC_RUNTIME_CUDA_DEPENDENCES_H

#include "runtime/core/Memory.h"
#include "runtime/cuda/driver.h"

namespace dlc::runtime::cuda {

/// Launches are added in the order in which they stand in the function.
class Dependences {
public:
  /// For so many launches; false where memory is short.
  bool begin(size_t launches);

  /// Bytes that the launch which is added next reads, or writes (or both).
  bool uses(Address begin, uint64_t bytes, bool writes);
  /// Adds the launch, and gives the earlier ones that it has to wait for, without those that another one of
  /// them waits for.
  bool add(Array<uint32_t> &waitsFor);

private:
  struct Use {
    Address begin, end;
    bool writes;
  };
  bool conflict(size_t one, size_t other) const;
  uint64_t *ancestors(size_t launch) { return behind.data() + launch * words; }

  Array<Use> all;
  Array<size_t> firstUse; ///< of each launch, and of the next
  Array<uint64_t> behind; ///< a bit for each launch that comes before the launch in any case
  size_t words = 0, count = 0;
};

} // namespace dlc::runtime::cuda

#endif
