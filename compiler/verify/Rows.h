//===- Rows.h - how many rows of a batch there is time for -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter is some hundred times slower than compiled code. Where one step of a whole batch would take
// it all of the time, the model is compiled and compared for fewer rows: other sizes of the same kernels.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_VERIFY_ROWS_H
#define DLC_COMPILER_VERIFY_ROWS_H

#include "dialects/train/Train.h"

namespace dlc::verify {

/// The multiplications of a model as it was imported, about, for so many rows.
double costOf(train::ProgramOp model, int64_t rows);

/// Rows of the batch as the program says; 0 where it has none: no named dim that is the first one of inputs,
/// and of nothing else of them.
int64_t rowsOf(train::ProgramOp program);

/// The batch halved, until a step takes the interpreter a small part of the seconds; not below two rows. The
/// number follows from the program alone, not from how fast this machine is. 0 seconds: no limit.
int64_t rowsFor(train::ProgramOp model, double seconds);

/// For `rows` from now on.
void setRows(train::ProgramOp program, int64_t rows);

} // namespace dlc::verify

#endif // DLC_COMPILER_VERIFY_ROWS_H
