//===- RowsTarget.cpp ----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads arbitrary bytes as a file of rows, of NumPy or of IDX, that stay in the file until they are asked for.
//===----------------------------------------------------------------------===//
#include "dlc/data.h"
#include "tests/runtime/fuzz/Targets.h"

#include <algorithm>
#include <vector>

bool fuzzRows(const uint8_t *bytes, size_t size) {
  using fuzz::require;
  if (size < 1)
    return false;
  fuzz::MemoryFile file(bytes + 1, size - 1);
  const dlc_scaling scaling = {1 / 255.0, 0.25, 0.5};
  char error[256] = "";
  dlc_rows *rows;
  dlc_status status =
      dlc_rows_open(file.path().c_str(), bytes[0] & 1 ? &scaling : nullptr, &rows, error, sizeof error);
  if (status != DLC_OK) {
    require((status == DLC_BAD_FILE || status == DLC_OUT_OF_MEMORY) && !rows && *error, "rows or no sentence");
    return false;
  }
  const dlc_field field = dlc_rows_field(rows);
  const int64_t count = dlc_rows_count(rows);
  uint64_t elements = 1;
  for (int32_t axis = 0; axis < field.rank; ++axis)
    elements *= static_cast<uint64_t>(field.shape[axis]);
  const size_t wide = field.dtype == DLC_F64 || field.dtype == DLC_I64 ? 8 : field.dtype == DLC_BOOL ? 1 : 4;
  require(elements > 0 && elements <= size && count > 0, "more elements than bytes");
  std::vector<unsigned char> row(elements * wide); // exactly, so that a byte too many is seen
  for (const int64_t index : {int64_t{0}, count / 2, count - 1})
    require(dlc_rows_read(rows, index, row.data(), error, sizeof error) == DLC_OK, "a row that is not there");
  require(dlc_rows_read(rows, count, row.data(), error, sizeof error) == DLC_INVALID_ARGUMENT, "a row too many");
  dlc_rows_close(rows);
  return true;
}

#ifdef DLC_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzzRows(bytes, size);
  return 0;
}
#endif
