//===- IdxSource.cpp - IDX files as data -----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Sources.h"
#include <filesystem>
#include <fstream>

namespace dlc::tool::training {

namespace {

/// Bytes for an input of floats are pixels, which become numbers from 0 to 1; all others stay as they are.
const dlc_scaling *scalingFor(const dlc_input &input) {
  static const dlc_scaling pixels = {1 / 255.0, 0, 1};
  return input.rank > 1 && !input.is_target && input.dtype == DLC_F32 ? &pixels : nullptr;
}

Array readIdx(const std::string &path, const dlc_input &input) {
  char error[512];
  Array array;
  if (input.dtype == DLC_U8 && dlc_read_bytes(path.c_str(), array.get(), error, sizeof error) == DLC_OK)
    return array;
  if (dlc_read_idx(path.c_str(), scalingFor(input), array.get(), error, sizeof error) != DLC_OK)
    throw Failure(error);
  return array;
}

std::unique_ptr<Rows> openIdxRows(const std::string &path, const dlc_input &input) {
  std::ifstream file(path, std::ios::binary);
  const bool isCompressed = file.get() == 0x1f && file.get() == 0x8b; // gzip, whatever it is called
  return isCompressed ? nullptr : openRows(path, input, scalingFor(input));
}

class IdxFile : public Source {
public:
  IdxFile(std::string path, std::string name) : path(std::move(path)), name(std::move(name)) {}
  std::string contents() const override { return oneTensor(name, path); }
  std::optional<std::string> place(const Wanted &wanted) const override {
    return isFor(name, wanted) ? std::optional(path) : std::nullopt;
  }
  Array read(const Wanted &wanted) override { return readIdx(path, wanted.input); }
  std::unique_ptr<Rows> open(const Wanted &wanted) override { return openIdxRows(path, wanted.input); }
  std::vector<std::string> files() const override { return {path}; }

private:
  std::string path, name;
};

class IdxFolder : public Source {
public:
  IdxFolder(std::string images, std::string labels) : images(std::move(images)), labels(std::move(labels)) {}
  std::string contents() const override { return "images (" + images + "), labels (" + labels + ")"; }
  std::optional<std::string> place(const Wanted &wanted) const override {
    const std::string own = wanted.input.is_target ? "labels" : "images";
    if (!wanted.isOnly && own != wanted.input.name)
      return std::nullopt;
    return wanted.input.is_target ? labels : images;
  }
  Array read(const Wanted &wanted) override { return readIdx(*place(wanted), wanted.input); }
  std::unique_ptr<Rows> open(const Wanted &wanted) override {
    return openIdxRows(*place(wanted), wanted.input);
  }
  std::vector<std::string> files() const override { return {images, labels}; }

private:
  std::string images, labels;
};

/// The file or its compressed form, "" where neither is there.
std::string findFile(const std::string &folder, const std::string &name) {
  std::error_code error;
  for (const char *ending : {"", ".gz"})
    if (const std::filesystem::path path = std::filesystem::path(folder) / (name + ending);
        std::filesystem::exists(path, error))
      return path.string();
  return "";
}

} // namespace

std::unique_ptr<Source> openIdxFile(const std::string &path, const std::string &name) {
  return std::make_unique<IdxFile>(path, name);
}

std::unique_ptr<Source> openIdxFolder(const std::string &folder, const std::string &part) {
  std::string images = findFile(folder, part + "-images-idx3-ubyte");
  std::string labels = findFile(folder, part + "-labels-idx1-ubyte");
  if (images.empty() || labels.empty())
    return nullptr;
  return std::make_unique<IdxFolder>(std::move(images), std::move(labels));
}

} // namespace dlc::tool::training
