//===- Guard.h ------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks at what a call of compiled code left behind, and takes it back where it is not good.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CORE_GUARD_H
#define DLC_RUNTIME_CORE_GUARD_H

#include "runtime/core/Instance.h"

namespace dlc::runtime {

/// Whether compiled code of this model reports ranges of computed indices (`dlc compile --check-indices`).
bool checksIndices(const dlc_model &model);

/// Memory for a copy of the state, where a check can undo a call.
dlc_status prepareBackup(dlc_instance &instance, Error &error);

/// Where those ranges are written: four numbers for each output of that role.
dlc_status prepareIndexRanges(dlc_instance &instance, Error &error);

/// Before a call of an entry that changes state: keeps a copy if what follows can fail.
dlc_status keepState(dlc_instance &instance);

/// Puts the state back that keepState kept, if it did: another rank has refused the step.
void restoreState(dlc_instance &instance);

/// After such a call was started, with the loss where there is one: if check_finite or the indices' ranges
/// find fault, puts the state back and fails with a sentence. Waits for the call if there is something to
/// check.
dlc_status checkStep(dlc_instance &instance, const float *loss);

/// Before a call that may report ranges of indices.
void clearIndexRanges(dlc_instance &instance);
/// After it: fails where computed indices were out of range.
dlc_status checkIndexRanges(dlc_instance &instance);

} // namespace dlc::runtime

#endif
