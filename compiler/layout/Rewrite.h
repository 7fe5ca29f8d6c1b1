//===- Rewrite.h - functions with tensors as they were planned -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LAYOUT_REWRITE_H
#define DLC_COMPILER_LAYOUT_REWRITE_H

#include "compiler/layout/Plan.h"

namespace dlc::layout {

/// Gives all tensors of a function the order of the plan, and reads and writes of states their layouts. Where
/// two sides differ, a nest that only moves elements stands between them.
void layOut(train::FunctionOp function, Plan &plan);

} // namespace dlc::layout

#endif // DLC_COMPILER_LAYOUT_REWRITE_H
