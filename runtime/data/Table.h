//===- Table.h ------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CSV file in memory: one text with a NUL after each cell, and where the cells begin.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_DATA_TABLE_H
#define DLC_RUNTIME_DATA_TABLE_H

#include "dlc/data.h"
#include "runtime/core/Error.h"
#include "runtime/core/Memory.h"

struct dlc_table {
  ~dlc_table() { free(path); }

  const char *cell(int64_t row, int32_t column) const {
    return text.data() +
           cells[static_cast<size_t>(row) * static_cast<size_t>(columns) + static_cast<size_t>(column)];
  }

  char *path = nullptr; ///< for messages
  int32_t columns = 0;
  dlc::runtime::Array<char> text;
  dlc::runtime::Array<char> numbers;  ///< names of columns without a header, 12 bytes each
  dlc::runtime::Array<size_t> names;  ///< where they begin in `text`; empty without a header
  dlc::runtime::Array<size_t> cells;  ///< row by row
  dlc::runtime::Array<int64_t> lines; ///< of the rows, from 1
};

namespace dlc::runtime {

/// Reads the file at table.path.
dlc_status parseTable(dlc_table &table, const dlc_table_options &options, Error &error);

} // namespace dlc::runtime

#endif
