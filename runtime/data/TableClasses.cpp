//===- TableClasses.cpp ---------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words in a column of a table as numbers of classes.
//===----------------------------------------------------------------------===//
#include "runtime/core/DType.h"
#include "runtime/core/Error.h"
#include "runtime/data/Answer.h"
#include "runtime/data/Table.h"

#include <algorithm>
#include <cinttypes>

/// The words one behind the other, each with a NUL, and where they begin, in the order of their bytes.
struct dlc_classes {
  const char *name(size_t index) const { return text.data() + names[index]; }

  dlc::runtime::Array<char> text;
  dlc::runtime::Array<size_t> names;
};

namespace dlc::runtime {

namespace {

/// As a number is written: digits, signs, a point, an exponent.
bool isNumber(const char *text) { return *text && text[strspn(text, "0123456789+-.eE")] == 0; }

dlc_status checkColumn(const dlc_table &table, int32_t column, Error &error) {
  if (column >= 0 && column < table.columns)
    return DLC_OK;
  return error.fail(DLC_INVALID_ARGUMENT, "%s: column %d, expected 0 to %d", table.path, column,
                    table.columns - 1);
}

/// In a column that has words and numbers, one of the two is a slip.
dlc_status checkWords(const dlc_table &table, int32_t column, Error &error) {
  int64_t rowOf[2] = {-1, -1}; // the first with a word, with a number
  for (int64_t row = 0; row < dlc_table_rows(&table); ++row)
    if (int64_t &first = rowOf[isNumber(table.cell(row, column))]; first < 0)
      first = row;
  if (rowOf[0] < 0 || rowOf[1] < 0)
    return DLC_OK;
  const Printable name(dlc_table_name(&table, column)), word(table.cell(rowOf[0], column)),
      number(table.cell(rowOf[1], column));
  return error.fail(DLC_BAD_FILE,
                    "%s: line %" PRId64 ", column '%s': '%s' is no number, but line %" PRId64
                    " has '%s': classes are all numbers or all words",
                    table.path, dlc_table_line(&table, rowOf[0]), name.text, word.text,
                    dlc_table_line(&table, rowOf[1]), number.text);
}

bool isBefore(const char *a, const char *b) { return strcmp(a, b) < 0; }

/// False without memory.
bool copyWords(const char *const *words, size_t count, dlc_classes &classes) {
  size_t bytes = 0, place = 0;
  for (size_t i = 0; i < count; ++i)
    bytes += strlen(words[i]) + 1;
  if (!classes.text.allocate(bytes) || !classes.names.allocate(count))
    return false;
  for (size_t i = 0; i < count; ++i) {
    classes.names[i] = place;
    const size_t length = strlen(words[i]) + 1;
    memcpy(classes.text.data() + place, words[i], length);
    place += length;
  }
  return true;
}

dlc_status findClasses(const dlc_table &table, int32_t column, dlc_classes &classes, Error &error) {
  if (dlc_status status = checkColumn(table, column, error))
    return status;
  if (dlc_status status = checkWords(table, column, error))
    return status;
  auto noMemory = [&] { return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for its classes", table.path); };
  Array<const char *> words;
  if (!words.allocate(static_cast<size_t>(dlc_table_rows(&table))))
    return noMemory();
  for (size_t row = 0; row < words.size(); ++row)
    words[row] = table.cell(static_cast<int64_t>(row), column);
  std::sort(words.begin(), words.end(), isBefore);
  const char **end =
      std::unique(words.begin(), words.end(), [](const char *a, const char *b) { return strcmp(a, b) == 0; });
  return copyWords(words.begin(), static_cast<size_t>(end - words.begin()), classes) ? DLC_OK : noMemory();
}

/// Words that somebody gives.
dlc_status takeWords(const char *const *words, int64_t count, dlc_classes &classes, Error &error) {
  if (!words || count < 1)
    return error.fail(DLC_INVALID_ARGUMENT, "classes: expected one word or more, got %" PRId64, count);
  for (int64_t i = 0; i < count; ++i) {
    if (!words[i])
      return error.fail(DLC_INVALID_ARGUMENT, "classes: word %" PRId64 " is NULL", i);
    if (i > 0 && !isBefore(words[i - 1], words[i])) {
      const Printable before(words[i - 1]), word(words[i]);
      return error.fail(DLC_INVALID_ARGUMENT,
                        "classes: expected different words in the order of their bytes, got '%s' before '%s'",
                        before.text, word.text);
    }
  }
  return copyWords(words, static_cast<size_t>(count), classes)
             ? DLC_OK
             : error.fail(DLC_OUT_OF_MEMORY, "no memory for %" PRId64 " classes", count);
}

dlc_status readLabels(const dlc_table &table, int32_t column, const dlc_classes &classes, dlc_array &out,
                      Error &error) {
  if (dlc_status status = checkColumn(table, column, error))
    return status;
  out.dtype = DLC_I64;
  out.rank = 1;
  out.shape[0] = dlc_table_rows(&table);
  out.bytes = static_cast<size_t>(out.shape[0]) * sizeof(int64_t); // a row has more bytes already
  out.data = malloc(out.bytes ? out.bytes : 1);
  if (!out.data)
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for its labels", table.path);
  for (int64_t row = 0; row < out.shape[0]; ++row) {
    const int64_t label = dlc_classes_find(&classes, table.cell(row, column));
    if (label < 0) {
      const Printable name(dlc_table_name(&table, column)), word(table.cell(row, column));
      return error.fail(
          DLC_BAD_FILE, "%s: line %" PRId64 ", column '%s': the class '%s' is none of the %" PRId64 " known",
          table.path, dlc_table_line(&table, row), name.text, word.text, dlc_classes_count(&classes));
    }
    static_cast<int64_t *>(out.data)[row] = label;
  }
  return DLC_OK;
}

} // namespace
} // namespace dlc::runtime

extern "C" {

dlc_status dlc_table_classes(const dlc_table *table, int32_t column, dlc_classes **out, char *error,
                             size_t error_bytes) {
  return dlc::runtime::answerObject(
      out, error, error_bytes, "the classes of a table", dlc_classes_free,
      [&](dlc_classes &classes, dlc::runtime::Error &sentence) {
        return table ? dlc::runtime::findClasses(*table, column, classes, sentence) : DLC_INVALID_ARGUMENT;
      });
}

dlc_status dlc_classes_create(const char *const *names, int64_t count, dlc_classes **out, char *error,
                              size_t error_bytes) {
  return dlc::runtime::answerObject(out, error, error_bytes, "classes", dlc_classes_free,
                                    [&](dlc_classes &classes, dlc::runtime::Error &sentence) {
                                      return dlc::runtime::takeWords(names, count, classes, sentence);
                                    });
}

int64_t dlc_classes_count(const dlc_classes *classes) {
  return classes ? static_cast<int64_t>(classes->names.size()) : 0;
}

const char *dlc_classes_name(const dlc_classes *classes, int64_t index) {
  return index >= 0 && index < dlc_classes_count(classes) ? classes->name(static_cast<size_t>(index))
                                                          : nullptr;
}

int64_t dlc_classes_find(const dlc_classes *classes, const char *name) {
  size_t low = 0, high = classes && name ? classes->names.size() : 0;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int order = strcmp(classes->name(middle), name);
    if (order == 0)
      return static_cast<int64_t>(middle);
    (order < 0 ? low : high) = order < 0 ? middle + 1 : middle;
  }
  return -1;
}

dlc_status dlc_table_labels(const dlc_table *table, int32_t column, const dlc_classes *classes,
                            dlc_array *out, char *error, size_t error_bytes) {
  return dlc::runtime::answerArray(
      out, error, error_bytes, [&](dlc_array &array, dlc::runtime::Error &sentence) {
        return table && classes ? dlc::runtime::readLabels(*table, column, *classes, array, sentence)
                                : DLC_INVALID_ARGUMENT;
      });
}

void dlc_classes_free(dlc_classes *classes) { dlc::runtime::destroyObjects(classes, 1); }

} // extern "C"
