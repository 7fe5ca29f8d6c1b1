//===- CallChecks.h -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the arguments of a call must be, before compiled code sees them.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CORE_CALLCHECKS_H
#define DLC_RUNTIME_CORE_CALLCHECKS_H

#include "runtime/core/Instance.h"

#include <cstdint>

namespace dlc::runtime {

/// Whether the function gives the caller this output.
bool gives(dlc_function_kind function, const dlc_output &output);

/// Sets the actual sizes of the named dims: `rows` of the batch, `sizes` of the others, or their bounds.
dlc_status setSizes(dlc_instance &instance, int64_t rows, const int64_t *sizes = nullptr);
/// Inputs are there, aligned, and indices in their range. Needs the sizes.
dlc_status checkInputs(dlc_instance &instance, dlc_function_kind function, const void *const *inputs);
/// What the function gives goes to memory that nothing else of the call uses: a kernel writes one output
/// while another still reads an input.
dlc_status checkOutputs(dlc_instance &instance, dlc_function_kind function, const void *const *inputs,
                        void *const *outputs);
/// How many elements an input or output has at the sizes that are set.
int64_t elementsOf(const dlc_instance &instance, const dlc_input &input);
int64_t elementsOf(const dlc_instance &instance, const dlc_output &output);
bool takes(dlc_function_kind function, const dlc_input &input);

/// Memory of the caller, or the arena.
struct Block {
  const char *what, *name;
  const void *data;
  size_t bytes;

  bool overlaps(const Block &other) const {
    const uintptr_t begin = reinterpret_cast<uintptr_t>(data), from = reinterpret_cast<uintptr_t>(other.data);
    return bytes > 0 && other.bytes > 0 && begin < from + other.bytes && from < begin + bytes;
  }
};
/// Whether memory that is written to, with elements of a dtype, is there, aligned, and neither the model's
/// own nor an input's of the call.
dlc_status checkWritten(dlc_instance &instance, dlc_function_kind function, const void *const *inputs,
                        const Block &written, uint32_t dtype);
dlc_status refuseOverlap(dlc_instance &instance, const Block &output, const Block &other);

/// What `correct` counts some of: labels that are not ignored where there are classes, else rows.
int64_t countOf(const dlc_instance &instance, int64_t rows, const void *const *inputs);

/// Whether training takes this size of a named dim, of which there may be too few for a normalization.
dlc_status checkLeast(dlc_instance &instance, uint32_t dim, int64_t size, int64_t bound);

/// All that `accumulate` checks before it starts: ranks must know before one of them runs.
dlc_status prepareShare(dlc_instance &instance, bool takesAnyRows, int64_t rows, const void *const *inputs);

} // namespace dlc::runtime

#endif
