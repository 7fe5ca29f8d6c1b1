//===- Trainer.h - epochs, evaluation, checkpoints -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_TRAINER_H
#define DLC_TOOLS_DLC_TRAIN_TRAINER_H

#include "tools/dlc/train/Checkpoints.h"
#include "tools/dlc/train/Curves.h"
#include "tools/dlc/train/Evaluation.h"
#include "tools/dlc/train/Lbfgs.h"
#include "tools/dlc/train/Log.h"
#include "tools/dlc/train/Schedule.h"
#include "tools/dlc/train/Signals.h"
#include <chrono>
#include <memory>

namespace dlc::tool::training {

/// Trains an instance on a data set. Where a training goes on, it has the same bits as one that never
/// stopped: order of the samples, learning rates and the state of the model follow from the checkpoint.
class Trainer {
public:
  /// `validation` may be empty. `drawn` is called after each epoch, when its numbers are in the log and in
  /// the curves.
  Trainer(const TrainOptions &options, Instance &instance, const DataSet &training, const DataSet &validation,
          const ModelInMemory &compiled, const ClassNames &classes, Checkpoints &checkpoints, Ranks &ranks,
          std::function<void(const Curves &)> drawn);

  /// The exit code: 0, or 128 and the number of the signal that ended it.
  int run();

private:
  void resume();
  /// All ranks where rank 0 is.
  void begin();
  bool stops() { return ranks.any(signals.received() != 0); }
  float step(bool keepsGradients);
  /// Whether the log has numbers of the step that comes next: after it, or `left` steps, it is written.
  bool isLogged(int64_t left) const;
  /// False where a signal ended it early.
  bool trainEpoch();
  void showProgress(dlc_progress *line, double rate, float loss, int64_t began);
  /// What --report-every asks for.
  void reportSteps(double rate, float loss);
  void endEpoch();
  /// The epoch's numbers, for who opens a checkpoint later.
  void tellCheckpoints(double loss, const std::vector<Metric> &validation);
  void judge(double metric, bool larger);
  void report(double loss, double rate, const std::vector<Metric> &ofTraining,
              const std::vector<Metric> &validation) const;
  /// The accuracy of the epoch so far; nothing where no prediction is right or wrong.
  std::vector<Metric> metricsOfTraining() const;
  int stopped();
  double secondsOfEpoch() const;
  void save();

  [[noreturn]] void failNotFinite() const;

  const TrainOptions &options;
  Instance &instance;
  const DataSet &training;
  Checkpoints &checkpoints;
  Ranks &ranks;
  const int64_t samples, rows; ///< of the data; of a batch, on all ranks together
  std::vector<std::string> words; ///< of the classes, where they have names
  Batches batches;
  const int64_t perEpoch, total; ///< steps
  Schedule schedule;
  std::unique_ptr<Lbfgs> lbfgs;           ///< null: the compiled update
  const char *movedMomentum = nullptr;    ///< the number that the schedule moves beside the rate
  std::unique_ptr<Evaluation> evaluation; ///< null without validation data
  const bool hasAccuracy;                 ///< of what is trained with
  Log log;
  Signals signals;
  Progress progress;
  const std::function<void(const Curves &)> drawn;
  Curves curves;
  bool isEnough = false; ///< early stopping
  struct {
    double lossSum = 0;
    int64_t steps = 0;
  } sinceReport; ///< of --report-every
  std::chrono::steady_clock::time_point epochBegan;
};

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_TRAINER_H
