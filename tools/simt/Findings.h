//===- Findings.h ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the stand-in has found wrong, as lines of text; each goes to stderr, too.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_SIMT_FINDINGS_H
#define DLC_TOOLS_SIMT_FINDINGS_H

#include <string>

namespace dlc::simt {

void addFinding(const std::string &line);
/// All since the last call, one a line.
std::string takeFindings();

} // namespace dlc::simt

#endif
