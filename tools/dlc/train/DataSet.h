//===- DataSet.h - samples in the order of the model's inputs --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_DATASET_H
#define DLC_TOOLS_DLC_TRAIN_DATASET_H

#include "tools/dlc/train/Memory.h"
#include "tools/dlc/train/Sources.h"

namespace dlc::tool::training {

/// How numbers are changed to be of mean 0 and deviation 1.
struct Scale {
  double mean = 0, deviation = 1;
  float of(float value) const { return float((value - mean) / deviation); }
};

/// The samples of one input or target: in memory, or in their file.
struct Column {
  const dlc_input *input;
  std::string place; ///< the file, for messages
  Array array;
  std::shared_ptr<const Rows> rows;     ///< null: they are in the array
  std::vector<std::string> names;       ///< of the columns of the table that they are of; empty: of no table
  std::string remark;                   ///< what a training says about how they are made; "": nothing
  std::vector<std::string> sampleNames; ///< such as files; empty: they have none
  bool isOfLabels = false;              ///< rows of 0 and 1 that were made of numbers of classes
  std::vector<Scale> scales; ///< that the values of a sample still get, each for as many; empty: none

  int64_t samples() const { return rows ? rows->count() : array.samples(); }
};

/// How images change at random while batches are made of them.
struct Augmentation {
  std::string changes;        ///< as dlc_changes_create takes them
  bool mixes = false;         ///< images of a batch with each other, and their targets
  int32_t input = -1;         ///< that has the images
  std::vector<float> black;   ///< for each channel; empty: 0 ...
  std::vector<float> white;   ///< ... and 1
  std::vector<int32_t> mixed; ///< the targets
};

/// A column for each input and target of the model, all with as many samples, or a part of these samples.
struct DataSet {
  std::shared_ptr<std::vector<Column>> columns; ///< null: there are no samples
  std::vector<int64_t> part;                    ///< the samples that count; empty: all
  std::optional<Augmentation> augmentation;     ///< empty: images stay as they are

  int64_t samples() const {
    return !columns ? 0 : part.empty() ? columns->front().samples() : static_cast<int64_t>(part.size());
  }
  /// The number of a sample in the columns.
  int64_t place(int64_t sample) const { return part.empty() ? sample : part[static_cast<size_t>(sample)]; }
};

/// Reads what the model takes, its targets too or not. `what` is for messages: "--data". Empty where there
/// are no sources. Files that can be read sample by sample, and whose samples `memory` does not hold, are
/// only opened. Columns of tables are those that the data set `like` has, by their names, wherever they stand.
DataSet readDataSet(const dlc_model &model, const std::vector<std::unique_ptr<Source>> &sources,
                    const std::string &what, SampleMemory &memory, bool withTargets = true,
                    const DataSet *like = nullptr);

/// Failure where the loss is binary cross entropy and a target is no probability: it would have no lowest value.
void requireProbabilities(const DataSet &data, const ModelInMemory &compiled);

/// The values of a sample, as the model takes them.
void readSample(const Column &column, int64_t sample, void *to);

class Batches;
/// "labels.idx: all 64 labels of the batch are -100, which input 'labels' ignores: ..." where it is so of the
/// batch that was made last; else "".
std::string findIgnored(const DataSet &data, const Batches &batches);

/// "x.npy: sample 3, column 2 of 8 is nan" of the first number that is not finite; "" where all are.
std::string findNotFinite(const DataSet &data);

/// Takes a part of the samples, drawn with the seed, out of a data set.
DataSet splitOff(DataSet &data, double fraction, uint64_t seed);

/// How many values of a sample have a mean in common, and how many such groups there are: the columns of rows
/// of numbers, the channels of images, or all of a sample.
struct ScaleGroups {
  int64_t count, length;
};
ScaleGroups scaleGroups(const dlc_input &input);

/// Gives the values of each input of floats the mean 0 and the deviation 1 in the training set: of images
/// each channel, of rows of numbers each column. The validation set changes alike. How it was changed, for
/// each input and channel or column.
std::vector<std::vector<Scale>> normalize(const dlc_model &model, DataSet &training, DataSet &validation);

/// "'image' (3x32x32, float32)", for messages.
std::string describe(const dlc_input &input);

/// The rows of a full batch. Failure where the model cannot be given batches.
int64_t batchRows(const dlc_model &model);

/// Batches of a data set, gathered in the background.
class Batches {
public:
  /// With ranks, `rows` are those of all, and this one has its part.
  Batches(const DataSet &data, int64_t rows, bool dropLast, bool shuffle, uint64_t seed,
          ThisRank thisRank = {});
  Batches(const Batches &) = delete;
  Batches &operator=(const Batches &) = delete;
  ~Batches() { dlc_loader_destroy(loader); }

  int64_t count() const { return dlc_loader_batches(loader); }
  void start(int64_t epoch, int64_t batch = 0);
  /// The rows of the next batch, 0 after the last one, and for a rank that has none of the batch.
  int64_t next();
  bool haveEnded() const { return !pointers.front(); }
  /// An array for each input.
  const void *const *arrays() const { return pointers.data(); }
  /// The rows of the batch that they have.
  int64_t rows() const { return rowsNow; }

private:
  dlc_status create(const DataSet &data, const dlc_loader_options &options);

  std::shared_ptr<const std::vector<Column>> columns;
  dlc_loader *loader = nullptr;
  std::vector<const void *> pointers;
  int64_t rowsNow = 0;
};

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_DATASET_H
