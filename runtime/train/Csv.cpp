//===- Csv.cpp ------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of numbers as CSV, which grows by rows.
//===----------------------------------------------------------------------===//
#include "dlc/logs.h"
#include "runtime/core/Error.h"
#include "runtime/core/PointLocale.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using dlc::runtime::Error;
using dlc::runtime::PointLocale;

struct dlc_csv {
  FILE *file;
  int32_t columns;
};

namespace {

/// Whether the file goes on with `text`.
bool continuesWith(FILE *file, const char *text) {
  for (; *text; ++text)
    if (fgetc(file) != static_cast<unsigned char>(*text))
      return false;
  return true;
}

bool hasHeader(FILE *file, const char *const *columns, int32_t count) {
  for (int32_t i = 0; i < count; ++i)
    if (!continuesWith(file, columns[i]) || !continuesWith(file, i + 1 < count ? "," : "\n"))
      return false;
  return true;
}

void writeHeader(FILE *file, const char *const *columns, int32_t count) {
  for (int32_t i = 0; i < count; ++i)
    fprintf(file, "%s%c", columns[i], i + 1 < count ? ',' : '\n');
}

/// The file ends at `end` from now on, where the next row goes.
bool cutAt(FILE *file, long end) {
  return fseek(file, end, SEEK_SET) == 0 && fflush(file) == 0 && ftruncate(fileno(file), end) == 0;
}

/// A row that a killed program left unfinished is cut off.
bool cutUnfinishedRow(FILE *file) {
  long end = 0;
  rewind(file);
  for (int c; (c = fgetc(file)) != EOF;)
    if (c == '\n')
      end = ftell(file);
  return cutAt(file, end);
}

/// Whether the row has a number in this column, from 0, that is larger than `most`.
bool isLarger(const char *row, int32_t column, double most) {
  for (; column > 0 && row; --column)
    row = (row = strchr(row, ',')) ? row + 1 : nullptr;
  char *end = nullptr;
  const double value = row ? strtod(row, &end) : 0;
  return end != row && value > most;
}

bool cutAfter(FILE *file, int32_t column, double most) {
  char *row = nullptr;
  size_t bytes = 0;
  rewind(file);
  const bool hasHeader = getline(&row, &bytes, file) >= 0;
  long end = ftell(file);
  while (hasHeader && getline(&row, &bytes, file) >= 0 && !isLarger(row, column, most))
    end = ftell(file);
  free(row);
  return hasHeader && !ferror(file) && cutAt(file, end);
}

dlc_status openTable(const char *path, const char *const *columns, int32_t count, dlc_csv &csv,
                     Error &error) {
  if (!path || !*path || !columns || count < 1)
    return error.fail(DLC_INVALID_ARGUMENT, "a table needs a path and at least one column");
  for (int32_t i = 0; i < count; ++i)
    if (!columns[i] || !*columns[i] || strpbrk(columns[i], ",\"\r\n"))
      return error.fail(DLC_INVALID_ARGUMENT,
                        "%s: the name of column %d is empty, or has a comma, a quote or a line end", path,
                        static_cast<int>(i + 1));
  csv.columns = count;
  csv.file = fopen(path, "r+");
  const bool exists = csv.file && fgetc(csv.file) != EOF;
  if (csv.file)
    rewind(csv.file);
  else if (errno == ENOENT)
    csv.file = fopen(path, "w+");
  if (!csv.file)
    return error.fail(DLC_IO_ERROR, "%s: cannot be opened: %s", path, strerror(errno));
  if (exists && !hasHeader(csv.file, columns, count))
    return error.fail(DLC_BAD_FILE, "%s: its columns are others than the %d of this program", path,
                      static_cast<int>(count));
  if (exists ? !cutUnfinishedRow(csv.file) : (writeHeader(csv.file, columns, count), fflush(csv.file) != 0))
    return error.fail(DLC_IO_ERROR, "%s: cannot be written: %s", path, strerror(errno));
  return DLC_OK;
}

} // namespace

extern "C" {

dlc_status dlc_csv_open(const char *path, const char *const *columns, int32_t count, dlc_csv **out,
                        char *error, size_t error_bytes) {
  if (!out)
    return DLC_INVALID_ARGUMENT;
  *out = nullptr;
  dlc_csv made = {nullptr, 0};
  Error sentence;
  dlc_status status = openTable(path, columns, count, made, sentence);
  if (status == DLC_OK) {
    *out = static_cast<dlc_csv *>(malloc(sizeof made));
    if (*out)
      **out = made;
    else
      status = sentence.fail(DLC_OUT_OF_MEMORY, "%s: no memory for a table", path);
  }
  if (status != DLC_OK && made.file)
    fclose(made.file);
  if (status != DLC_OK)
    sentence.copyTo(error, error_bytes);
  return status;
}

dlc_status dlc_csv_row(dlc_csv *csv, const double *values) {
  if (!csv || !values)
    return DLC_INVALID_ARGUMENT;
  const PointLocale locale;
  if (!locale.isSet())
    return DLC_OUT_OF_MEMORY;
  for (int32_t i = 0; i < csv->columns; ++i)
    fprintf(csv->file, "%.17g%c", values[i], i + 1 < csv->columns ? ',' : '\n');
  return fflush(csv->file) == 0 && !ferror(csv->file) ? DLC_OK : DLC_IO_ERROR;
}

dlc_status dlc_csv_cut(dlc_csv *csv, int32_t column, double most) {
  if (!csv || column < 0 || column >= csv->columns)
    return DLC_INVALID_ARGUMENT;
  const PointLocale locale;
  if (!locale.isSet())
    return DLC_OUT_OF_MEMORY;
  return cutAfter(csv->file, column, most) ? DLC_OK : DLC_IO_ERROR;
}

void dlc_csv_close(dlc_csv *csv) {
  if (!csv)
    return;
  fclose(csv->file);
  free(csv);
}

} // extern "C"
