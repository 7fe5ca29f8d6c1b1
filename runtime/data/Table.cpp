//===- Table.cpp ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CSV files for programs in C.
//===----------------------------------------------------------------------===//
#include "runtime/data/Table.h"
#include "runtime/core/Options.h"
#include "runtime/data/Answer.h"

namespace dlc::runtime {

namespace {

dlc_status readTable(const char *path, const dlc_table_options *options, dlc_table &table, Error &error) {
  dlc_table_options known = {};
  if (dlc_status status = options ? copyOptions(*options, known, error) : DLC_OK)
    return status;
  if (!path)
    return error.fail(DLC_INVALID_ARGUMENT, "the path of the table is NULL");
  if (known.separator == '"' || known.separator == '\n' || known.separator == '\r')
    return error.fail(DLC_INVALID_ARGUMENT, "%s: a quote or a line end cannot separate cells", path);
  table.path = static_cast<char *>(malloc(strlen(path) + 1));
  if (!table.path)
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for the table", path);
  memcpy(table.path, path, strlen(path) + 1);
  return parseTable(table, known, error);
}

} // namespace
} // namespace dlc::runtime

extern "C" {

dlc_status dlc_table_read(const char *path, const dlc_table_options *options, dlc_table **out, char *error,
                          size_t error_bytes) {
  return dlc::runtime::answerObject(out, error, error_bytes, "a table", dlc_table_free,
                                    [&](dlc_table &table, dlc::runtime::Error &sentence) {
                                      return dlc::runtime::readTable(path, options, table, sentence);
                                    });
}

int64_t dlc_table_rows(const dlc_table *table) {
  return table ? static_cast<int64_t>(table->lines.size()) : 0;
}

int32_t dlc_table_columns(const dlc_table *table) { return table ? table->columns : 0; }

const char *dlc_table_name(const dlc_table *table, int32_t column) {
  if (!table || column < 0 || column >= table->columns)
    return nullptr;
  const size_t place = static_cast<size_t>(column);
  return table->names.size() ? table->text.data() + table->names[place] : table->numbers.data() + place * 12;
}

const char *dlc_table_cell(const dlc_table *table, int64_t row, int32_t column) {
  const bool isThere =
      table && row >= 0 && row < dlc_table_rows(table) && column >= 0 && column < table->columns;
  return isThere ? table->cell(row, column) : nullptr;
}

int64_t dlc_table_line(const dlc_table *table, int64_t row) {
  return row >= 0 && row < dlc_table_rows(table) ? table->lines[static_cast<size_t>(row)] : 0;
}

int32_t dlc_table_find(const dlc_table *table, const char *name) {
  for (int32_t i = 0; name && i < dlc_table_columns(table); ++i)
    if (strcmp(dlc_table_name(table, i), name) == 0)
      return i;
  return -1;
}

void dlc_table_free(dlc_table *table) { dlc::runtime::destroyObjects(table, 1); }

} // extern "C"
