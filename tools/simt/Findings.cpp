//===- Findings.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/simt/Findings.h"

#include <cstdio>
#include <utility>

namespace dlc::simt {

static std::string &lines() {
  static std::string text;
  return text;
}

void addFinding(const std::string &line) {
  fprintf(stderr, "simt: %s\n", line.c_str());
  lines() += line + "\n";
}

std::string takeFindings() { return std::exchange(lines(), {}); }

} // namespace dlc::simt
