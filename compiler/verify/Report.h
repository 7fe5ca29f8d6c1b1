//===- Report.h - what was compared, and how far apart it is ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain values; this header knows no MLIR.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_VERIFY_REPORT_H
#define DLC_COMPILER_VERIFY_REPORT_H

#include <cstdint>
#include <string>
#include <vector>

namespace dlc::verify {

/// One tensor or number, computed twice.
struct Check {
  std::string when; ///< "first step", "step 10", "evaluation" ...
  std::string what; ///< loss, gradient, slope, slope of the compiled gradient, update, statistic, prediction
  std::string name; ///< of the parameter, buffer or output; empty for a loss
  std::string type; ///< "2x3xf32"
  double error = 0; ///< of the element that is worst
  double bound = 0;
  std::string reason; ///< of the bound
  std::string detail; ///< both numbers, where they differ

  bool differs() const { return !(error <= bound); }
  double share() const; ///< of the bound
};

struct Report {
  bool cannot = false; ///< the model is refused, or the interpreter cannot run it; the reason was reported
  bool trains = false;
  int64_t parameters = 0; ///< that are trained
  double loss = 0;        ///< of the first step, compiled
  int64_t steps = 0;      ///< that were compared
  std::string ended;      ///< why no more of them, although there was time: the training diverges; else empty
  int64_t rows = 0, rowsOfModel = 0; ///< of a batch: compared, and as the model says; 0 without a batch
  std::vector<Check> checks;
  std::vector<std::string> leftOut; ///< what was not compared, and why

  bool differs() const;
  /// The check furthest beyond its bound, or nearest to it; null where there is none.
  const Check *worst() const;
};

} // namespace dlc::verify

#endif // DLC_COMPILER_VERIFY_REPORT_H
