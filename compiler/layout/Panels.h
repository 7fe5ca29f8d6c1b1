//===- Panels.h - weights in panels ----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A weight with many columns lies in panels as wide as a register tile. What a thread reads and updates, all
// rows of some columns, is then one piece of memory, which caches fetch ahead; row-major, it is a piece of
// each row.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LAYOUT_PANELS_H
#define DLC_COMPILER_LAYOUT_PANELS_H

#include "compiler/layout/Plan.h"

namespace dlc::layout {

/// The components that some operation works on that does not know panels: only contractions and elementwise
/// operations do.
llvm::DenseSet<unsigned> componentsWithoutPanels(train::ProgramOp program, Plan &plan);
/// The layout of a state: the plan's order, and panels where they pay.
train::LayoutAttr layoutOf(train::StateOp state, Plan &plan, const CpuTarget &target,
                           const llvm::DenseSet<unsigned> &withoutPanels);

/// The components that a function's loops walk as matrices. A nest that computes each element from states
/// alone could walk memory panel by panel; but the loops of a product, and of what follows it, walk the
/// matrix.
llvm::DenseSet<unsigned> componentsOverMatrices(train::FunctionOp function, Plan &plan);

} // namespace dlc::layout

#endif // DLC_COMPILER_LAYOUT_PANELS_H
