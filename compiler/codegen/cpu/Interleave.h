//===- Interleave.h - rows in vectors to columns in vectors, and back -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short rows that lie one after the other, as many as a vector has lanes, fill as many vectors as a row has
// elements.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_INTERLEAVE_H
#define DLC_COMPILER_CODEGEN_CPU_INTERLEAVE_H

#include "compiler/codegen/kernel/Loops.h"

namespace dlc::codegen {

/// Vector i holds elements i*lanes to (i+1)*lanes - 1 of the rows; result j holds element j of every row.
Values columnsOfRows(Builder &b, Values vectors);
/// The inverse of the function above.
Values rowsOfColumns(Builder &b, Values columns);
/// Transposes as many vectors as each has lanes: element k of vector i becomes element i of vector k.
void transposeSquare(Builder &b, Values &rows);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_INTERLEAVE_H
