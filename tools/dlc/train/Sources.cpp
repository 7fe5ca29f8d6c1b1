//===- Sources.cpp - where the samples come from ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --data and --valid name: "FOLDER", "FILE", "NAME=FILE" or "NAME=FILE.npz:ARRAY", whose NAME= a model
// with one input needs for its target only. The ending of a
// file's name says what it is.
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Sources.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace dlc::tool::training {

namespace {

namespace fs = std::filesystem;

bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// "NAME=FILE" has a name, unless a file of the whole text is there.
std::pair<std::string, std::string> nameAndPath(const std::string &text) {
  const size_t equals = text.find('=');
  std::error_code error;
  if (equals == std::string::npos || fs::exists(text, error))
    return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// "FILE.npz:ARRAY" is an array of that file.
std::pair<std::string, std::string> fileAndArray(const std::string &text) {
  constexpr const char *ending = ".npz:";
  const size_t at = text.rfind(ending);
  std::error_code error;
  if (at == std::string::npos || fs::exists(text, error))
    return {text, ""};
  return {text.substr(0, at + 4), text.substr(at + 5)};
}

std::unique_ptr<Source> openFile(const std::string &name, const std::string &path, const std::string &array,
                                 const TrainOptions &options, const std::shared_ptr<ClassNames> &classes) {
  if (endsWith(path, ".csv")) {
    if (!name.empty())
      throw Failure(path + ": a table has names of its own: leave out '" + name +
                    "=', and give the columns of an input with --columns=" + name + "=COLUMN,...");
    return openTable(path, options, classes);
  }
  if (endsWith(path, ".safetensors") || endsWith(path, ".tokens")) {
    if (!name.empty())
      throw Failure(path + ": leave out '" + name + "=': the file has values for inputs and targets");
    return endsWith(path, ".tokens") ? openTokenFile(path, options.tokenBytes) : openTensorFile(path);
  }
  if (endsWith(path, ".npy"))
    return openNpyFile(path, name);
  if (endsWith(path, ".tar") && name.empty())
    return openShards(path, {path}, options, classes);
  if (endsWith(path, ".npz"))
    return openNpzFile(path, name, array);
  const std::string stem = endsWith(path, ".gz") ? path.substr(0, path.size() - 3) : path;
  if (endsWith(stem, "-ubyte") || endsWith(stem, ".idx"))
    return openIdxFile(path, name);
  throw Failure(
      path +
      ": not known as data: expected a folder, a table (.csv), .safetensors, .npy, .npz, .tar, .tokens "
      "or an IDX file (.idx, -ubyte, also .gz)");
}

/// Whether there is an image in the folder or up to three folders below it.
bool hasImages(const std::string &path) {
  std::error_code error;
  auto entries =
      fs::recursive_directory_iterator(path, fs::directory_options::follow_directory_symlink, error);
  for (constexpr int deepest = 3; !error && entries != fs::recursive_directory_iterator();
       entries.increment(error)) {
    if (entries.depth() >= deepest)
      entries.disable_recursion_pending();
    std::string ending = entries->path().extension().string();
    for (char &c : ending)
      c = char(std::tolower(static_cast<unsigned char>(c)));
    for (const char *known : {".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff", ".ppm"})
      if (ending == known)
        return true;
  }
  return false;
}

void addFolder(const std::string &path, const TrainOptions &options,
               const std::shared_ptr<ClassNames> &classes, std::vector<std::unique_ptr<Source>> &sources,
               std::vector<std::unique_ptr<Source>> *validation) {
  std::unique_ptr<Source> training = openIdxFolder(path, "train"), test = openIdxFolder(path, "t10k");
  if (!training) {
    training = openCifarFolder(path, /*isTraining=*/true);
    test = openCifarFolder(path, /*isTraining=*/false);
  }
  if (!training)
    if (std::vector<std::string> shards = shardsInFolder(path); !shards.empty())
      training = openShards(path, std::move(shards), options, classes);
  if (!training && hasImages(path)) {
    training = openImageFolder(path, /*isTraining=*/true, classes);
    test = openImageFolder(path, /*isTraining=*/false, classes);
  }
  if (!training)
    throw Failure(path +
                  ": the folder has no train-images-idx3-ubyte and train-labels-idx1-ubyte (or .gz of "
                  "them), the names that MNIST and Fashion-MNIST have, and no data_batch_1.bin to "
                  "data_batch_5.bin or train.bin, those of CIFAR, and no images (.png, .jpg, .jpeg) in "
                  "subfolders for each class; give the files one by one, as in "
                  "--data=NAME=FILE");
  sources.push_back(std::move(training));
  if (test && validation)
    validation->push_back(std::move(test));
}

void addAll(const std::vector<std::string> &texts, const TrainOptions &options, Sources &found,
            std::vector<std::unique_ptr<Source>> &sources, std::vector<std::unique_ptr<Source>> *validation) {
  for (const std::string &text : texts) {
    const auto [name, place] = nameAndPath(text);
    const auto [path, array] = fileAndArray(place);
    if (std::vector<std::string> shards = expandShards(path); name.empty() && !shards.empty()) {
      sources.push_back(openShards(path, std::move(shards), options, found.classes));
      continue;
    }
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status))
      throw Failure(path + ": no such file or folder");
    if (!fs::is_directory(status))
      sources.push_back(openFile(name, path, array, options, found.classes));
    else if (name.empty())
      addFolder(path, options, found.classes, sources, validation);
    else
      throw Failure(path + ": is a folder, expected the file of input '" + name + "'");
  }
}

/// A number above 0 and below 1, such as 0.1; 0 for other texts.
double fractionIn(const std::string &text) {
  char *end;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && !*end && value > 0 && value < 1 ? value : 0;
}

} // namespace

/// What only tables have is an error where there are none, as other options without an effect are.
static void requireTable(const TrainOptions &options) {
  const auto isTable = [](const std::string &text) { return endsWith(text, ".csv"); };
  if (std::any_of(options.data.begin(), options.data.end(), isTable))
    return;
  for (const auto &[flag, values] :
       {std::pair("--target", &options.targets), std::pair("--columns", &options.columns)})
    if (!values->empty())
      throw Failure(std::string(flag) +
                    " has no effect: it names columns of a table (.csv), and --data has none");
}

void requireUnread(const char *option, const std::string &path, const TrainOptions &options,
                   const Sources &sources) {
  std::vector<std::string> read = {options.weights};
  for (const auto *part : {&sources.training, &sources.validation})
    for (const std::unique_ptr<Source> &source : *part)
      for (const std::string &file : source->files())
        read.push_back(file);
  std::error_code error;
  for (const std::string &file : read)
    if (!path.empty() && !file.empty() && fs::equivalent(path, file, error))
      throw Failure(std::string(option) + ": '" + path +
                    "' is read, and writing it would lose it: give another name");
}

void requirePadded(const TrainOptions &options, const dlc_model &model) {
  for (const std::string &text : options.pads) {
    const std::string name = text.substr(0, text.find('='));
    const bool isThere = std::any_of(model.inputs, model.inputs + model.input_count,
                                     [&](const dlc_input &input) { return name == input.name; });
    if (!isThere)
      throw Failure("--pad: the model has no input or target '" + name + "'");
  }
}

/// "1.5", "0": a number, but no part of the training data.
static void refuseOtherNumbers(const std::string &text) {
  char *end;
  std::error_code error;
  std::strtod(text.c_str(), &end);
  if (end != text.c_str() && !*end && !fs::exists(text, error))
    throw Failure("--valid: expected data, or a part of the training data above 0 and below 1, got '" + text +
                  "'");
}

Sources findSources(const TrainOptions &options) {
  Sources found;
  requireTable(options);
  addAll(options.data, options, found, found.training, options.valid.empty() ? &found.validation : nullptr);
  if (options.valid.size() == 1)
    found.validPart = fractionIn(options.valid[0]);
  if (found.validPart == 0) {
    for (const std::string &text : options.valid)
      refuseOtherNumbers(text);
    addAll(options.valid, options, found, found.validation, nullptr);
  }
  return found;
}

} // namespace dlc::tool::training
