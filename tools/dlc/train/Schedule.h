//===- Schedule.h - the learning rate of each step -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_SCHEDULE_H
#define DLC_TOOLS_DLC_TRAIN_SCHEDULE_H

#include "tools/dlc/train/SchedulePart.h"
#include "tools/dlc/train/Train.h"

namespace dlc::tool::training {

/// What --schedule, --warmup and --swa-start say: schedules one after the other ("A until 2e then B"), each
/// of which may be several at the same time ("A with B").
class Schedule {
public:
  /// `base`: the rate to begin with; `steps` are all, `perEpoch` those of an epoch.
  Schedule(const TrainOptions &options, double base, int64_t steps, int64_t perEpoch)
      : Schedule(options, base, steps, perEpoch, /*isSketch=*/false) {}

  /// Failure for words that make no sense, whatever the model and the data are: how many steps an epoch has
  /// is not known yet.
  static void check(const TrainOptions &options) { Schedule(options, 1, 1, 1, /*isSketch=*/true); }

  /// The rate of the step with that number, from 0.
  double rate(int64_t step) const;
  /// What a momentum becomes in the step; nothing where it stays as it is.
  std::optional<double> momentum(int64_t step) const;
  /// What the decay of the averages becomes in the step; nothing where it stays as it is.
  std::optional<double> averageDecay(int64_t step) const;
  /// Takes the monitored metric at the end of an epoch.
  void endEpoch(double metric, bool largerIsBetter);

  /// What the schedule `plateau` remembers; of others nothing.
  dlc_plateau plateau() const;
  void setPlateau(const dlc_plateau &remembered);
  bool isConstant() const { return stretches.empty() && warmUp == 0; }
  bool movesMomentum() const;

private:
  /// From one step on, counted behind the warm-up.
  struct Stretch {
    int64_t begin;
    double base;
    std::vector<SchedulePart> parts;

    double rate(int64_t step) const;
  };
  /// A sketch does not know which of two steps comes first.
  Schedule(const TrainOptions &options, double base, int64_t steps, int64_t perEpoch, bool isSketch);
  void add(std::string text, int64_t begin, int64_t end);
  const Stretch &stretchOf(int64_t step) const;
  dlc_plateau *plateauPart();

  double base;
  int64_t perEpoch, warmUp = 0;
  std::vector<Stretch> stretches; ///< none: the rate stays
  bool averages = false;
  int64_t averageStart = 0, averageEvery = 0; ///< steps of --swa-start, --swa-every
};

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_SCHEDULE_H
