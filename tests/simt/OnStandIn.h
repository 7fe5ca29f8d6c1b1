//===- OnStandIn.h --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests with the tiny model on the stand-in driver, which is as new before each, and has nothing left behind
// after it.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_SIMT_ONSTANDIN_H
#define DLC_TESTS_SIMT_ONSTANDIN_H

#include "tests/simt/TinyGpu.h"

#include <gtest/gtest.h>

namespace tiny {

class OnStandIn : public testing::Test {
protected:
  void SetUp() override {
    standIn().reset();
    standIn().findings();
  }
  /// Tests that make mistakes ask for these themselves.
  void TearDown() override {
    EXPECT_STREQ(standIn().findings(), "");
    EXPECT_STREQ(standIn().leaks(), "");
    standIn().reset();
  }

  GpuTables gpu;
  Options options{1, false, nullptr, &gpu.model};
};

} // namespace tiny

#endif
