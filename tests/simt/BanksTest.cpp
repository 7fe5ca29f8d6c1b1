//===- BanksTest.cpp - requests for shared memory are counted as a GPU takes them ---===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/simt/Banks.h"

#include "gtest/gtest.h"

#include <functional>

namespace dlc::simt {
namespace {

/// "passes least" of a warp whose lanes each ask once.
std::string counted(const std::function<uint64_t(uint32_t lane)> &offsetOf, uint32_t bytes,
                    uint32_t lanes = 32) {
  Banks banks;
  banks.isCounting = true;
  for (uint32_t lane = 0; lane < lanes; ++lane)
    banks.note(Banks::load, 7, lane, offsetOf(lane), bytes);
  banks.endBlock("kernel");
  const std::string line = banks.report(), name = "kernel load 7 ";
  EXPECT_EQ(line.substr(0, name.size()), name);
  return line.substr(name.size(), line.size() - name.size() - 1);
}

TEST(Banks, OneWordOfABankAtATime) {
  EXPECT_EQ(counted([](uint32_t lane) { return 4 * lane; }, 4), "1 1");
  EXPECT_EQ(counted([](uint32_t) { return 64; }, 4), "1 1"); // all want the same word
  EXPECT_EQ(counted([](uint32_t lane) { return 2 * lane; }, 2), "1 1");
  EXPECT_EQ(counted([](uint32_t lane) { return 8 * lane; }, 4), "2 1");
  EXPECT_EQ(counted([](uint32_t lane) { return 128 * lane; }, 4), "32 1");
  EXPECT_EQ(counted([](uint32_t lane) { return 132 * lane; }, 4), "1 1"); // a column of rows of 33
  EXPECT_EQ(counted([](uint32_t lane) { return 128 * lane; }, 4, 5), "5 1");
}

TEST(Banks, LargeAccessesComeInParts) {
  EXPECT_EQ(counted([](uint32_t lane) { return 8 * lane; }, 8), "2 2");
  EXPECT_EQ(counted([](uint32_t lane) { return 16 * lane; }, 16), "4 4");
  EXPECT_EQ(counted([](uint32_t lane) { return 128 * lane; }, 16), "32 4");
  EXPECT_EQ(counted([](uint32_t lane) { return 144 * lane; }, 16), "4 4"); // rows with a piece beside them
}

TEST(Banks, NeighboursOfAThreadAreOneAccess) {
  Banks banks;
  banks.isCounting = true;
  for (uint32_t i = 0; i < 8; ++i)
    for (uint32_t lane = 0; lane < 32; ++lane)
      banks.note(Banks::store, 3 + i, lane, 16 * lane + 2 * i, 2);
  for (uint32_t lane = 0; lane < 32; ++lane) // of another place, and so another access
    banks.note(Banks::store, 20, lane, 4 * lane, 4);
  banks.endBlock("kernel");
  EXPECT_EQ(banks.report(), "kernel store 3 4 4\nkernel store 20 1 1\n");
}

TEST(Banks, WarpsAndTimesAreApart) {
  Banks banks;
  banks.isCounting = true;
  for (uint32_t time = 0; time < 3; ++time)
    for (uint32_t thread = 0; thread < 64; ++thread)
      banks.note(Banks::matrices, 1, thread, 256 * time + 4 * (thread % 32), 4);
  banks.endBlock("kernel");
  EXPECT_EQ(banks.report(), "kernel matrices 1 6 6\n");
}

} // namespace
} // namespace dlc::simt
