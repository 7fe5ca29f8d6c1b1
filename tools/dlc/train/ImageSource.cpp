//===- ImageSource.cpp - folders of images ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder with a subfolder of PNG and JPEG for each class. Images become as large as the model takes them.
//===----------------------------------------------------------------------===//
#include "dlc/images.h"
#include "tools/dlc/Digest.h"
#include "tools/dlc/train/Names.h"
#include "tools/dlc/train/Sources.h"
#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>

namespace dlc::tool::training {

namespace {

namespace fs = std::filesystem;
using Folder = std::shared_ptr<dlc_image_folder>;

/// Failure where the input does not say how large images are.
dlc_image_form formOf(const dlc_input &input, const std::string &path) {
  const bool hasChannels = input.rank == 4;
  const dlc_image_form form = {hasChannels ? int32_t(input.shape[1]) : 1, 0,
                               input.rank >= 3 ? input.shape[input.rank - 2] : 0,
                               input.rank >= 3 ? input.shape[input.rank - 1] : 0};
  const bool isImage = (input.rank == 3 || hasChannels) && (form.channels == 1 || form.channels == 3) &&
                       input.dtype == DLC_F32;
  if (!isImage)
    throw Failure(path + ": has images, and input " + std::string("'") + input.name + "' (" +
                  rowText(input.rank, input.shape) + ", " + dtypeName(input.dtype) +
                  ") does not say of which size: expected float32 of 1 x height x width (grey), 3 x height x "
                  "width (red, green, blue) or height x width; a model of rows of numbers begins with a "
                  "reshape of such an input (Flatten)");
  return form;
}

/// Decodes each image when it is asked for.
class ImageRows : public Rows {
public:
  ImageRows(Folder folder, const dlc_image_form &form) : folder(std::move(folder)), form(form) {}
  int64_t count() const override { return dlc_image_folder_count(folder.get()); }
  dlc_field field() const override {
    dlc_field field = {};
    field.dtype = DLC_F32;
    field.rank = 3;
    field.shape[0] = form.channels;
    field.shape[1] = form.height;
    field.shape[2] = form.width;
    return field;
  }
  void read(int64_t row, void *to) const override {
    char error[512];
    if (dlc_image_folder_read(folder.get(), row, &form, static_cast<float *>(to), error, sizeof error) !=
        DLC_OK)
      throw Failure(error);
  }

private:
  Folder folder;
  dlc_image_form form;
};

Array newArray(int32_t dtype, const std::vector<int64_t> &shape, const std::string &path) {
  Array array;
  array->dtype = dtype;
  array->rank = int32_t(shape.size());
  std::copy(shape.begin(), shape.end(), array->shape);
  array->bytes = size_t(elementCount(uint32_t(array->rank), array->shape)) * elementBytes(uint32_t(dtype));
  array->data = std::malloc(array->bytes);
  if (!array->data)
    throw Failure(path + ": no memory for its images");
  return array;
}

/// Calls `each` for 0 to count - 1 on as many threads as there are cores. The first failure, by its number,
/// is thrown.
void inParallel(int64_t count, const std::function<void(int64_t)> &each) {
  std::atomic<int64_t> next{0};
  std::mutex mutex;
  int64_t failedAt = count;
  std::exception_ptr failure;
  auto work = [&] {
    for (int64_t i; (i = next++) < count;)
      try {
        each(i);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (i < failedAt) {
          failedAt = i;
          failure = std::current_exception();
        }
        next = count; // what began before goes on to its end
      }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::min(std::thread::hardware_concurrency(), 16u); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  if (failure)
    std::rethrow_exception(failure);
}

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
  Array read(const Wanted &wanted) override { return wanted.input.is_target ? labels() : images(wanted); }
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
    const dlc_image_form form = formOf(wanted.input, path);
    const std::string size = std::to_string(form.height) + "x" + std::to_string(form.width);
    return path + ": " + std::to_string(dlc_image_folder_count(folder.get())) + " images, made " +
           (form.channels == 1 ? "grey" : "red, green and blue") + ", resized until they just cover " + size +
           ", and cropped to it at the centre; pixels are 0 to 1";
  }

private:
  const dlc_classes *own() const { return dlc_image_folder_classes(folder.get()); }

  Array images(const Wanted &wanted) {
    const dlc_image_form form = formOf(wanted.input, path);
    const ImageRows rows(folder, form);
    Array array = newArray(DLC_F32, {rows.count(), form.channels, form.height, form.width}, path);
    const int64_t size = form.channels * form.height * form.width;
    inParallel(rows.count(), [&](int64_t i) { rows.read(i, static_cast<float *>(array->data) + i * size); });
    return array;
  }

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

/// Of all names and sizes, and of the content of all files up to a gibibyte together, else of 1,024 files
/// that are spread over them.
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
