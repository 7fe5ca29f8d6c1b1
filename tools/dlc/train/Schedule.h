//===- Schedule.h - the learning rate of each step -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_SCHEDULE_H
#define DLC_TOOLS_DLC_TRAIN_SCHEDULE_H

#include "dlc/schedules.h"
#include "tools/dlc/train/Arrays.h"
#include "tools/dlc/train/Train.h"
#include <vector>

namespace dlc::tool::training {

/// What --schedule and --warmup say.
class Schedule {
public:
  /// `base`: the rate to begin with; `steps` are all, `perEpoch` those of an epoch.
  Schedule(const TrainOptions &options, double base, int64_t steps, int64_t perEpoch);

  /// Of the step with that number, from 0.
  double rate(int64_t step) const;
  /// Takes the monitored metric at the end of an epoch.
  void endEpoch(double metric, bool largerIsBetter);

  dlc_plateau plateau = {}; ///< what it remembers, of the schedule `plateau` alone
  bool isConstant() const { return kind.empty() && warmUp == 0; }

  /// The names, for help texts: "step, cosine ...".
  static std::string names();

private:
  double afterWarmUp(int64_t step) const;
  double number(const std::string &name, double standard);
  int64_t count(const std::string &name, int64_t standard);
  std::string take(const std::string &name);
  void prepare();

  double base;
  int64_t steps, perEpoch, warmUp = 0;
  std::string kind;
  std::map<std::string, std::string> given; ///< settings that nobody has taken yet

  // Settings of one kind or another.
  double factor = 0, least = 0, last = 0;
  int64_t length = 0, times = 1;
  std::vector<int64_t> milestones;
  dlc_cycle cycle = {};
  dlc_one_cycle oneCycle = {};
};

/// "500", or "2e" for two epochs.
int64_t stepsIn(const std::string &text, const std::string &option, int64_t perEpoch);

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_SCHEDULE_H
