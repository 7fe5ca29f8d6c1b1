//===- TensorsTarget.cpp -------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads arbitrary bytes as a safetensors file of any program: all tensors that are data.
//===----------------------------------------------------------------------===//
#include "dlc/data.h"
#include "tests/runtime/fuzz/Targets.h"

#include <string>

bool fuzzTensors(const uint8_t *bytes, size_t size) {
  using fuzz::require;
  fuzz::MemoryFile file(bytes, size);
  char error[256] = "";
  dlc_tensors *tensors;
  const dlc_status status = dlc_tensors_open(file.path().c_str(), &tensors, error, sizeof error);
  if (status != DLC_OK) {
    require(status == DLC_BAD_FILE && !tensors && *error, "tensors or no sentence");
    return false;
  }
  const int64_t count = dlc_tensors_count(tensors);
  require(!dlc_tensors_name(tensors, count), "a tensor too many");
  size_t sum = 0;
  std::string before;
  for (int64_t i = 0; i < count; ++i) {
    const std::string name = dlc_tensors_name(tensors, i);
    require(i == 0 || before < name, "names out of order, or twice");
    before = name;
    dlc_array array;
    const dlc_status found = dlc_tensors_read(tensors, name.c_str(), &array, error, sizeof error);
    require(found == DLC_OK || (found == DLC_BAD_FILE && *error), "unexpected status, or no sentence");
    sum += array.bytes;
    dlc_array_free(&array);
  }
  require(sum <= size, "more values than the file has");
  dlc_tensors_close(tensors);
  return true;
}

#ifdef DLC_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzzTensors(bytes, size);
  return 0;
}
#endif
