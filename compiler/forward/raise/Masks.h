//===- Masks.h - causal masks ----------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FORWARD_RAISE_MASKS_H
#define DLC_COMPILER_FORWARD_RAISE_MASKS_H

#include "mlir/IR/Value.h"
#include <optional>

namespace dlc::forward {

/// Whether a comparison holds for later positions of the last dim alone, or for all others, and leaves each
/// row an element: true and false; none for other conditions.
std::optional<bool> hidesLater(mlir::Value condition);

/// The same of a condition that may be joined with others: whether it holds, or does not, for later
/// positions, whatever the others are.
std::optional<bool> hidesLaterAtLeast(mlir::Value condition);

} // namespace dlc::forward

#endif // DLC_COMPILER_FORWARD_RAISE_MASKS_H
