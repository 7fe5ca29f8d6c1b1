//===- PreprocessingTarget.cpp --------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads arbitrary bytes as what was done to the data of a training.
//===----------------------------------------------------------------------===//
#include "dlc/preprocessing.h"
#include "tests/runtime/fuzz/Targets.h"

#include <cmath>

bool fuzzPreprocessing(const uint8_t *bytes, size_t size) {
  using fuzz::require;
  fuzz::MemoryFile file(bytes, size);
  char error[300] = "";
  dlc_preprocessing *preprocessing;
  const dlc_status status = dlc_preprocessing_read(file.path().c_str(), &preprocessing, error, sizeof error);
  if (status != DLC_OK) {
    require(status == DLC_BAD_FILE && !preprocessing && *error, "preprocessing or no sentence");
    return false;
  }
  require(dlc_preprocessing_means(preprocessing, "x") <= static_cast<int64_t>(size), "more means than bytes");
  for (int32_t i = 0; i < dlc_preprocessing_column_count(preprocessing, "x"); ++i)
    require(dlc_preprocessing_column(preprocessing, "x", i), "no column");
  float row[2] = {1, 2};
  const dlc_status applied = dlc_preprocessing_apply(preprocessing, "x", 1, 2, row, error, sizeof error);
  require(applied == DLC_OK ? !std::isnan(row[0]) : applied == DLC_INVALID_ARGUMENT, "no number");
  dlc_preprocessing_free(preprocessing);
  return true;
}

#ifdef DLC_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzzPreprocessing(bytes, size);
  return 0;
}
#endif
