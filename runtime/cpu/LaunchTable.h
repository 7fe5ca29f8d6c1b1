//===- LaunchTable.h ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function of the program, ready to run: every address that is known when an instance is created has been
// resolved; each call brings only those of its inputs and outputs.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CPU_LAUNCHTABLE_H
#define DLC_RUNTIME_CPU_LAUNCHTABLE_H

#include "runtime/core/Backend.h"
#include "runtime/core/Memory.h"
#include "runtime/cpu/ThreadPool.h"

namespace dlc::runtime {

class LaunchTable {
public:
  /// False where memory is short. The description has been checked.
  bool resolve(const dlc_target &target, const dlc_function &function, unsigned char *arena);
  /// Ends early where the ranks lose each other in a sum.
  void run(ThreadPool &pool, const CallMemory &call);

  /// The same in pieces: `begin`, then `advance` until it says that all is done. It returns after the piece
  /// in which the time `until` of nowNanoseconds passes; a piece is a part of a launch. `call.dims` must stay
  /// until then.
  void begin(const CallMemory &call);
  bool advance(ThreadPool &pool, int64_t until);

private:
  struct Launch {
    dlc_kernel kernel; ///< NULL: copies
    void **buffers;
    int64_t chunks;
    const dlc_axis *bytes; ///< of a copy, or of what ranks add up behind a kernel; else NULL
    void **summed;         ///< where that lies
    int32_t dtype;         ///< its numbers' type
  };
  /// An entry of `addresses` that the caller gives.
  struct CallerPlace {
    uint32_t entry, index;
    uint64_t offset; ///< in bytes
  };

  void take(const CallMemory &call);
  static void copy(const Launch &launch, const int64_t *dims);
  static dlc_status sum(const Launch &launch, const CallMemory &call);

  /// Where a call in pieces is.
  struct Position {
    size_t launch = 0;
    int64_t chunk = 0;
    const int64_t *dims = nullptr;
  };
  Position next;
  Array<Launch> launches;
  Array<void *> addresses;
  Array<CallerPlace> inputs, outputs;
};

} // namespace dlc::runtime

#endif
