//===- Report.h - what came out, by operator -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_CONFORMANCE_REPORT_H
#define DLC_TOOLS_CONFORMANCE_REPORT_H

#include "tools/conformance/OneTest.h"
#include <vector>

namespace conformance {

/// A table by operator, then each failed test with its reason.
void print(const std::vector<Result> &results);
/// {"passed": n, "failed": n, "unsupported": n, "operators": {...}, "tests": [...]}; false if it cannot be
/// written.
bool writeJson(const std::vector<Result> &results, const std::filesystem::path &file);
const char *nameOf(Outcome outcome);

} // namespace conformance

#endif
