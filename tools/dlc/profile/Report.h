//===- Report.h - what a profile prints and writes ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_PROFILE_REPORT_H
#define DLC_TOOLS_DLC_PROFILE_REPORT_H

#include "tools/dlc/profile/CompiledModel.h"
#include "tools/dlc/profile/Rates.h"

namespace dlc::tool {

/// One launch and its time.
struct TimedLaunch {
  LaunchInfo launch;
  double nanoseconds = 0; ///< the median of all steps
};

/// A table with a line for each kernel, or for each node of the model, those that take longest first.
/// Lines whose launches take less than `resolution` nanoseconds each have no rates, and none has a share
/// where all together do.
void printTable(const std::vector<TimedLaunch> &launches, const Rates &rates, int threads, double resolution,
                bool byNode);

/// One call: when each launch began, and when the last one ended, in nanoseconds.
using Step = std::vector<int64_t>;

/// Calls as a Chrome trace (chrome://tracing, ui.perfetto.dev).
std::string traceOf(const std::vector<TimedLaunch> &launches, const std::vector<Step> &steps);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_PROFILE_REPORT_H
