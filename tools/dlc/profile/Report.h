//===- Report.h - what a profile prints and writes ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_PROFILE_REPORT_H
#define DLC_TOOLS_DLC_PROFILE_REPORT_H

#include "tools/dlc/profile/Measure.h"

namespace dlc::tool {

/// Launches of one kernel, or of one node of the model.
struct TimedLine {
  std::string name;
  int64_t launches = 0;
  double nanoseconds = 0;
};

/// What a measurement has found, for people: a table with a line for each kernel, or for each node of the
/// model, those that take longest first. Lines whose launches take less than a reading of the clock each have
/// no rates, and none has a share where all together do. `lines` become those of the table, without its sum.
std::string textOf(const Measurement &measured, bool byNode, std::vector<TimedLine> *lines = nullptr);

/// Calls as a Chrome trace (chrome://tracing, ui.perfetto.dev).
std::string traceOf(const std::vector<TimedLaunch> &launches, const std::vector<Step> &steps);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_PROFILE_REPORT_H
