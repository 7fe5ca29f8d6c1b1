//===- FuzzTest.cpp - programs with damage
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lit tests' programs, each changed in some ways, the same ones every time: whatever becomes of them,
// nothing crashes.
//===----------------------------------------------------------------------===//
#include "tests/unit/pipeline/FuzzTarget.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace {

/// The programs of one test, each with the line that says what is run.
std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> programs;
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(text).split(parts, "// -----");
  std::string first = text.substr(0, text.find('\n') + 1);
  for (llvm::StringRef part : parts)
    programs.push_back((programs.empty() ? "" : first) + part.str());
  return programs;
}

std::vector<std::string> litPrograms() {
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(DLC_LIT_DIR))
    if (entry.path().extension() == ".mlir")
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> programs;
  for (const auto &path : paths) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    for (std::string &program : split(text.str()))
      programs.push_back(std::move(program));
  }
  return programs;
}

TEST(FuzzTest, DamagedPrograms) {
  std::mt19937 random(3);
  int valid = 0, count = 0;
  for (const std::string &program : litPrograms()) {
    fuzzProgram(program);
    for (int i = 0; i < 8; ++i, ++count)
      valid += fuzzProgram(mutateText(program, random));
  }
  EXPECT_GT(valid, count / 20) << "much damage leaves a valid program";
  EXPECT_LT(valid, count);
}

} // namespace
