//===- SchedulePart.h - one schedule of a learning rate --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_SCHEDULEPART_H
#define DLC_TOOLS_DLC_TRAIN_SCHEDULEPART_H

#include "dlc/schedules.h"
#include "tools/dlc/train/Arrays.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dlc::tool::training {

/// "NAME" or "NAME:SETTING=VALUE,...", with the formulas and the defaults of dlc/schedules.h.
class SchedulePart {
public:
  /// `steps` are those of the training that it is for, `perEpoch` those of an epoch. Failure for what cannot
  /// be read.
  SchedulePart(const std::string &text, double base, int64_t steps, int64_t perEpoch);

  /// What the rate `base` becomes in the step with that number, from 0.
  double rate(double base, int64_t step) const;
  /// The momentum in that step, of a cycle that moves one, too; else nothing.
  std::optional<double> momentum(int64_t step) const;

  bool is(const char *name) const { return kind == name; }
  dlc_plateau plateau = {}; ///< what it remembers, of the schedule `plateau` alone

  /// The names: "step, cosine ...".
  static std::string names();

private:
  double number(const std::string &name, double standard);
  int64_t count(const std::string &name, int64_t standard);
  std::string take(const std::string &name);
  void prepare(double base);
  void prepareCyclic(double base);
  void prepareOneCycle();
  void preparePlateau(double base);
  /// momentum=LOW/HIGH.
  void takeMomentum();

  int64_t steps, perEpoch;
  std::string kind;
  std::map<std::string, std::string> given; ///< settings that nobody has taken yet

  // Settings of one kind or another.
  double factor = 0, least = 0, last = 0;
  int64_t length = 0, times = 1;
  std::vector<int64_t> milestones;
  dlc_cycle cycle = {};
  dlc_one_cycle oneCycle = {};
  double lowMomentum = 0, highMomentum = 0; ///< 0: the momentum stays
};

/// "500", or "2e" for two epochs.
int64_t stepsIn(const std::string &text, const std::string &option, int64_t perEpoch);

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_SCHEDULEPART_H
