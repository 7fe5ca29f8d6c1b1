//===- Evaluation.h - what a model is worth --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_EVALUATION_H
#define DLC_TOOLS_DLC_TRAIN_EVALUATION_H

#include "tools/dlc/train/ClassTables.h"
#include "tools/dlc/train/DataSet.h"
#include "tools/dlc/train/Instance.h"
#include <optional>

namespace dlc::tool::training {

bool largerIsBetter(const std::string &metric);

/// Failure where --monitor names what is not among the metrics.
void requireMeasured(const std::string &monitor, const std::vector<std::string> &measured);

/// Whether the model's predictions are right or wrong: it has classes, or a loss of yes and no.
bool predictsClasses(const ModelInMemory &compiled);

/// Measures a model on a data set: its loss, and what --metrics asks for or fits the loss. Of classes that is
/// the accuracy, of values the mean absolute error and R2. `predicted` is the output of --prediction, or
/// empty. Ranks evaluate a part of each batch; where a metric needs all predictions together, each makes all.
class Evaluation {
public:
  Evaluation(Instance &instance, const DataSet &data, const ModelInMemory &compiled,
             const std::vector<std::string> &wanted, const std::string &predicted, Ranks *ranks = nullptr);

  /// "loss" and the others, in the order of names().
  std::vector<Metric> measure();
  /// What was measured last, class by class, where --metrics asks for it; else "". `words` are the names of
  /// the classes, or none.
  std::string tables(const std::vector<std::string> &words) const;
  /// How many samples were measured last, those of all ranks together.
  int64_t samples() const { return measured; }
  const std::vector<std::string> &names() const { return metrics; }

private:
  /// Adds what all batches, or this rank's part of each, come to.
  void add(dlc_metrics &sums);
  void choosePrediction(const ModelInMemory &compiled, const std::string &predicted);
  void keep(int64_t rows);
  std::vector<Confusion> confusions() const;
  double compute(const std::string &metric, const dlc_metrics &sums) const;

  Instance &instance;
  Batches batches;
  Ranks *ranks;                 ///< null: one process
  std::optional<Batches> parts; ///< of batches of all ranks; empty: this process has all samples
  std::vector<std::string> metrics;
  int64_t measured = 0;
  bool hasClasses = false, isBinary = false;         ///< else values, if anything that can be measured
  bool hasProbabilities = false;                     ///< of classes: the label is the most probable one
  double threshold = 0;                              ///< above which a binary score is 1
  bool showsClasses = false, showsConfusion = false; ///< as tables
  bool keepsScores = false;                          ///< some metric needs more than eval_step counts
  uint32_t target = 0, prediction = 0;               ///< which of the model's inputs and outputs are compared
  int64_t perRow = 0;                                ///< numbers of the prediction
  std::vector<std::vector<char>> outputs;
  std::vector<void *> pointers;
  std::vector<float> scores, values;
  std::vector<int64_t> labels;
};

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_EVALUATION_H
