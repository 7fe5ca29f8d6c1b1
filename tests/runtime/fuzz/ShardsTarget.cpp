//===- ShardsTarget.cpp ---------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens arbitrary bytes as a tar file of samples, and reads all of them.
//===----------------------------------------------------------------------===//
#include "dlc/shards.h"
#include "tests/runtime/fuzz/Targets.h"

#include <vector>

bool fuzzShards(const uint8_t *bytes, size_t size) {
  using fuzz::require;
  fuzz::MemoryFile file(bytes, size);
  const std::string path = file.path();
  const char *paths[] = {path.c_str()};
  char error[300] = "";
  dlc_shards *shards;
  const dlc_status status = dlc_shards_open(paths, 1, &shards, error, sizeof error);
  if (status != DLC_OK) {
    require(status == DLC_BAD_FILE && !shards && *error, "samples or no sentence");
    return false;
  }
  for (int64_t sample = 0; sample < dlc_shards_count(shards); ++sample)
    for (int32_t index = 0; dlc_shards_kind(shards, index); ++index) {
      const char *kind = dlc_shards_kind(shards, index);
      const int64_t count = dlc_shards_size(shards, sample, kind);
      require(count <= static_cast<int64_t>(size), "a member that is larger than the file");
      std::vector<char> room(static_cast<size_t>(count < 0 ? 0 : count) + 1);
      const dlc_status read = dlc_shards_read(shards, sample, kind, room.data(), error, sizeof error);
      require(count < 0 ? read == DLC_NOT_FOUND : read == DLC_OK, "a member that is not there, or is");
      int64_t number;
      dlc_shards_number(shards, sample, kind, &number, error, sizeof error);
      dlc_array array;
      dlc_shards_array(shards, sample, kind, nullptr, &array, error, sizeof error);
      dlc_array_free(&array);
    }
  dlc_shards_close(shards);
  return true;
}

#ifdef DLC_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzzShards(bytes, size);
  return 0;
}
#endif
