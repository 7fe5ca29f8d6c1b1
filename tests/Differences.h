//===- Differences.h - how far numbers are from PyTorch's --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a test notes in its report (--gtest_output) of each optimizer or schedule: the number of its cases,
// and the largest difference. docs/update_accuracy.py makes tables of it.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_DIFFERENCES_H
#define DLC_TESTS_DIFFERENCES_H

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>

namespace dlc::tests {

class Differences {
public:
  ~Differences() {
    for (const auto &[name, found] : ofName) {
      char text[64];
      std::snprintf(text, sizeof text, "%d %g", found.first, found.second);
      testing::Test::RecordProperty(name, text);
    }
  }
  void startCase(const std::string &name) {
    current = &ofName[name];
    ++current->first;
  }
  /// The difference of two numbers in parts of `whole`.
  void add(double found, double expected, double whole) {
    current->second = std::max(current->second, std::fabs(found - expected) / whole);
  }

private:
  std::map<std::string, std::pair<int, double>> ofName;
  std::pair<int, double> *current = nullptr;
};

} // namespace dlc::tests

#endif // DLC_TESTS_DIFFERENCES_H
