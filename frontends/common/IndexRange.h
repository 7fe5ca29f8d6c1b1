//===- IndexRange.h - inputs that are indices --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_INDEXRANGE_H
#define DLC_FRONTENDS_COMMON_INDEXRANGE_H

#include "dialects/nn/Dims.h"
#include "dialects/train/Train.h"

namespace dlc::frontend {

/// The train.read that `indices` come from unchanged (reshaped or cast at most), so that a bound on them is a
/// bound on the input; else null.
train::ReadOp readOfIndices(mlir::Value indices);

/// Declares that `indices` lie in [low, limit), or are `ignored`, where they are an input of the program.
void limitIndices(train::ProgramOp program, mlir::Value indices, int64_t low, const nn::Dim &limit,
                  std::optional<int64_t> ignored = std::nullopt);

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_INDEXRANGE_H
