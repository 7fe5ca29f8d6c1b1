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

/// Components that something works on in a way that does not know panels: only contractions and what is
/// computed element by element do.
llvm::DenseSet<unsigned> componentsWithoutPanels(train::ProgramOp program, Plan &plan);
/// The layout of a state: the plan's order, and panels where they pay.
train::LayoutAttr layoutOf(train::StateOp state, Plan &plan, const CpuTarget &target,
                           const llvm::DenseSet<unsigned> &withoutPanels);

/// Components whose elements a function does not compute from states alone, one by one, so that its loops
/// could go through memory, panel by panel. A product's loops go over the matrix, and what follows it has
/// these.
llvm::DenseSet<unsigned> componentsOverMatrices(train::FunctionOp function, Plan &plan);

} // namespace dlc::layout

#endif // DLC_COMPILER_LAYOUT_PANELS_H
