//===- Expect.h - errors that tests expect ----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_CPP_EXPECT_H
#define DLC_TESTS_CPP_EXPECT_H

#include "dlc/error.h"
#include <filesystem>
#include <gtest/gtest.h>

/// The error that `wrong` throws; fails where there is none.
template <typename Function> dlc::Error errorOf(Function wrong) {
  try {
    wrong();
  } catch (const dlc::Error &error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return dlc::Error("", dlc::Where::current());
}

#define EXPECT_MESSAGE(expression, text)                                                                     \
  do {                                                                                                       \
    unsigned line = __LINE__;                                                                                \
    dlc::Error error = errorOf([&] { (void)(expression); });                                                 \
    EXPECT_NE(error.message().find(text), std::string::npos) << error.what();                                \
    EXPECT_EQ(error.line(), line) << error.what();                                                           \
    EXPECT_NE(error.file().find(std::filesystem::path(__FILE__).filename().string()), std::string::npos);    \
  } while (false)

#endif // DLC_TESTS_CPP_EXPECT_H
