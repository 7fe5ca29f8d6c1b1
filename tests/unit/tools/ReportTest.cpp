//===- ReportTest.cpp - the table of a profile ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times that a measurement gives are given here, because which ones it gives is left to the machine.
//===----------------------------------------------------------------------===//
#include "tools/dlc/profile/Report.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace dlc::tool;

namespace {

constexpr double resolution = 20;

TimedLaunch launch(const char *kernel, double nanoseconds) {
  TimedLaunch timed;
  timed.launch.kernel = kernel;
  timed.launch.operations = 4000;
  timed.launch.bytes = 1000;
  timed.launch.chunks = 1;
  timed.nanoseconds = nanoseconds;
  return timed;
}

/// The table's lines after its first, with one blank between two columns.
std::string tableOf(const std::vector<TimedLaunch> &launches) {
  Measurement measured;
  measured.launches = launches;
  measured.clock = resolution;
  measured.rates.operations = measured.rates.bytes = 100;
  std::string table = textOf(measured, /*byNode=*/false);
  table.erase(0, table.find('\n', table.find("\nkernel") + 1) + 1);
  table.erase(table.find("\n\n") + 1); // what a call takes
  table.erase(std::unique(table.begin(), table.end(), [](char x, char y) { return x == ' ' && y == ' '; }),
              table.end());
  return table;
}

TEST(Report, SharesAreOfTheSum) {
  EXPECT_EQ(tableOf({launch("short", 10), launch("long", 90)}),
            "long 1 0.09 90.0 % 44.4 11.1 44.4 % latency\n"
            "short 1 0.01 10.0 % - - - -\n"
            "all 2 0.10 100.0 % 80.0 20.0 80.0 % multiply-adds\n");
}

TEST(Report, WhatTheClockCannotTellApartHasNoShares) {
  EXPECT_EQ(tableOf({launch("some", 30), launch("none", 0)}),
            "some 1 0.03 - 133.3 33.3 133.3 % multiply-adds\n"
            "none 1 0.00 - - - - -\n"
            "all 2 0.03 - - - - -\n");
  EXPECT_EQ(tableOf({launch("none", 0)}), "none 1 0.00 - - - - -\n"
                                          "all 1 0.00 - - - - -\n");
}

} // namespace
