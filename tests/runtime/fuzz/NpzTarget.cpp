//===- NpzTarget.cpp ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens arbitrary bytes as an archive of NumPy, and reads all of its arrays.
//===----------------------------------------------------------------------===//
#include "dlc/data.h"
#include "tests/runtime/fuzz/Targets.h"

#include <set>
#include <string>

bool fuzzNpz(const uint8_t *bytes, size_t size) {
  using fuzz::require;
  fuzz::MemoryFile file(bytes, size);
  char error[256] = "";
  dlc_npz *npz;
  const dlc_status status = dlc_npz_open(file.path().c_str(), &npz, error, sizeof error);
  if (status != DLC_OK) {
    require(status == DLC_BAD_FILE && !npz && *error, "an archive or no sentence");
    return false;
  }
  const int64_t count = dlc_npz_count(npz);
  require(count > 0 && !dlc_npz_name(npz, count), "no array, or one too many");
  std::set<std::string> names;
  bool isValid = true;
  for (int64_t i = 0; i < count; ++i) {
    const char *name = dlc_npz_name(npz, i);
    require(*name && names.insert(name).second, "a name twice, or none");
    dlc_array array;
    const dlc_status found = dlc_npz_read(npz, name, nullptr, &array, error, sizeof error);
    require(found == DLC_OK || (found == DLC_BAD_FILE && *error && !array.data),
            "unexpected status, or no sentence");
    // Twice: half precision becomes float. A member may decompress to 1032 times its bytes.
    require(array.bytes / 2 / 1032 <= size, "more values than the file can have");
    isValid &= found == DLC_OK;
    dlc_array_free(&array);
  }
  dlc_npz_close(npz);
  return isValid;
}

#ifdef DLC_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzzNpz(bytes, size);
  return 0;
}
#endif
