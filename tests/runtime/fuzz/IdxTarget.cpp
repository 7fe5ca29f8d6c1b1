//===- IdxTarget.cpp ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads arbitrary bytes as an IDX file, as labels and as scaled images.
//===----------------------------------------------------------------------===//
#include "dlc/runtime.h"
#include "tests/runtime/fuzz/Targets.h"

bool fuzzIdx(const uint8_t *bytes, size_t size) {
  using fuzz::require;
  fuzz::MemoryFile file(bytes, size);
  const dlc_scaling scaling = {1 / 255.0, 0.5, 0.25};
  bool valid = false;
  for (const dlc_scaling *used : {static_cast<const dlc_scaling *>(nullptr), &scaling}) {
    dlc_array array;
    char error[256] = "";
    const dlc_status status = dlc_read_idx(file.path().c_str(), used, &array, error, sizeof error);
    valid = status == DLC_OK;
    if (valid) {
      uint64_t sum = 0; // touch all that is promised to be there
      for (size_t i = 0; i < array.bytes; ++i)
        sum += static_cast<const unsigned char *>(array.data)[i];
      require(array.rank >= 1 && array.bytes > 0 && sum + 1 > 0, "an empty array");
    } else {
      require(status == DLC_BAD_FILE || status == DLC_OUT_OF_MEMORY, "unexpected status");
      require(array.data == nullptr && *error, "an array or no sentence after an error");
    }
    dlc_array_free(&array);
  }
  return valid;
}

#ifdef DLC_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzzIdx(bytes, size);
  return 0;
}
#endif
