//===- Measure.h - how long the launches of a function take ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_PROFILE_MEASURE_H
#define DLC_TOOLS_DLC_PROFILE_MEASURE_H

#include "tools/dlc/profile/Manifest.h"
#include "tools/dlc/profile/Profile.h"
#include "tools/dlc/profile/Rates.h"

namespace dlc::tool {

/// One launch and its time.
struct TimedLaunch {
  LaunchInfo launch;
  double nanoseconds = 0; ///< the median of all steps
};

/// One call: when each launch began, and when the last one ended, in nanoseconds.
using Step = std::vector<int64_t>;

/// Times are medians in nanoseconds.
struct Measurement {
  std::string model;
  dlc_function_kind function = DLC_TRAIN_STEP;
  int threads = 1;
  size_t calls = 0, arena = 0;        ///< arena: bytes of the model's memory
  double call = 0, callWithClock = 0; ///< without readings of the clock between launches, and with them
  double clock = 0;                   ///< of one reading, which is taken off each launch's time
  std::vector<TimedLaunch> launches;  ///< copies among them
  std::vector<Step> traced;           ///< the last calls
  Rates rates;
};

/// As many as the runtime takes for threads = 0.
int availableCores();

/// The function of that name, or the one that is most worth looking at; std::runtime_error where the model
/// has none of that name.
dlc_function_kind chooseFunction(const dlc_model &model, const std::string &name);

/// Runs a function of a compiled model with readings of the clock between its launches. `file` is a library
/// or its manifest. Errors are std::runtime_error.
Measurement measure(const std::string &file, const ProfileOptions &options, const ProfileServices &services);

/// The same of a model in memory with one target, a CPU, and the launches of its functions by their names.
/// `weights` is the file that it begins with; empty: it has its initial values itself.
Measurement measure(const dlc_model &model, const std::map<std::string, std::vector<LaunchInfo>> &functions,
                    const std::string &weights, const ProfileOptions &options);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_PROFILE_MEASURE_H
