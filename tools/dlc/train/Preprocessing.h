//===- Preprocessing.h - what was done to the data ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What dlc train does to values before the model has them stands in a file beside the weights, so that dlc
// eval, dlc predict and programs do the same.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_PREPROCESSING_H
#define DLC_TOOLS_DLC_TRAIN_PREPROCESSING_H

#include "dlc/preprocessing.h"
#include "tools/dlc/train/DataSet.h"
#include "tools/dlc/train/Sources.h"

namespace dlc::tool::training {

constexpr const char *preprocessingFile = "preprocessing.json";

/// What a program has to do to its inputs before it asks the trained model, the columns of tables that they
/// are, which words its classes were, and the loss, where predictions decide by it, as JSON; "" where there
/// is nothing of all that. `scales` has none for inputs that stayed as they were.
std::string describePreprocessing(const ModelInMemory &compiled, const DataSet &data,
                                  const std::vector<std::vector<Scale>> &scales, const ClassNames &classes);

/// The same, read again by the runtime, as programs read it.
struct Preprocessing {
  std::string path; ///< empty: there is none
  std::shared_ptr<const dlc_preprocessing> file;
  std::vector<std::string> words; ///< of the classes
  std::string loss;               ///< of classes or of yes and no; "": another one
};

/// The preprocessing in the file that the options name, or in the one beside the weights; none where there is
/// no such file. Failure where it is damaged.
Preprocessing readPreprocessing(const TrainOptions &options);

/// The options for data in tables: the columns, and with `withTargets` the targets, are those of the training
/// where none are given.
TrainOptions withColumns(TrainOptions options, const Preprocessing &preprocessing, bool withTargets);

/// The words as classes; null where there are none.
ClassNames classesOf(const Preprocessing &preprocessing);

/// Has the values of inputs changed as in training. Failure where the model has no such inputs.
void applyScales(const Preprocessing &preprocessing, const dlc_model &model, DataSet &data);

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_PREPROCESSING_H
