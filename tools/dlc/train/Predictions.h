//===- Predictions.h - what a model predicts, as a file -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_PREDICTIONS_H
#define DLC_TOOLS_DLC_TRAIN_PREDICTIONS_H

#include "tools/dlc/train/Instance.h"
#include "tools/dlc/train/Train.h"
#include <vector>

namespace dlc::tool::training {

/// How a file holds predictions, by the ending of its name.
enum class PredictionFormat { Csv, Npy, Safetensors };
/// CSV for "", which is the terminal. Failure for other endings.
PredictionFormat predictionFormat(const std::string &path);

/// The rows of one output, as they come batch by batch.
struct Predicted {
  const dlc_output *output;
  std::vector<char> values;
};

/// What the loss makes of the scores of an output: the class of the highest, or a yes for each that is high
/// enough.
class Decision {
public:
  /// What the output decides that has a score for each of the words, or one number for both; without words,
  /// the only output of numbers, where the loss is one of classes or of yes and no. Nothing is decided where
  /// there is no such output.
  static Decision of(const std::vector<Predicted> &all, const ModelInMemory &compiled,
                     const std::vector<std::string> &words);

  /// "class"; "class.0" ... where a row has several decisions.
  std::vector<std::string> columns() const;
  /// The word or the number of a class, or 0 or 1.
  std::string of(int64_t row, int64_t column) const;

private:
  const Predicted *scores = nullptr; ///< null: nothing is decided
  std::vector<std::string> words;
  bool isBinary = false;
  double threshold = 0;
};

/// A table with a line for each row and a column for each number, `logits.3` for the fourth of the output
/// "logits". In front of them stands what is decided; in front of that, where there are `names`, what each
/// sample is called, in the column "file". Failure where a row has more than 10,000 numbers: nobody reads
/// such a table.
std::string predictionsAsCsv(const std::vector<Predicted> &all, int64_t rows, const Decision &decision,
                             const std::vector<std::string> &names);
/// As numpy.load and safetensors read them, in the outputs' dtypes. Failure where an NPY file would have
/// several.
std::string predictionsAsNpy(const std::vector<Predicted> &all, int64_t rows);
std::string predictionsAsSafetensors(const std::vector<Predicted> &all, int64_t rows);

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_PREDICTIONS_H
