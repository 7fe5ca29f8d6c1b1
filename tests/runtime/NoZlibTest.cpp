//===- NoZlibTest.cpp - data sets without zlib ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/runtime.h"
#include "tests/runtime/TempFolder.h"

#include <gtest/gtest.h>

#include <fstream>

namespace {

struct NoZlib : testing::Test {
  dlc_status read(const std::string &bytes) {
    std::ofstream(folder.file("f"), std::ios::binary) << bytes;
    return dlc_read_idx(folder.file("f").c_str(), nullptr, &array, error, sizeof error);
  }
  TempFolder folder;
  dlc_array array = {};
  char error[512] = "";
};

TEST_F(NoZlib, ReadsPlainFiles) {
  ASSERT_EQ(read(std::string("\0\0\x08\x01\0\0\0\x03"
                             "abc",
                             11)),
            DLC_OK)
      << error;
  EXPECT_EQ(array.shape[0], 3);
  dlc_array_free(&array);
}

TEST_F(NoZlib, RefusesCompressedFilesWithAReason) {
  EXPECT_EQ(read(std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10)), DLC_BAD_FILE);
  std::string text = error;
  EXPECT_NE(text.find(folder.file("f")), std::string::npos) << text;
  EXPECT_NE(text.find("built without zlib"), std::string::npos) << text;
}

} // namespace
