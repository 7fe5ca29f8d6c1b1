//===- TableTarget.cpp ----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads arbitrary bytes as a CSV file, and its first column as numbers.
//===----------------------------------------------------------------------===//
#include "dlc/data.h"
#include "tests/runtime/fuzz/Targets.h"

#include <cstring>

bool fuzzTable(const uint8_t *bytes, size_t size) {
  using fuzz::require;
  fuzz::MemoryFile file(bytes, size);
  dlc_table *table;
  char error[256] = "";
  const dlc_status status = dlc_table_read(file.path().c_str(), nullptr, &table, error, sizeof error);
  if (status != DLC_OK) {
    require(status == DLC_BAD_FILE && !table && *error, "a table or no sentence");
    return false;
  }
  size_t letters = 0;
  for (int64_t row = 0; row < dlc_table_rows(table); ++row)
    for (int32_t column = 0; column < dlc_table_columns(table); ++column)
      letters += strlen(dlc_table_cell(table, row, column));
  require(letters <= size, "more text than the file has");
  const int32_t first = 0;
  dlc_array array;
  if (dlc_table_numbers(table, &first, 1, DLC_F64, &array, error, sizeof error) == DLC_OK)
    require(array.shape[0] == dlc_table_rows(table), "other rows");
  else
    require(strstr(error, "line ") != nullptr, "no line in the sentence");
  dlc_array_free(&array);
  dlc_classes *classes;
  if (dlc_table_classes(table, first, &classes, error, sizeof error) == DLC_OK) {
    require(dlc_classes_count(classes) <= dlc_table_rows(table), "more classes than rows");
    require(dlc_table_labels(table, first, classes, &array, error, sizeof error) == DLC_OK, "a word without a class");
    for (int64_t row = 0; row < array.shape[0]; ++row) {
      const char *name = dlc_classes_name(classes, static_cast<const int64_t *>(array.data)[row]);
      require(name && strcmp(name, dlc_table_cell(table, row, first)) == 0, "another word");
    }
    dlc_array_free(&array);
  } else {
    require(strstr(error, "line ") != nullptr, "no line in the sentence");
  }
  dlc_classes_free(classes);
  dlc_table_free(table);
  return true;
}

#ifdef DLC_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzzTable(bytes, size);
  return 0;
}
#endif
