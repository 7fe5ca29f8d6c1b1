//===- Parts.h - which tensors are parts of others in memory ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A slice need not be copied: its place is a part of its source's. A join need not be computed: who makes a
// part writes it where it lies in the whole. Where that is not possible, or costs more, copies are made.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LAYOUT_PARTS_H
#define DLC_COMPILER_LAYOUT_PARTS_H

#include "compiler/analysis/Views.h"

namespace dlc::layout {

/// A part is written in rows of at least so many neighbours, which fill a cache line: shorter ones would be
/// written by bytes of lines that other parts have, too.
constexpr int64_t leastRow = 16;

/// Makes nests of the slices and joins of a function that cannot be views of memory, and copies of what is
/// used in a way that a view does not allow.
void settleParts(train::FunctionOp function);

/// Why a view or a join of a settled function cannot be carried out; empty where it can.
llvm::StringRef unsettled(mlir::Operation *op);

} // namespace dlc::layout

#endif // DLC_COMPILER_LAYOUT_PARTS_H
