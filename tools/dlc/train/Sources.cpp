//===- Sources.cpp - where the samples come from ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --data and --valid name: "FOLDER", "FILE" or "NAME=FILE". The ending of a file's name says what it is.
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Sources.h"
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

std::unique_ptr<Source> openFile(const std::string &name, const std::string &path,
                                 const TrainOptions &options, const std::shared_ptr<ClassNames> &classes) {
  if (endsWith(path, ".csv")) {
    if (!name.empty())
      throw Failure(path + ": a table has names of its own: leave out '" + name +
                    "=', and give the columns of an input with --columns=" + name + "=COLUMN,...");
    return openTable(path, options, classes);
  }
  const std::string stem = endsWith(path, ".gz") ? path.substr(0, path.size() - 3) : path;
  if (endsWith(stem, "-ubyte") || endsWith(stem, ".idx")) {
    if (name.empty())
      throw Failure(path +
                    ": an IDX file holds one tensor: say which input of the model it is for, as in "
                    "--data=NAME=" +
                    path);
    return openIdxFile(path, name);
  }
  throw Failure(path + ": not known as data: expected a folder, a table (.csv) or an IDX file (.idx, -ubyte, "
                       "also .gz)");
}

void addFolder(const std::string &path, std::vector<std::unique_ptr<Source>> &sources,
               std::vector<std::unique_ptr<Source>> *validation) {
  std::unique_ptr<Source> training = openIdxFolder(path, "train"), test = openIdxFolder(path, "t10k");
  if (!training)
    throw Failure(path +
                  ": the folder has no train-images-idx3-ubyte and train-labels-idx1-ubyte (or .gz of "
                  "them), the names that MNIST and Fashion-MNIST have; give the files one by one, as in "
                  "--data=NAME=FILE");
  sources.push_back(std::move(training));
  if (test && validation)
    validation->push_back(std::move(test));
}

void addAll(const std::vector<std::string> &texts, const TrainOptions &options, Sources &found,
            std::vector<std::unique_ptr<Source>> &sources, std::vector<std::unique_ptr<Source>> *validation) {
  for (const std::string &text : texts) {
    const auto [name, path] = nameAndPath(text);
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status))
      throw Failure(path + ": no such file or folder");
    if (!fs::is_directory(status))
      sources.push_back(openFile(name, path, options, found.classes));
    else if (name.empty())
      addFolder(path, sources, validation);
    else
      throw Failure(path + ": is a folder, expected the file of input '" + name + "'");
  }
}

} // namespace

Sources findSources(const TrainOptions &options) {
  Sources found;
  addAll(options.data, options, found, found.training, options.valid.empty() ? &found.validation : nullptr);
  addAll(options.valid, options, found, found.validation, nullptr);
  return found;
}

} // namespace dlc::tool::training
