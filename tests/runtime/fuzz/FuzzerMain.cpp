//===- FuzzerMain.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry of libFuzzer; the build names the target.
//===----------------------------------------------------------------------===//
#include "tests/runtime/fuzz/Targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  DLC_FUZZ_TARGET(bytes, size);
  return 0;
}
