//===- FileSources.cpp - arrays of NumPy, safetensors, CIFAR ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Names.h"
#include "tools/dlc/train/Sources.h"
#include <filesystem>

namespace dlc::tool::training {

namespace {

class NpyFile : public Source {
public:
  NpyFile(std::string path, std::string name) : path(std::move(path)), name(std::move(name)) {}
  std::string contents() const override { return oneTensor(name, path); }
  std::optional<std::string> place(const Wanted &wanted) const override {
    return isFor(name, wanted) ? std::optional(path) : std::nullopt;
  }
  Array read(const Wanted &wanted) override {
    char error[512];
    Array array;
    if (wanted.input.dtype == DLC_U8 &&
        dlc_read_bytes(path.c_str(), array.get(), error, sizeof error) == DLC_OK)
      return array;
    if (dlc_read_npy(path.c_str(), nullptr, array.get(), error, sizeof error) != DLC_OK)
      throw Failure(error);
    return array;
  }
  std::unique_ptr<Rows> open(const Wanted &wanted) override { return openRows(path, wanted.input, nullptr); }
  std::vector<std::string> files() const override { return {path}; }

private:
  std::string path, name;
};

class TensorFile : public Source {
public:
  explicit TensorFile(const std::string &path) : path(path) {
    char error[512];
    dlc_tensors *opened = nullptr;
    if (dlc_tensors_open(path.c_str(), &opened, error, sizeof error) != DLC_OK)
      throw Failure(error);
    tensors.reset(opened);
  }
  std::string contents() const override {
    return shortList(dlc_tensors_count(tensors.get()),
                     [&](int64_t i) { return dlc_tensors_name(tensors.get(), i); }) +
           " (" + path + ")";
  }
  std::optional<std::string> place(const Wanted &wanted) const override {
    for (int64_t i = 0; i < dlc_tensors_count(tensors.get()); ++i)
      if (dlc_tensors_name(tensors.get(), i) == std::string(wanted.input.name))
        return path;
    return std::nullopt;
  }
  Array read(const Wanted &wanted) override {
    char error[512];
    Array array;
    if (dlc_tensors_read(tensors.get(), wanted.input.name, array.get(), error, sizeof error) != DLC_OK)
      throw Failure(error);
    return array;
  }
  std::vector<std::string> files() const override { return {path}; }

private:
  std::string path;
  std::unique_ptr<dlc_tensors, decltype(&dlc_tensors_close)> tensors{nullptr, dlc_tensors_close};
};

/// Arrays of an archive by the names of inputs and targets; or one of them, for one input.
class NpzFile : public Source {
public:
  NpzFile(const std::string &path, std::string input, std::string array)
      : path(path), input(std::move(input)), array(std::move(array)) {
    char error[512];
    dlc_npz *opened = nullptr;
    if (dlc_npz_open(path.c_str(), &opened, error, sizeof error) != DLC_OK)
      throw Failure(error);
    npz.reset(opened);
    if (!this->array.empty() && !has(this->array))
      throw Failure(path + ": there is no array '" + this->array + "', but " + names());
    if (!this->input.empty() && this->array.empty())
      this->array = onlyArray();
  }
  std::string contents() const override {
    return array.empty() ? names() + " (" + path + ")" : oneTensor(input, path + ":" + array);
  }
  std::optional<std::string> place(const Wanted &wanted) const override {
    const bool isHere = array.empty() ? has(wanted.input.name) : isFor(input, wanted);
    return isHere ? std::optional(path + ": array '" + arrayFor(wanted) + "'") : std::nullopt;
  }
  Array read(const Wanted &wanted) override {
    char error[512];
    Array values;
    if (dlc_npz_read(npz.get(), arrayFor(wanted).c_str(), nullptr, values.get(), error, sizeof error) !=
        DLC_OK)
      throw Failure(error);
    return values;
  }
  std::vector<std::string> files() const override { return {path}; }

private:
  std::string arrayFor(const Wanted &wanted) const { return array.empty() ? wanted.input.name : array; }
  std::string names() const {
    return shortList(dlc_npz_count(npz.get()), [&](int64_t i) { return dlc_npz_name(npz.get(), i); });
  }
  bool has(const std::string &name) const {
    for (int64_t i = 0; i < dlc_npz_count(npz.get()); ++i)
      if (dlc_npz_name(npz.get(), i) == name)
        return true;
    return false;
  }
  std::string onlyArray() const {
    if (dlc_npz_count(npz.get()) != 1)
      throw Failure(path + ": has the arrays " + names() + ": say which one is for '" + input +
                    "', as in --data=" + input + "=" + path + ":" + dlc_npz_name(npz.get(), 0));
    return dlc_npz_name(npz.get(), 0);
  }

  std::string path, input, array;
  std::unique_ptr<dlc_npz, decltype(&dlc_npz_close)> npz{nullptr, dlc_npz_close};
};

/// Images and labels come from the same files, which are read once.
class CifarFolder : public Source {
public:
  CifarFolder(std::vector<std::string> paths, int32_t classes) : paths(std::move(paths)), classes(classes) {}
  std::string contents() const override { return "images, labels (" + paths[0] + " ...)"; }
  std::optional<std::string> place(const Wanted &wanted) const override {
    const char *own = wanted.input.is_target ? "labels" : "images";
    if (!wanted.isOnly && own != std::string(wanted.input.name))
      return std::nullopt;
    return paths[0];
  }
  Array read(const Wanted &wanted) override {
    if (images.samples() == 0 && labels.samples() == 0)
      readFiles();
    return std::move(wanted.input.is_target ? labels : images);
  }
  std::vector<std::string> files() const override { return paths; }

private:
  void readFiles() {
    std::vector<const char *> names;
    for (const std::string &path : paths)
      names.push_back(path.c_str());
    char error[512];
    if (dlc_read_cifar(names.data(), int32_t(names.size()), classes, 0, nullptr, images.get(), labels.get(),
                       error, sizeof error) != DLC_OK)
      throw Failure(error);
    requireEqualSizes();
  }

  /// The files of a data set hold the same number of images: one that was cut off between two of them reads
  /// well, and would make a short epoch.
  void requireEqualSizes() const {
    std::error_code error;
    const uintmax_t expected = std::filesystem::file_size(paths[0], error);
    for (const std::string &path : paths)
      if (const uintmax_t bytes = std::filesystem::file_size(path, error); !error && bytes != expected)
        throw Failure(path + ": " + std::to_string(bytes) + " bytes, expected the " +
                      std::to_string(expected) + " bytes of " + paths[0] +
                      ": the files of one data set are equally large, so one of them is not whole");
  }

  std::vector<std::string> paths;
  int32_t classes;
  Array images, labels;
};

} // namespace

std::unique_ptr<Source> openNpyFile(const std::string &path, const std::string &name) {
  return std::make_unique<NpyFile>(path, name);
}

std::unique_ptr<Source> openNpzFile(const std::string &path, const std::string &input,
                                    const std::string &array) {
  return std::make_unique<NpzFile>(path, input, array);
}

std::unique_ptr<Source> openTensorFile(const std::string &path) { return std::make_unique<TensorFile>(path); }

std::unique_ptr<Source> openCifarFolder(const std::string &folder, bool isTraining) {
  namespace fs = std::filesystem;
  const std::vector<std::string> ten =
      isTraining ? std::vector<std::string>{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                            "data_batch_4.bin", "data_batch_5.bin"}
                 : std::vector<std::string>{"test_batch.bin"};
  const std::vector<std::string> hundred = {isTraining ? "train.bin" : "test.bin"};
  std::error_code error;
  for (const auto &[names, classes] : {std::pair(ten, 10), std::pair(hundred, 100)}) {
    std::vector<std::string> paths;
    for (const std::string &name : names)
      if (const fs::path path = fs::path(folder) / name; fs::exists(path, error))
        paths.push_back(path.string());
    if (paths.size() == names.size())
      return std::make_unique<CifarFolder>(std::move(paths), classes);
    for (const std::string &name : names)
      if (!paths.empty() && !fs::exists(fs::path(folder) / name, error))
        throw Failure(folder + ": has no " + name + ", but " + std::to_string(paths.size()) + " of the " +
                      std::to_string(names.size()) + " files " + names.front() + " to " + names.back());
  }
  return nullptr;
}

} // namespace dlc::tool::training
