//===- Checkpoints.h - what a training writes, and goes on from ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output folder has last.safetensors and best.safetensors, which `save` of the model writes, and
// progress.json with what the trainer remembers beside them. Both files of a checkpoint cannot change at
// once: progress.json, which is written first, still has what belongs to the checkpoint before, and the
// number of the step says which.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_CHECKPOINTS_H
#define DLC_TOOLS_DLC_TRAIN_CHECKPOINTS_H

#include "dlc/metrics.h"
#include "dlc/schedules.h"
#include "tools/dlc/train/FolderLock.h"
#include "tools/dlc/train/Instance.h"
#include "tools/dlc/train/Sources.h"
#include "tools/dlc/train/Train.h"
#include <optional>

namespace dlc::tool::training {

/// Where a training is, beside the state of the model.
struct Progress {
  int64_t step = 0;         ///< steps done
  int64_t updates = 0;      ///< by those of them that no scale of the loss has skipped
  double lossScale = 0;     ///< which each step that is skipped changes; 0: there is none
  int64_t epoch = 0;        ///< that it is in, from 0
  int64_t batch = 0;        ///< that comes next in it
  double lossSum = 0;       ///< of the epoch's batches so far
  int64_t correct = 0;      ///< predictions of theirs that were right
  int64_t count = 0;        ///< ... of so many
  double seconds = 0;       ///< that the epoch has taken so far
  int64_t bestStep = 0;     ///< of the best checkpoint
  dlc_early_stop stop = {}; ///< has the best metric, too
  dlc_plateau plateau = {};
};

/// What a training is of, which must be the same where it goes on.
struct Began {
  std::string model;                        ///< digest
  std::map<std::string, std::string> files; ///< digests of the data and of other files that options name

  /// Reads the files.
  static Began of(const TrainOptions &options, const std::string &model, const Sources &sources);
};

class Checkpoints {
public:
  /// Makes the folder, sees that it can be written, and keeps it from other trainings. Where no folder is
  /// given nothing is ever written.
  Checkpoints(const TrainOptions &options, const Compiler &compiler);

  bool writes() const { return !options.output.empty(); }
  std::string path(const std::string &name) const { return options.output + "/" + name; }

  /// Loads the last checkpoint; nothing where there is none yet. Failure if this training is not the one that
  /// wrote it: options, model, number of samples and contents of files must be the same.
  std::optional<Progress> resume(Instance &instance, int64_t samples);
  void save(Instance &instance, const Progress &progress, int64_t samples);
  void saveBest(Instance &instance);
  void saveWeights(Instance &instance);

  Began began; ///< of this training; empty where nothing is written

private:
  void checkSettings(const std::map<std::string, std::string> &before) const;
  void checkFiles(const std::map<std::string, std::string> &before) const;
  [[noreturn]] void failToGoOn(const std::string &what) const;

  const TrainOptions &options;
  const Compiler &compiler;
  FolderLock lock;
  std::optional<Progress> before; ///< of the checkpoint that is there
};

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_CHECKPOINTS_H
