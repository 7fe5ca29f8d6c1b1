/*===-- dlc/data.h - data sets of other formats ---------------------------===
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Readers of data beside those of dlc/runtime.h. What they read becomes a dlc_array, whose first axis counts the
 * samples, for a dlc_loader. Files are checked against their own size before memory is taken for them. `error`
 * (may be NULL) receives a sentence that names the file, and the place in it.
 *===----------------------------------------------------------------------===*/
#ifndef DLC_DATA_H
#define DLC_DATA_H

#include "dlc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tables ------------------------------------------------------------------------------------ */

/* A CSV file (RFC 4180) in memory: rows of as many cells as the first line has, separated by commas; in quotes, a cell
 * may hold commas, line ends and "" for a quote. Lines may end in CR LF, empty lines are skipped. */
typedef struct dlc_table dlc_table;
typedef struct dlc_table_options {
  size_t struct_size;
  char separator;     /* 0: a comma */
  char reserved[3];
  int32_t no_header;  /* 1: the first line is data, and the columns are called 1, 2 ...; 0: it has their names */
} dlc_table_options;
/* `options` may be NULL. Errors: DLC_IO_ERROR; DLC_BAD_FILE, with the line, for a row of another number of cells, a
 * quote that does not end, two columns of one name, a file without rows. */
dlc_status dlc_table_read(const char *path, const dlc_table_options *options, dlc_table **out, char *error,
                          size_t error_bytes);
int64_t dlc_table_rows(const dlc_table *table);
int32_t dlc_table_columns(const dlc_table *table);
/* The name of a column, the text of a cell, the line in the file where a row begins; NULL and 0 beyond the table.
 * Spaces around them are left out where they stand outside of quotes. */
const char *dlc_table_name(const dlc_table *table, int32_t column);
const char *dlc_table_cell(const dlc_table *table, int64_t row, int32_t column);
int64_t dlc_table_line(const dlc_table *table, int64_t row);
/* The column of that name, -1 where there is none. */
int32_t dlc_table_find(const dlc_table *table, const char *name);
/* The numbers of `count` columns, in their order, as an array [rows][count] of `dtype`: DLC_F32, DLC_F64, DLC_I32 or
 * DLC_I64. DLC_BAD_FILE names the line and the column of a cell that is empty, no number, not finite, or no whole
 * number of that size where one is asked for. */
dlc_status dlc_table_numbers(const dlc_table *table, const int32_t *columns, int32_t count, int32_t dtype,
                             dlc_array *out, char *error, size_t error_bytes);
void dlc_table_free(dlc_table *table);

#ifdef __cplusplus
}
#endif
#endif
