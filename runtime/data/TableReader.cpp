//===- TableReader.cpp ----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads CSV files. The text stays where it was read to: a cell without its quotes is never longer than with
// them.
//===----------------------------------------------------------------------===//
#include "runtime/core/File.h"
#include "runtime/data/Table.h"

#include <cinttypes>
#include <cstdio>

namespace dlc::runtime {

namespace {

constexpr int32_t maxColumns = 1000000;

class TableReader {
public:
  TableReader(dlc_table &table, const dlc_table_options &options, Error &error)
      : table(table), text(table.text), separator(options.separator ? options.separator : ','),
        hasHeader(options.no_header == 0), error(error) {}

  dlc_status read() {
    if (dlc_status status = readText())
      return status;
    if (hasHeader) {
      if (dlc_status status = readHeader())
        return status;
    }
    while (skipEmptyLines())
      if (dlc_status status = readRow())
        return status;
    if (table.lines.size() == 0)
      return error.fail(DLC_BAD_FILE, "%s: has no rows%s", table.path, hasHeader ? " below its header" : "");
    return hasHeader ? DLC_OK : numberColumns();
  }

private:
  dlc_status noMemory() { return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for the table", table.path); }

  dlc_status readText() {
    InputFile file;
    if (dlc_status status = file.open(table.path, error))
      return status;
    if (file.size() >= SIZE_MAX - 1 || !text.allocate(static_cast<size_t>(file.size()) + 1))
      return noMemory();
    end = static_cast<size_t>(file.size());
    if (dlc_status status = file.readAt(0, text.data(), end, error))
      return status;
    if (end > 1 && text[0] == '\x1f' && text[1] == '\x8b')
      return error.fail(DLC_BAD_FILE, "%s: compressed with gzip: decompress the table (gunzip)", table.path);
    if (memchr(text.data(), 0, end))
      return error.fail(DLC_BAD_FILE, "%s: has a byte 0, and so is no table in UTF-8", table.path);
    if (end > 2 && memcmp(text.data(), "\xef\xbb\xbf", 3) == 0) // a byte order mark
      next = 3;
    return DLC_OK;
  }

  dlc_status readHeader() {
    if (!skipEmptyLines())
      return error.fail(DLC_BAD_FILE, "%s: is empty, expected a line with the columns' names", table.path);
    const int64_t headerLine = line;
    if (dlc_status status = readCells(table.names))
      return status;
    table.columns = static_cast<int32_t>(table.names.size());
    return findEqualNames(headerLine);
  }

  /// By a table of hashes: a header may have a million names.
  dlc_status findEqualNames(int64_t headerLine) {
    size_t places = 2;
    while (places < 2 * table.names.size())
      places *= 2;
    Array<size_t> seen; // 1 + the number of a column
    if (!seen.allocate(places))
      return noMemory();
    for (size_t i = 0; i < table.names.size(); ++i) {
      const char *name = text.data() + table.names[i];
      size_t place = hash(name) & (places - 1);
      for (; seen[place]; place = (place + 1) & (places - 1))
        if (strcmp(name, text.data() + table.names[seen[place] - 1]) == 0)
          return error.fail(DLC_BAD_FILE, "%s: line %" PRId64 ": columns %zu and %zu are both called '%s'",
                            table.path, headerLine, seen[place], i + 1, Printable(name).text);
      seen[place] = i + 1;
    }
    return DLC_OK;
  }

  static size_t hash(const char *name) { // FNV-1a
    uint64_t value = 0xcbf29ce484222325u;
    for (; *name; ++name)
      value = (value ^ static_cast<unsigned char>(*name)) * 0x100000001b3u;
    return static_cast<size_t>(value ^ value >> 32);
  }

  dlc_status readRow() {
    const int64_t rowLine = line;
    const size_t before = table.cells.size();
    if (dlc_status status = readCells(table.cells))
      return status;
    const size_t count = table.cells.size() - before;
    if (table.columns == 0)
      table.columns = static_cast<int32_t>(count);
    if (count != static_cast<size_t>(table.columns))
      return error.fail(DLC_BAD_FILE,
                        "%s: line %" PRId64 ": has %zu cells, expected %d as the first line has", table.path,
                        rowLine, count, table.columns);
    return table.lines.append(rowLine) ? DLC_OK : noMemory();
  }

  /// To the end of the line that the last cell ends in.
  dlc_status readCells(Array<size_t> &cells) {
    for (int32_t count = 1;; ++count) {
      size_t begin = 0;
      bool isLast = false;
      if (dlc_status status = readCell(begin, isLast))
        return status;
      if (!cells.append(begin))
        return noMemory();
      if (isLast)
        return DLC_OK;
      if (count == maxColumns)
        return error.fail(DLC_BAD_FILE, "%s: line %" PRId64 ": more than %d cells", table.path, line,
                          maxColumns);
    }
  }

  dlc_status readCell(size_t &begin, bool &isLast) {
    while (next < end && isBlank(text[next]))
      ++next;
    begin = next;
    size_t stop = next; // the cell is [begin, stop) once it has been read
    if (next < end && text[next] == '"') {
      if (dlc_status status = readQuoted(begin, stop))
        return status;
      while (next < end && isBlank(text[next]))
        ++next;
      if (!atCellEnd())
        return error.fail(DLC_BAD_FILE,
                          "%s: line %" PRId64 ": text after a cell's closing quote; a quote inside of quotes "
                          "is written twice",
                          table.path, line);
    } else {
      while (!atCellEnd())
        ++next;
      stop = next;
      while (stop > begin && isBlank(text[stop - 1]))
        --stop;
    }
    isLast = takeCellEnd();
    text[stop] = 0;
    return DLC_OK;
  }

  dlc_status readQuoted(size_t begin, size_t &stop) {
    const int64_t first = line;
    stop = begin;
    ++next;
    while (next < end) {
      const char c = text[next++];
      if (c == '"' && (next == end || text[next] != '"'))
        return DLC_OK;
      next += c == '"';
      line += c == '\n';
      text[stop++] = c;
    }
    return error.fail(DLC_BAD_FILE, "%s: line %" PRId64 ": a quote begins that does not end", table.path,
                      first);
  }

  bool isBlank(char c) const { return (c == ' ' || c == '\t') && c != separator; }
  bool atLineEnd() const {
    return next == end || text[next] == '\n' ||
           (text[next] == '\r' && (next + 1 == end || text[next + 1] == '\n'));
  }
  bool atCellEnd() const { return atLineEnd() || text[next] == separator; }

  /// True where the line ends as well.
  bool takeCellEnd() {
    if (next < end && text[next] == separator) {
      ++next;
      return false;
    }
    takeLineEnd();
    return true;
  }

  void takeLineEnd() {
    next += next < end && text[next] == '\r';
    line += next < end;
    next += next < end;
  }

  /// False at the end of the file.
  bool skipEmptyLines() {
    while (next < end) {
      size_t begin = next;
      while (next < end && isBlank(text[next]))
        ++next;
      if (!atLineEnd()) {
        next = begin;
        return true;
      }
      takeLineEnd();
    }
    return false;
  }

  dlc_status numberColumns() {
    constexpr size_t width = 12;
    if (!table.numbers.allocate(static_cast<size_t>(table.columns) * width))
      return noMemory();
    for (int32_t i = 0; i < table.columns; ++i)
      snprintf(table.numbers.data() + static_cast<size_t>(i) * width, width, "%d", i + 1);
    return DLC_OK;
  }

  dlc_table &table;
  Array<char> &text;
  const char separator;
  const bool hasHeader;
  Error &error;
  size_t next = 0, end = 0;
  int64_t line = 1;
};

} // namespace

dlc_status parseTable(dlc_table &table, const dlc_table_options &options, Error &error) {
  return TableReader(table, options, error).read();
}

} // namespace dlc::runtime
