//===- CustomDim.cpp - train: sizes of users' functions ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/train/Custom.h"

using namespace mlir;
using namespace train;

CustomDim CustomDim::parse(StringRef text) {
  CustomDim dim;
  int64_t size;
  if (!text.getAsInteger(10, size)) {
    dim.size = size;
    return dim;
  }
  dim.isGroup = text.consume_back("...");
  dim.name = text;
  return dim;
}
