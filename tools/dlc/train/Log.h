//===- Log.h - an epoch's numbers in files ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_LOG_H
#define DLC_TOOLS_DLC_TRAIN_LOG_H

#include "dlc/logs.h"
#include "tools/dlc/train/Evaluation.h"
#include "tools/dlc/train/JsonLines.h"
#include <optional>

namespace dlc::tool::training {

/// A table (.csv), JSON in lines (.jsonl), or a folder for TensorBoard; nothing for an empty path.
class Log {
public:
  /// Whether there is an accuracy of what is trained with; the names of what steps tell of themselves, and of
  /// what is measured on the validation data.
  Log(const std::string &path, bool hasAccuracy, const std::vector<std::string> &ofSteps,
      const std::vector<std::string> &validated);
  Log(const Log &) = delete;
  Log &operator=(const Log &) = delete;
  ~Log();

  bool isOn() const { return table || events || lines; }

  /// Training goes on after this step: lines of later ones, from before it was killed, are cut off.
  /// TensorBoard itself drops points of later steps when it finds steps that go back.
  void goOnAfter(int64_t step);

  /// What a folder for TensorBoard has beside the curves: the settings of the run, and which curves are shown
  /// beside them; images of the data; how parameters and gradients are spread.
  void addSettings(const TrainOptions &options, Instance &instance, int64_t samples);
  void addImages(const DataSet &data, int64_t count);
  void addValues(int64_t step, Instance &instance);

  /// The loss of some steps, as curves of TensorBoard alone have it.
  void addSteps(int64_t step, double loss);
  void add(int64_t epoch, int64_t step, double loss, double rate, double seconds,
           const std::vector<Metric> &ofTraining, const std::vector<Metric> &ofStep,
           const std::vector<Metric> &validation);

private:
  void check(dlc_status status) const;

  std::string path;
  std::vector<std::string> tags; ///< of the curves that say what a run is worth
  dlc_csv *table = nullptr;
  dlc_events *events = nullptr;
  std::optional<JsonLines> lines;
};

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_LOG_H
