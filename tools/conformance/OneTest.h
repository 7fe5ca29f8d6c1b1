//===- OneTest.h - one test, in a process of its own -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_CONFORMANCE_ONETEST_H
#define DLC_TOOLS_CONFORMANCE_ONETEST_H

#include <filesystem>
#include <string>

namespace conformance {

enum class Outcome { Passed, Failed, Unsupported };

struct Result {
  std::string name, op;
  Outcome outcome = Outcome::Failed;
  std::string reason;
};

/// Compiles and runs the test, with files in `scratch`: the model itself, or what `dlc export` makes of it.
/// It may crash with the compiled code.
Result runTest(const std::filesystem::path &folder, const std::string &dlc,
               const std::filesystem::path &scratch, bool exported);
/// The operator that a test is about: the one of its nodes, "several" or "?".
std::string operatorOf(const std::filesystem::path &folder);

} // namespace conformance

#endif
