//===- ImageSource.cpp - folders of images ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder with a subfolder of PNG and JPEG for each class. Images become as large as the model takes them.
//===----------------------------------------------------------------------===//
#include "tools/dlc/Digest.h"
#include "tools/dlc/train/ImageForm.h"
#include "tools/dlc/train/Names.h"
#include "tools/dlc/train/Sources.h"
#include <filesystem>

namespace dlc::tool::training {

namespace {

namespace fs = std::filesystem;
using Folder = std::shared_ptr<dlc_image_folder>;

/// Decodes each image when it is asked for.
class ImageRows : public Rows {
public:
  ImageRows(Folder folder, const dlc_image_form &form) : folder(std::move(folder)), form(form) {}
  int64_t count() const override { return dlc_image_folder_count(folder.get()); }
  dlc_field field() const override { return fieldOf(form); }
  void read(int64_t row, void *to) const override {
    char error[512];
    if (dlc_image_folder_read(folder.get(), row, &form, to, error, sizeof error) != DLC_OK)
      throw Failure(error);
  }

private:
  Folder folder;
  dlc_image_form form;
};

class ImageFolder : public Source {
public:
  ImageFolder(const std::string &path, std::shared_ptr<ClassNames> classes)
      : path(path), classes(std::move(classes)) {
    char error[512];
    dlc_image_folder *opened = nullptr;
    if (dlc_image_folder_open(path.c_str(), nullptr, &opened, error, sizeof error) != DLC_OK)
      throw Failure(error);
    folder.reset(opened, dlc_image_folder_close);
  }
  std::string contents() const override {
    return std::string(own() ? "images, labels" : "images without subfolders, which would be their classes") +
           " (" + path + ")";
  }
  std::optional<std::string> place(const Wanted &wanted) const override {
    const char *name = wanted.input.is_target ? "labels" : "images";
    const bool fits =
        (wanted.isOnly || name == std::string(wanted.input.name)) && (own() || !wanted.input.is_target);
    return fits ? std::optional(path) : std::nullopt;
  }
  std::unique_ptr<Rows> open(const Wanted &wanted) override {
    if (wanted.input.is_target)
      return nullptr;
    return std::make_unique<ImageRows>(folder, formOf(wanted.input, path));
  }
  Array read(const Wanted &wanted) override {
    return wanted.input.is_target ? labels() : readAll(*open(wanted), path);
  }
  std::vector<std::string> files() const override { return {path}; }
  std::string digest() const override;
  std::vector<std::string> sampleNames() const override {
    std::vector<std::string> names;
    for (int64_t i = 0; i < dlc_image_folder_count(folder.get()); ++i)
      names.push_back(fs::path(dlc_image_folder_path(folder.get(), i)).lexically_relative(path).string());
    return names;
  }
  std::string remark(const Wanted &wanted) const override {
    if (wanted.input.is_target)
      return "";
    return path + ": " + describeForm(formOf(wanted.input, path), dlc_image_folder_count(folder.get()));
  }

private:
  const dlc_classes *own() const { return dlc_image_folder_classes(folder.get()); }

  /// The folder that is read first says which classes there are.
  Array labels() {
    char error[512];
    if (!*classes) {
      std::vector<const char *> words;
      for (int64_t i = 0; i < dlc_classes_count(own()); ++i)
        words.push_back(dlc_classes_name(own(), i));
      dlc_classes *made = nullptr;
      if (dlc_classes_create(words.data(), int64_t(words.size()), &made, error, sizeof error) != DLC_OK)
        throw Failure(error);
      classes->reset(made, dlc_classes_free);
    }
    std::vector<int64_t> numbers;
    for (int64_t i = 0; i < dlc_classes_count(own()); ++i) {
      const char *word = dlc_classes_name(own(), i);
      numbers.push_back(dlc_classes_find(classes->get(), word));
      if (numbers.back() < 0)
        throw Failure(path + ": its subfolder '" + shortName(word) + "' is none of the classes: " +
                      shortList(dlc_classes_count(classes->get()),
                                [&](int64_t c) { return dlc_classes_name(classes->get(), c); }));
    }
    Array array = newArray(DLC_I64, {dlc_image_folder_count(folder.get())}, path);
    for (int64_t i = 0; i < array.samples(); ++i)
      static_cast<int64_t *>(array->data)[i] = numbers[size_t(dlc_image_folder_label(folder.get(), i))];
    return array;
  }

  std::string path;
  std::shared_ptr<ClassNames> classes;
  Folder folder;
};

/// The digest of all names and sizes, and of the content of all files up to a gibibyte together, else of
/// 1,024 to 2,047 files that are spread over them, as every n-th is read.
std::string ImageFolder::digest() const {
  Digest digest;
  const std::vector<std::string> names = sampleNames();
  std::vector<long long> sizes;
  long long total = 0;
  for (const std::string &name : names) {
    std::error_code error;
    sizes.push_back((long long)fs::file_size(fs::path(path) / name, error));
    total += sizes.back();
    digest.add(name);
    digest.add(std::to_string(sizes.back()));
  }
  constexpr size_t most = 1024;
  const size_t step = total <= digestedWhole || names.size() <= most ? 1 : names.size() / most;
  for (size_t i = 0; i < names.size(); i += step)
    digest.add(digestOfFile((fs::path(path) / names[i]).string()));
  return digest.text();
}

bool hasFolders(const fs::path &path) {
  std::error_code error;
  for (const fs::directory_entry &entry : fs::directory_iterator(path, error))
    if (entry.is_directory(error) && entry.path().filename().string()[0] != '.')
      return true;
  return false;
}

} // namespace

std::unique_ptr<Source> openImageFolder(const std::string &folder, bool isTraining,
                                        std::shared_ptr<ClassNames> classes) {
  std::error_code error;
  const fs::path path(folder);
  if (!hasFolders(path / "train"))
    return isTraining ? std::make_unique<ImageFolder>(folder, std::move(classes)) : nullptr;
  if (isTraining)
    return std::make_unique<ImageFolder>((path / "train").string(), std::move(classes));
  for (const char *name : {"val", "valid", "validation", "test"})
    if (hasFolders(path / name))
      return std::make_unique<ImageFolder>((path / name).string(), std::move(classes));
  return nullptr;
}

} // namespace dlc::tool::training
