//===- Backend.h ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the core asks of a kind of machine: memory, running a function's table of launches, moving values
// between the host and the machine. Everything else of an instance is the same on all of them.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CORE_BACKEND_H
#define DLC_RUNTIME_CORE_BACKEND_H

#include "dlc/abi.h"
#include "runtime/core/Error.h"

namespace dlc::runtime {

using Backend = dlc_backend;

/// What an instance has on its machine. Each backend derives its own from it.
struct Device {
  unsigned char *arena = nullptr; ///< address of the model's memory on the machine
  const char *failure = nullptr;  ///< a sentence: the machine has failed, and no call does anything any more
};

class Collective;

/// What a call brings along; `inputs` and `outputs` are indexed as those of dlc_model, and entries that the
/// function does not use may be NULL.
struct CallMemory {
  const void *const *inputs;
  void *const *outputs;
  const int64_t *dims; ///< actual sizes of the named dims
  Collective *ranks = nullptr; ///< that add up what launches say; NULL: this process is all there is
  bool hasRows = true;         ///< of a rank without, nothing runs but its part in these sums
};

} // namespace dlc::runtime

/// A table of functions rather than virtual ones: those would need the C++ library.
struct dlc_backend {
  using Device = dlc::runtime::Device;
  using Error = dlc::runtime::Error;
  using CallMemory = dlc::runtime::CallMemory;

  uint32_t kind;      ///< dlc_target_kind
  const char *device; ///< how dlc_create_options::device names it

  /// Whether kernels and code fit the tables of launches, whose places have been checked.
  bool (*isSound)(const dlc_model &, const dlc_target &);
  /// Whether this machine runs the target's code.
  dlc_status (*check)(const dlc_model &, const dlc_target &, const dlc_create_options &, Error &);
  /// Makes the device, with the arena and all that running takes: nothing is allocated after this.
  dlc_status (*open)(const dlc_model &, const dlc_target &, const dlc_create_options &, Device *&, Error &);
  void (*close)(Device *);

  /// Starts a function. The inputs have been read when it returns.
  void (*run)(Device &, dlc_function_kind, const CallMemory &);
  /// The same in pieces: after `begin`, `advance` goes on until about so many microseconds have passed, at least by one
  /// piece, and says whether all was started. A machine that cannot stop in between has NULL for both.
  void (*begin)(Device &, dlc_function_kind, const CallMemory &);
  bool (*advance)(Device &, dlc_function_kind, int64_t microseconds);
  /// Returns when everything that was started is done and the host sees its results.
  void (*synchronize)(Device &);

  /// Memory beside the arena; NULL where there is none.
  void *(*allocate)(Device &, uint64_t bytes);
  void (*release)(Device &, void *);
  /// Both are the machine's memory.
  void (*copy)(Device &, void *to, const void *from, uint64_t bytes);
  void (*exchange)(Device &, void *one, void *other, uint64_t bytes);
  bool (*allFinite)(Device &, uint32_t dtype, const void *values, uint64_t count);

  /// Between logical row-major values on the host and a symbol's place, whatever its form is there. NULL
  /// stores zeros, also in what the form has beyond the values.
  void (*store)(Device &, const dlc_symbol &, const dlc_placement &, const void *logical);
  void (*fetch)(Device &, const dlc_symbol &, const dlc_placement &, void *logical);
  /// The symbol's place itself, where the host can read the logical values in it; else NULL.
  void *(*view)(Device &, const dlc_symbol &, const dlc_placement &);
};

#endif
