//===- Sources.h - where the samples come from -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_SOURCES_H
#define DLC_TOOLS_DLC_TRAIN_SOURCES_H

#include "tools/dlc/train/Rows.h"
#include "tools/dlc/train/Train.h"
#include <optional>
#include <vector>

namespace dlc::tool::training {

/// An input or target of the model for which values are looked for.
struct Wanted {
  const dlc_input &input;
  bool isOnly;    ///< the model has no other one of its kind: values need not have its name
  bool hasTarget; ///< the model has targets
  /// The columns that another table had for it, which this one then has by the same names; empty: none had any.
  std::vector<std::string> names = {};
};

/// Whether a file with one tensor is for this one: for the input or target that it was given the name of, or
/// without a name for the only input.
inline bool isFor(const std::string &name, const Wanted &wanted) {
  return name.empty() ? wanted.isOnly && !wanted.input.is_target : name == wanted.input.name;
}
/// What such a file has, for messages.
inline std::string oneTensor(const std::string &name, const std::string &path) {
  return (name.empty() ? "a tensor without a name" : name) + " (" + path + ")";
}

/// A file or folder with tensors, found but not read.
class Source {
public:
  virtual ~Source() = default;
  /// For messages: "images, labels".
  virtual std::string contents() const = 0;
  /// Where the values of an input are, such as a file's path; nothing where it has none for it.
  virtual std::optional<std::string> place(const Wanted &wanted) const = 0;
  virtual Array read(const Wanted &wanted) = 0;
  /// The columns of a table that read() takes; empty for others.
  virtual std::vector<std::string> columnNames(const Wanted &) const { return {}; }
  /// All files that it reads; or a folder, where it has a digest of all that is in it.
  virtual std::vector<std::string> files() const = 0;
  virtual std::string digest() const { return ""; }
  /// What samples are called; empty where they have no names.
  virtual std::vector<std::string> sampleNames() const { return {}; }
  /// What a training says in a line of its own about how values are made; "": nothing.
  virtual std::string remark(const Wanted &) const { return ""; }
  /// What read() gives, sample by sample; null where a file can only be read as a whole.
  virtual std::unique_ptr<Rows> open(const Wanted &) { return nullptr; }
};

/// Words of tables that are classes, the same for training and validation; null where there are none.
using ClassNames = std::shared_ptr<dlc_classes>;

/// What --data or --valid names.
struct Sources {
  std::vector<std::unique_ptr<Source>> training, validation;
  double validPart = 0; ///< of the training data, where --valid is a number
  std::shared_ptr<ClassNames> classes = std::make_shared<ClassNames>();
};

/// Failure where --pad names what is no input or target of the model.
void requirePadded(const TrainOptions &options, const dlc_model &model);

/// Failure where the file that `option` has written is one that is read: data, or the weights.
void requireUnread(const char *option, const std::string &path, const TrainOptions &options,
                   const Sources &sources);

/// Finds all that the options name. A folder may have both parts. Failure if something is not there.
Sources findSources(const TrainOptions &options);

// The kinds of sources; each takes what it can open, and is null for other paths.
std::unique_ptr<Source> openTable(const std::string &path, const TrainOptions &options,
                                  std::shared_ptr<ClassNames> classes);
/// An NPY file, which has one tensor: for the input or target `name`, or where this is empty for the only
/// input.
std::unique_ptr<Source> openNpyFile(const std::string &path, const std::string &name);
/// An NPZ file. Where `input` and `array` are empty, it has arrays for the inputs and targets of their names;
/// else `array`, or the only array that there is, is for `input`, or for the only one.
std::unique_ptr<Source> openNpzFile(const std::string &path, const std::string &input,
                                    const std::string &array);
std::unique_ptr<Source> openTensorFile(const std::string &path);
/// Windows of a file of tokens, each with the tokens that follow.
std::unique_ptr<Source> openTokenFile(const std::string &path, int32_t tokenBytes);
/// The files of CIFAR-10 or CIFAR-100 in a folder.
std::unique_ptr<Source> openCifarFolder(const std::string &folder, bool isTraining);
std::unique_ptr<Source> openIdxFile(const std::string &path, const std::string &name);
/// Tar files of samples, as WebDataset has them; `place` is for messages. Shorter arrays are filled up as
/// --pad says.
std::unique_ptr<Source> openShards(const std::string &place, std::vector<std::string> paths,
                                   const TrainOptions &options, std::shared_ptr<ClassNames> classes);
/// The files that "shard-{000..009}.tar" names; empty for other texts.
std::vector<std::string> expandShards(const std::string &pattern);
/// The tar files in a folder, in the order of their names.
std::vector<std::string> shardsInFolder(const std::string &folder);
/// A folder of images, in subfolders that are classes; or its subfolder "train", and as data to test with
/// "val", "valid", "validation" or "test", where it has a folder "train" with subfolders. Null where there
/// are no data to test with. Failure where it is no such folder.
std::unique_ptr<Source> openImageFolder(const std::string &folder, bool isTraining,
                                        std::shared_ptr<ClassNames> classes);
/// The files of MNIST and its relatives in a folder: "train" or "t10k".
std::unique_ptr<Source> openIdxFolder(const std::string &folder, const std::string &part);

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_SOURCES_H
