//===- Print.h - a report of dlc verify, for people and programs --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_VERIFY_PRINT_H
#define DLC_TOOLS_DLC_VERIFY_PRINT_H

#include "compiler/verify/Report.h"
#include "llvm/Support/raw_ostream.h"

namespace dlc::tool {

/// A line that says what came out, and one for each tensor with its worst comparison: at most `lines`, the
/// worst first.
void printTable(const verify::Report &report, const std::string &file, int64_t lines, llvm::raw_ostream &out);
/// An error for each tensor that differs, and where the fault is likely to be.
void printDifferences(const verify::Report &report, const std::string &file, llvm::raw_ostream &out);
/// What a comparison with a PyTorch module found.
struct Against {
  std::string module; ///< FILE.py:NAME
  int status;         ///< 0: equal, 1: not, 2: it could not be found out
  std::string json;   ///< an object that it wrote, or none
};

/// `status` is that of both comparisons; `against` may be null.
void printJson(const verify::Report &report, const std::string &file, int status, const Against *against,
               llvm::raw_ostream &out);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_VERIFY_PRINT_H
