//===- Freeze.h - parameters that cannot be trained --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_FREEZE_H
#define DLC_FRONTENDS_COMMON_FREEZE_H

#include "dialects/train/Train.h"

namespace dlc::frontend {

/// Freezes the parameters that no gradient reaches from what `forward` writes.
void freezeUnreached(train::ProgramOp program, train::FunctionOp forward);

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_FREEZE_H
