//===- Array.cpp ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Releases arrays that the readers made.
//===----------------------------------------------------------------------===//
#include "dlc/runtime.h"

#include <cstdlib>

extern "C" void dlc_array_free(dlc_array *array) {
  if (!array)
    return;
  free(array->data);
  *array = dlc_array{};
}
