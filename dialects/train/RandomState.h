//===- RandomState.h - the state of the random numbers ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_TRAIN_RANDOMSTATE_H
#define DLC_DIALECTS_TRAIN_RANDOMSTATE_H

#include "dialects/train/Train.h"

namespace train {

/// A program that draws nothing, or no longer, keeps no seed and no count of draws.
inline void eraseUnusedRandomState(ProgramOp program) {
  for (auto state : llvm::make_early_inc_range(program.getBody().getOps<StateOp>()))
    if (state.getKind() == StateKind::Rng && mlir::SymbolTable::symbolKnownUseEmpty(state, program))
      state.erase();
}

} // namespace train

#endif // DLC_DIALECTS_TRAIN_RANDOMSTATE_H
