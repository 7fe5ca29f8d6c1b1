//===- TableNumbers.cpp ---------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns of a table as arrays of numbers.
//===----------------------------------------------------------------------===//
#include "runtime/core/DType.h"
#include "runtime/core/Error.h"
#include "runtime/core/PointLocale.h"
#include "runtime/data/Answer.h"
#include "runtime/data/Table.h"

#include <cerrno>
#include <cinttypes>
#include <cmath>

namespace dlc::runtime {

namespace {

enum class Cell { Number, Empty, NoNumber, NotFinite, NotWhole };

/// strtod also reads hexadecimal numbers, and words such as "nan": words are text here.
bool isDecimal(const char *text) { return text[strspn(text, "0123456789+-.eE")] == 0; }

Cell parse(const char *text, double &value) {
  if (!*text)
    return Cell::Empty;
  char *end;
  value = strtod(text, &end);
  if (end == text || *end || (!isDecimal(text) && std::isfinite(value)))
    return Cell::NoNumber;
  return std::isfinite(value) ? Cell::Number : Cell::NotFinite;
}

/// Whole numbers are read as such: a double has no room for all of 64 bits. "3.0" is one as well.
Cell parse(const char *text, int64_t &value) {
  char *end;
  errno = 0;
  value = strtoll(text, &end, 10);
  if (end != text && !*end && errno == 0)
    return Cell::Number;
  double number;
  const Cell cell = parse(text, number);
  if (cell != Cell::Number)
    return cell;
  if (number != std::floor(number) || std::fabs(number) > 9007199254740992.0) // 2^53: exact up to here
    return Cell::NotWhole;
  value = static_cast<int64_t>(number);
  return Cell::Number;
}

Cell store(const char *text, int32_t dtype, void *data, size_t index) {
  double number = 0;
  int64_t whole = 0;
  const bool isFloat = dtype == DLC_F32 || dtype == DLC_F64;
  Cell cell = isFloat ? parse(text, number) : parse(text, whole);
  if (cell != Cell::Number)
    return cell;
  switch (dtype) {
  case DLC_F32: {
    const float value = static_cast<float>(number);
    static_cast<float *>(data)[index] = value;
    return std::isfinite(value) ? Cell::Number : Cell::NotFinite;
  }
  case DLC_F64:
    static_cast<double *>(data)[index] = number;
    return Cell::Number;
  case DLC_I32:
    static_cast<int32_t *>(data)[index] = static_cast<int32_t>(whole);
    return whole == static_cast<int32_t>(whole) ? Cell::Number : Cell::NotWhole;
  default:
    static_cast<int64_t *>(data)[index] = whole;
    return Cell::Number;
  }
}

dlc_status refuse(const dlc_table &table, int64_t row, int32_t column, Cell cell, int32_t dtype,
                  Error &error) {
  const bool isWhole = dtype == DLC_I32 || dtype == DLC_I64;
  const char *problem = cell == Cell::NotFinite  ? ", which is too large, or not a finite number"
                        : cell == Cell::NotWhole ? ", which is not whole or too large"
                                                 : "";
  const Printable name(dlc_table_name(&table, column)), text(table.cell(row, column));
  if (cell == Cell::Empty)
    return error.fail(DLC_BAD_FILE, "%s: line %" PRId64 ", column '%s': expected a number, the cell is empty",
                      table.path, dlc_table_line(&table, row), name.text);
  return error.fail(DLC_BAD_FILE, "%s: line %" PRId64 ", column '%s': expected a %snumber, got '%s'%s",
                    table.path, dlc_table_line(&table, row), name.text, isWhole ? "whole " : "", text.text,
                    problem);
}

dlc_status readNumbers(const dlc_table &table, const int32_t *columns, int32_t count, int32_t dtype,
                       dlc_array &out, Error &error) {
  const bool isKnown = dtype == DLC_F32 || dtype == DLC_F64 || dtype == DLC_I32 || dtype == DLC_I64;
  if (!columns || count < 1 || !isKnown)
    return error.fail(DLC_INVALID_ARGUMENT,
                      "%s: %d columns of dtype %d, expected at least one, of F32, F64, "
                      "I32 or I64",
                      table.path, count, dtype);
  for (int32_t i = 0; i < count; ++i)
    if (columns[i] < 0 || columns[i] >= table.columns)
      return error.fail(DLC_INVALID_ARGUMENT, "%s: column %d, expected 0 to %d", table.path, columns[i],
                        table.columns - 1);
  out.dtype = dtype;
  out.rank = 2;
  out.shape[0] = dlc_table_rows(&table);
  out.shape[1] = count;
  int64_t elements;
  if (!elementCount(2, out.shape, elements) ||
      __builtin_mul_overflow(static_cast<size_t>(elements), dtypeBytes(static_cast<uint32_t>(dtype)),
                             &out.bytes) ||
      !(out.data = malloc(out.bytes)))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for its numbers", table.path);
  PointLocale locale;
  if (!locale.isSet())
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to read its numbers", table.path);
  size_t index = 0;
  for (int64_t row = 0; row < out.shape[0]; ++row)
    for (int32_t i = 0; i < count; ++i)
      if (const Cell cell = store(table.cell(row, columns[i]), dtype, out.data, index++);
          cell != Cell::Number)
        return refuse(table, row, columns[i], cell, dtype, error);
  return DLC_OK;
}

} // namespace
} // namespace dlc::runtime

extern "C" dlc_status dlc_table_numbers(const dlc_table *table, const int32_t *columns, int32_t count,
                                        int32_t dtype, dlc_array *out, char *error, size_t error_bytes) {
  return dlc::runtime::answerArray(
      out, error, error_bytes, [&](dlc_array &array, dlc::runtime::Error &sentence) {
        return table ? dlc::runtime::readNumbers(*table, columns, count, dtype, array, sentence)
                     : DLC_INVALID_ARGUMENT;
      });
}
