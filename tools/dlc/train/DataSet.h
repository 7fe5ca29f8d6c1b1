//===- DataSet.h - samples in the order of the model's inputs --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_DATASET_H
#define DLC_TOOLS_DLC_TRAIN_DATASET_H

#include "tools/dlc/train/Sources.h"

namespace dlc::tool::training {

/// An array for each input and target of the model, all with as many samples, or a part of these samples.
struct DataSet {
  std::shared_ptr<std::vector<Array>> arrays; ///< null: there are no samples
  std::vector<int64_t> part;                  ///< the samples that count; empty: all

  int64_t samples() const {
    return !arrays ? 0 : part.empty() ? arrays->front().samples() : static_cast<int64_t>(part.size());
  }
  /// The number of a sample in the arrays.
  int64_t place(int64_t sample) const { return part.empty() ? sample : part[static_cast<size_t>(sample)]; }
};

/// Reads what the model takes. `what` is for messages: "--data". Empty where there are no sources.
DataSet readDataSet(const dlc_model &model, const std::vector<std::unique_ptr<Source>> &sources,
                    const std::string &what);

/// Takes a part of the samples, drawn with the seed, out of a data set.
DataSet splitOff(DataSet &data, double fraction, uint64_t seed);

/// Gives the values of each input of floats the mean 0 and the deviation 1 in the training set: of images
/// each channel, of rows of numbers each column. The validation set changes alike.
void normalize(const dlc_model &model, DataSet &training, DataSet &validation);

/// The rows of a full batch. Failure where the model cannot be given batches.
int64_t batchRows(const dlc_model &model);

/// Batches of a data set, gathered in the background.
class Batches {
public:
  Batches(const DataSet &data, int64_t rows, bool dropLast, bool shuffle, uint64_t seed);
  Batches(const Batches &) = delete;
  Batches &operator=(const Batches &) = delete;
  ~Batches() { dlc_loader_destroy(loader); }

  int64_t count() const { return dlc_loader_batches(loader); }
  void start(int64_t epoch, int64_t batch = 0);
  /// The rows of the next batch, 0 after the last one.
  int64_t next();
  /// An array for each input.
  const void *const *arrays() const { return pointers.data(); }

private:
  dlc_loader *loader = nullptr;
  std::vector<const void *> pointers;
};

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_DATASET_H
