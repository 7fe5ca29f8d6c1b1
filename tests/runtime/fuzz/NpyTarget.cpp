//===- NpyTarget.cpp ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads arbitrary bytes as an NPY file, as a whole and by rows, which must be the same.
//===----------------------------------------------------------------------===//
#include "dlc/data.h"
#include "tests/runtime/fuzz/Targets.h"

#include <cstring>
#include <vector>

bool fuzzNpy(const uint8_t *bytes, size_t size) {
  using fuzz::require;
  fuzz::MemoryFile file(bytes, size);
  dlc_array array;
  dlc_rows *rows;
  char error[256] = "";
  const dlc_status status = dlc_read_npy(file.path().c_str(), nullptr, &array, error, sizeof error);
  const bool valid = status == DLC_OK;
  require(valid || (status == DLC_BAD_FILE && array.data == nullptr && *error), "an array or no sentence");
  const bool hasRows = dlc_rows_open(file.path().c_str(), nullptr, &rows, error, sizeof error) == DLC_OK;
  const bool isNpy = size >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0; // rows are read from other files, too
  require(hasRows == valid || (hasRows && !isNpy), "rows and array disagree");
  if (valid) {
    const auto count = static_cast<size_t>(dlc_rows_count(rows));
    std::vector<unsigned char> row(array.bytes / count);
    for (size_t i = 0; i < count; ++i) {
      require(dlc_rows_read(rows, static_cast<int64_t>(i), row.data(), error, sizeof error) == DLC_OK,
              "no row");
      require(memcmp(row.data(), static_cast<unsigned char *>(array.data) + i * row.size(), row.size()) == 0,
              "a row differs");
    }
  }
  dlc_rows_close(rows);
  dlc_array_free(&array);
  return valid;
}

#ifdef DLC_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzzNpy(bytes, size);
  return 0;
}
#endif
